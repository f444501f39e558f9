"""Limits of the form "at most so many times within so many seconds", for sign-ups, invitations and requested mails.

They live in a table and not in the cache: a limit on mail to strangers must hold even if Redis is down or was emptied, and across
processes.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from datetime import timedelta
from math import ceil
from typing import Any

from django.utils import timezone

from gamesvc.database.asking import ask, unhurried
from gamesvc.errors import TooMany
from gamesvc.language import again_in, joined

_COUNT = """
INSERT INTO accounts_throttle AS t (key, started_at, ends_at, count)
SELECT %s::text, %s::timestamptz, %s::timestamptz, 1 WHERE {within}
ON CONFLICT (key) DO UPDATE SET
    count = CASE WHEN t.ends_at <= excluded.started_at THEN 1 ELSE t.count + 1 END,
    started_at = CASE WHEN t.ends_at <= excluded.started_at THEN excluded.started_at ELSE t.started_at END,
    ends_at = CASE WHEN t.ends_at <= excluded.started_at THEN excluded.ends_at ELSE t.ends_at END
RETURNING count, ends_at
"""


Limit = tuple[str, int, int]
"""A key, how often it may be counted within a window, and the seconds of the window."""


def throttle(key: str, limit: int, seconds: int) -> int:
    """Count one more `key`. Return 0 if it is within `limit` for this window, else the seconds to wait.

    The window begins with the first count and lasts `seconds`. Counts are exact with concurrent callers. The count is part of the
    caller's transaction, so an act that is rolled back is not counted; without one, it does not wait for the disk: what is
    done next waits for both.
    """
    full = throttle_in_turn([(key, limit, seconds)])
    return full[1] if full is not None else 0


def count_or_wait(key: str, most: int, seconds: int, sentence: str) -> None:
    """Count one more `key` as `throttle` does. Raises `TooMany` beyond the limit, with the sentence and when to try again."""
    if wait := throttle(key, most, seconds):
        raise TooMany(joined(sentence, again_in(wait)), wait)


def throttle_in_turn(limits: Sequence[Limit]) -> tuple[int, int] | None:
    """Count one more of each key as `throttle` does, in one statement: a key only if those before it are within their limits.

    Return None if all are, else the place of the limit that is exceeded and the seconds to wait. No key stands there twice.
    """
    now = timezone.now()
    values: list[Any] = []
    for at, (key, _most, seconds) in enumerate(limits):
        values += [hashlib.sha256(key.encode()).hexdigest(), now, now + timedelta(seconds=seconds)]
        values += [limits[at - 1][1]] if at else []
    counts = ask(_statement(len(limits), unhurried()), values).fetchall()
    full = [(at, ends_at) for (at, count, ends_at), (_key, most, _seconds) in zip(counts, limits, strict=False) if count > most]
    return (full[0][0], max(1, ceil((full[0][1] - now).total_seconds()))) if full else None


@functools.cache
def _statement(keys: int, first: str) -> str:
    """Return the statement for so many keys. It returns the count of each, up to the first that is over its limit.

    `first`: the condition of the first count.
    """
    parts = [
        f"counted_{at} AS ({_COUNT.format(within=f'EXISTS (SELECT FROM counted_{at - 1} WHERE count <= %s)' if at else first)})"
        for at in range(keys)
    ]
    counts = " UNION ALL ".join(f"SELECT {at} AS at, count, ends_at FROM counted_{at}" for at in range(keys))  # noqa: S608
    return f"WITH {', '.join(parts)} {counts} ORDER BY at"
