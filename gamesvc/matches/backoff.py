"""Backoff for sweeps: each due item runs on its own, and one that fails rests before it is tried again.

Every sweep meets a match that cannot go on, because a key is missing or its rules have a fault. It must neither stop a sweep nor
take the place of another match, so it rests for a while, longer after each failure.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Hashable, Iterable
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from django.db import connection
from django.utils import timezone

from gamesvc.time_limits import TimeIsUp

logger = logging.getLogger(__name__)

FIRST_REST = timedelta(seconds=10)
LONGEST_REST = timedelta(minutes=10)
# Longest run of a sweep, well below the time limit of its task. The next one goes on.
LASTS = 30.0
NEVER = datetime.min.replace(tzinfo=UTC)

Item = TypeVar("Item", bound=Hashable)

# Recent failures: their number, and the end of the rest. For this process only; another one tries once more without harm.
_resting: dict[tuple[str, Hashable], tuple[int, datetime]] = {}


def each(what: str, items: Iterable[Item], do: Callable[[Item], int], *, limit: int) -> int:
    """Run `do` for each item and return the sum of its results. Stop when `limit` items returned something, or after `LASTS`.

    Failures are logged, and the item rests, as does one that takes all the time of the task. So `items` should be all that are
    due, not just the first `limit`. If the database is away no item is at fault, and the sweep ends with the error.
    """
    total = done = 0
    end = time.monotonic() + LASTS
    for item in items:
        if time.monotonic() > end:
            break
        failures, until = _resting.get((what, item), (0, NEVER))
        if timezone.now() < until:
            continue
        try:
            came = do(item)
        except TimeIsUp:
            # The next sweep begins with others: this item may take all the time again.
            logger.error("Sweep: %s %s took the time of the task and will be tried again later.", what, item)
            _rest(what, item, failures)
            raise
        except Exception:
            if not connection.is_usable():
                raise
            logger.exception("Sweep: %s %s failed and will be tried again later.", what, item)
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
