"""How a sweep goes through what is due: each item on its own, and one that fails is put behind the others.

A match that cannot go on, for want of a key or by a fault in its rules, is met by every sweep again. It neither stops a sweep nor
takes a place in it that another match needs: it rests for a while, longer after each failure.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Iterable
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from django.db import connection
from django.utils import timezone

logger = logging.getLogger(__name__)

FIRST_REST = timedelta(seconds=10)
LONGEST_REST = timedelta(minutes=10)
NEVER = datetime.min.replace(tzinfo=UTC)

Item = TypeVar("Item", bound=Hashable)

# What failed lately: how often, and until when it rests. Of this process only: another one tries it once more, no harm done.
_resting: dict[tuple[str, Hashable], tuple[int, datetime]] = {}


def each(what: str, items: Iterable[Item], do: Callable[[Item], int], *, limit: int) -> int:
    """Do each item, by its id, and return the sum of what `do` returned; stop when `limit` items came to something.

    What fails is logged and rests. So `items` are all that are due, not the first `limit` of them. Where the database is away no
    item is at fault, and the sweep ends with the error.
    """
    total = done = 0
    for item in items:
        failures, until = _resting.get((what, item), (0, NEVER))
        if timezone.now() < until:
            continue
        try:
            came = do(item)
        except Exception:
            if not connection.is_usable():
                raise
            logger.exception("%s %s could not be done; the other ones go on, and it is tried again later.", what, item)
            _rest(what, item, failures)
            continue
        _resting.pop((what, item), None)
        total += came
        done += bool(came)
        if done >= limit:
            break
    return total


def forget_all() -> None:
    """Try everything again at the next sweep."""
    _resting.clear()


def _rest(what: str, item: Hashable, failures: int) -> None:
    now = timezone.now()
    for key in [key for key, (_failures, until) in _resting.items() if until < now - LONGEST_REST]:
        del _resting[key]  # done elsewhere, or gone
    _resting[what, item] = failures + 1, now + min(FIRST_REST * 2 ** min(failures, 10), LONGEST_REST)
