"""Clock policies as values: time controls composed of parts, chosen once before a match is opened.

Not here: the deadlines that follow (`compute`) and the time used (`account`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from functools import cached_property
from zoneinfo import ZoneInfo

from gamesvc.json_types import JsonMapping
from gamesvc.matches.clock.spans import FURTHEST, NoTime, Span, holidays_of, next_fixed, whole_days

KINDS = ("turn", "commit", "reaction", "choice")
TURNS = ("turn", "commit")
# The longest deadline a policy may lead to without vacations. However many vacation days are allowed, they end within two years,
# so every deadline is still found within `FURTHEST`.
FURTHEST_DEADLINE = timedelta(days=2 * 366)


@dataclass(frozen=True, slots=True)
class Bank:
    """A seat's time reserve. It never exceeds `cap`."""

    start: timedelta
    increment: timedelta
    cap: timedelta


@dataclass(frozen=True, slots=True)
class Adjudication:
    """Fixed local times on some days of the week."""

    times: tuple[time, ...]
    weekdays: frozenset[int]
    zone: str


@dataclass(frozen=True, slots=True)
class DaysOff:
    """Days on which no time counts for any seat."""

    weekdays: frozenset[int]
    holidays: str
    zone: str

    def __contains__(self, day: object) -> bool:
        assert isinstance(day, date)
        return day.weekday() in self.weekdays or bool(self.holidays and day in holidays_of(self.holidays, day.year))

    def spans(self, since: datetime, until: datetime) -> list[Span]:
        return list(whole_days(self.__contains__, ZoneInfo(self.zone), since, until))


@dataclass(frozen=True)
class Policy:
    """A parsed and checked policy. `times` has an entry for each kind of question with a time of its own."""

    times: Mapping[str, timedelta]
    minimum: timedelta
    bank: Bank | None = None
    adjudication: Adjudication | None = None
    grace: timedelta = timedelta(0)
    days_off: DaysOff | None = None
    quiet: timedelta | None = None
    vacation: bool = False
    told: JsonMapping = field(default_factory=dict)
    """The policy as in `match.opened`."""

    @cached_property
    def plain(self) -> bool:
        """Return True if every deadline follows from the log alone, so that none needs an event of its own."""
        return not (self.adjudication or self.days_off or self.quiet or self.vacation)

    def own_time(self, kind: str) -> timedelta:
        """Return the time of a question of this kind, without the bank."""
        found = self.times.get(kind)
        return found if found is not None else self.times.get("turn", timedelta(0))

    def banked(self, kind: str) -> bool:
        """Return True if a question of this kind draws on the seat's bank after its own time."""
        return self.bank is not None and (kind in TURNS or kind not in self.times)

    def fixed(self, kind: str) -> bool:
        """Return True if questions of this kind are due at fixed times."""
        return self.adjudication is not None and kind not in self.times

    def next_adjudication(self, after: datetime) -> datetime:
        """Return the first fixed time not before `after` that is not on a day off. Raises `NoTime`."""
        fixed, off = self.adjudication, self.days_off
        assert fixed is not None
        zone, latest = ZoneInfo(fixed.zone), after + FURTHEST
        while after < latest:
            found = next_fixed(fixed.times, lambda day: day.weekday() in fixed.weekdays, zone, after)
            if off is None or found.astimezone(ZoneInfo(off.zone)).date() not in off:
                return found
            after = found + timedelta(minutes=1)
        raise NoTime
