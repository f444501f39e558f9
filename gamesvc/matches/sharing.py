"""The time of workers, shared between users: what is due for one of them, however much, delays the others by one item."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

Item = TypeVar("Item")


@dataclass(slots=True)
class Spent:
    """The seconds that a sweep has spent for each user, by id; None stands for all items without one."""

    seconds: defaultdict[int | None, float] = field(default_factory=lambda: defaultdict(float))

    def above(self, share: float) -> list[int]:
        """Return the users for whom more than `share` seconds were spent."""
        return [user for user, seconds in self.seconds.items() if user is not None and seconds > share]

    def in_turn(self, items: Iterable[tuple[int | None, Item]]) -> Iterator[Item]:
        """Yield items, each given with its user, always one of the user for whom least was spent so far, each user's in order.

        Counts the time until the next one is asked for.
        """
        left: dict[int | None, list[Item]] = {}
        for user, item in items:
            left.setdefault(user, []).append(item)
        for own in left.values():
            own.reverse()
        while left:
            user = min(left, key=lambda one: self.seconds[one])
            since = time.monotonic()
            try:
                yield left[user].pop()
            finally:
                self.seconds[user] += time.monotonic() - since
            if not left[user]:
                del left[user]


class Lately:
    """The seconds that this process has spent for each user lately, as far as they exceed an allowance."""

    def __init__(self, seconds_a_minute: float) -> None:
        self._allowed = seconds_a_minute / 60
        self._above: dict[int | None, tuple[float, float]] = {}

    def add(self, user: int | None, seconds: float) -> None:
        now = time.monotonic()
        self._above = {one: (above, at) for one, (above, at) in self._above.items() if above > (now - at) * self._allowed}
        self._above[user] = self.above(user) + seconds, now

    def above(self, user: int | None) -> float:
        """Return the seconds that were spent for a user, less what was allowed since."""
        seconds, at = self._above.get(user, (0.0, 0.0))
        return max(0.0, seconds - (time.monotonic() - at) * self._allowed)
