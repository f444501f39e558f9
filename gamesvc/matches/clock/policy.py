"""Clock policies: time controls composed of parts, chosen once before a match is opened.

`{"hours": 48}` is short for `{"turn": "48h"}`. A duration is text such as `3d`, `36h` or `1d12h30m`. Not here: the deadlines that
follow (`compute`) and the time used (`account`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property, lru_cache
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from gamesvc.games.kernel import forms
from gamesvc.games.kernel.game import Refused
from gamesvc.matches.clock.spans import (
    FURTHEST,
    SECOND,
    NoTime,
    Span,
    advance,
    holiday_places,
    holidays_of,
    next_fixed,
    nightly,
    whole_days,
)

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
KINDS = ("turn", "commit", "reaction", "choice")
TURNS = ("turn", "commit")
# Outcomes that a first timeout makes final, so that there is never a series of them.
DECISIVE = ("lose", "bot")
MOST_QUIET_HOURS = 12
# The longest deadline a policy may lead to without vacations. However many vacation days are allowed, they end within two years,
# so every deadline is still found within `FURTHEST`.
FURTHEST_DEADLINE = timedelta(days=2 * 366)
_LENGTH = r"^(\d{1,3}d)?(\d{1,3}h)?(\d{1,3}m)?$"
_SHAPE = "a length of time such as 3d, 36h or 1d12h30m"
_CLOCK_TIME = r"^([01]\d|2[0-3]):[0-5]\d$"


def _length(title: str, **more: Any) -> dict[str, Any]:
    return {"title": title, "type": "string", "pattern": _LENGTH, "shape": _SHAPE, "minLength": 2, "maxLength": 12, **more}


_ZONE = {"title": "Time zone", "type": "string", "maxLength": 64, "description": "A name such as Europe/Berlin."}
_DAYS = {"type": "array", "items": {"enum": list(WEEKDAYS)}, "uniqueItems": True, "maxItems": 7}

SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Clock policy",
    "description": "How long a seat may take. Lengths of time are texts such as 3d, 36h or 1d12h30m.",
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "hours": {"title": "Hours for each turn", "type": "integer", "minimum": 1, "maximum": 720},
        "turn": _length("Time for each turn"),
        "commit": _length("Time for each simultaneous phase", description="As `turn` where it is not given."),
        "reaction": _length("Time for each reaction", description="As `turn` where it is not given; never from the bank."),
        "choice": _length("Time for each choice", description="As `turn` where it is not given; never from the bank."),
        "bank": {
            "title": "Time bank",
            "description": "Each seat's own, used after the time of a turn; `increment` comes with every turn but the first.",
            "type": "object",
            "additionalProperties": False,
            "required": ["start"],
            "properties": {
                "start": _length("At the start"),
                "increment": _length("With every turn"),
                "cap": _length("Never more than", description="As `start` where it is not given."),
            },
        },
        "adjudication": {
            "title": "Fixed times",
            "description": "Turns and simultaneous phases are due at the next of these times, regardless of quiet hours.",
            "type": "object",
            "additionalProperties": False,
            "required": ["at", "zone"],
            "properties": {
                "at": {
                    "type": "array",
                    "minItems": 1,
                    "maxItems": 4,
                    "uniqueItems": True,
                    "items": {
                        "type": "string",
                        "pattern": _CLOCK_TIME,
                        "shape": "a time of day such as 18:00",
                        "minLength": 5,
                        "maxLength": 5,
                    },
                },
                "days": {**_DAYS, "title": "On", "description": "Every day where it is not given."},
                "zone": _ZONE,
            },
        },
        "grace": _length("Grace", description="From the deadline until then an answer is late, but still counts."),
        "minimum": _length(
            "Minimum", description="The least time from a question to its deadline; an hour where it is not given."
        ),
        "days_off": {
            "title": "Days that do not count",
            "type": "object",
            "additionalProperties": False,
            "required": ["zone"],
            "properties": {
                "weekdays": {**_DAYS, "title": "Every"},
                "holidays": {
                    "title": "Public holidays of",
                    "description": "A country or a part of one: DE, DE-BY, US-NY.",
                    "type": "string",
                    "maxLength": 10,
                },
                "zone": _ZONE,
            },
        },
        "quiet_hours": {
            "title": "Hours of a seat's quiet hours that are honoured each day",
            "type": "integer",
            "minimum": 1,
            "maximum": MOST_QUIET_HOURS,
        },
        "vacation": {"title": "Vacations stop the clock", "type": "boolean"},
        "timeout": {"title": "When time runs out", "enum": ["default", "pass", "lose", "bot"]},
        "after": {"title": "Timeouts in a row after which a seat is vacated", "type": "integer", "minimum": 1, "maximum": 20},
        "excused": {"title": "Excused timeouts per player", "type": "integer", "minimum": 0, "maximum": 20},
    },
}

PRESETS: dict[str, tuple[str, dict[str, Any]]] = {
    "two_days": ("2 days per turn", {"hours": 48}),
    "working_days": (
        "2 days per turn, 12 h to react; nights and weekends do not count",
        {
            "turn": "2d",
            "reaction": "12h",
            "choice": "12h",
            "days_off": {"weekdays": ["sat", "sun"], "zone": "UTC"},
            "quiet_hours": 10,
            "vacation": True,
        },
    ),
    "considerate": (
        "3 days per turn; nights and vacations do not count",
        {"turn": "3d", "reaction": "1d", "choice": "1d", "quiet_hours": 10, "vacation": True},
    ),
    "bank": (
        "7 days + 12 h per turn, max. 10 days",
        {
            "bank": {"start": "7d", "increment": "12h", "cap": "10d"},
            "reaction": "12h",
            "choice": "12h",
            "quiet_hours": 10,
            "vacation": True,
        },
    ),
    "tuesdays_and_fridays": (
        "Every Tuesday and Friday at 18:00",
        {
            "adjudication": {"at": ["18:00"], "days": ["tue", "fri"], "zone": "Europe/Berlin"},
            "reaction": "1d",
            "choice": "1d",
            "minimum": "12h",
        },
    ),
}


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
    told: Mapping[str, Any] = field(default_factory=dict)
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


def length(text: str, hour: timedelta, parameter: str) -> timedelta:
    """Return the length of a duration such as `1d12h`. Raises `Refused`."""
    found = re.match(_LENGTH, text)
    if not text or found is None:
        raise Refused("bad_clock", f"{parameter} must be a length of time such as 3d, 36h or 1d12h30m, not {text!r}.", parameter)
    days, hours, minutes = (int(part[:-1]) if part else 0 for part in found.groups())
    return max(((days * 24 + hours) * hour + minutes * hour / 60) // SECOND, 1) * SECOND


@lru_cache(512)
def _parsed(text: str, hour: timedelta, judge: bool) -> Policy:
    return _parse(json.loads(text), hour, judge)


def parse(told: Mapping[str, Any], hour: timedelta = timedelta(hours=1), *, judge: bool = True) -> Policy:
    """Parse a policy. Raises `Refused` that names the part at fault. `hour`: the length of an hour (shorter for tests).

    `judge`: also check that it leaves enough time and that its deadlines can be computed. A policy from `match.opened` was
    checked when the match was opened.
    """
    return _parsed(json.dumps(told, sort_keys=True), hour, judge)


def _parse(told: Mapping[str, Any], hour: timedelta, judge: bool) -> Policy:
    if judge and (fault := forms.fault(SCHEMA, told, "clock")):
        raise Refused("bad_clock", fault.detail, fault.path)
    _check_parts(told)
    times = _times(told, hour)
    policy = Policy(
        times=times,
        minimum=_minimum(told, times, hour),
        bank=_bank(told["bank"], times, hour) if "bank" in told else None,
        adjudication=_adjudication(told["adjudication"]) if "adjudication" in told else None,
        grace=length(told["grace"], hour, "clock.grace") if "grace" in told else timedelta(0),
        days_off=_days_off(told["days_off"]) if "days_off" in told else None,
        quiet=timedelta(hours=told["quiet_hours"]) if "quiet_hours" in told else None,
        vacation=told.get("vacation", False),
        told=dict(told),
    )
    if judge:
        _check_time_is_left(policy)
    return policy


def _check_parts(told: Mapping[str, Any]) -> None:
    """Raise `Refused` for parts that do not go together, or that are missing."""
    if "hours" in told and ("turn" in told or "bank" in told or "adjudication" in told):
        raise Refused(
            "bad_clock",
            "clock.hours is short for clock.turn. Leave it out, or leave turn, bank and adjudication out.",
            "clock.hours",
        )
    if "after" in told and told.get("timeout", "default") in DECISIVE:
        what = {"lose": "loses the match", "bot": "hands the seat to a bot"}[told["timeout"]]
        raise Refused(
            "bad_clock",
            f"With clock.timeout {told['timeout']} the first timeout {what}: clock.after has nothing to count; leave it out.",
            "clock.after",
        )
    if not told.keys() & {"hours", "turn", "bank", "adjudication"}:
        raise Refused("bad_clock", "A time control needs hours, a turn, a bank or fixed times.", "clock")
    if "turn" in told and "adjudication" in told:
        raise Refused("bad_clock", "With fixed times a turn has no length of its own; leave clock.turn out.", "clock.turn")
    if "bank" in told and "adjudication" in told:
        raise Refused("bad_clock", "Fixed times and a bank do not go together; choose one.", "clock.bank")


def _times(told: Mapping[str, Any], hour: timedelta) -> dict[str, timedelta]:
    """Return the time of each kind of question that is given."""
    times = {kind: length(told[kind], hour, f"clock.{kind}") for kind in KINDS if kind in told}
    if "hours" in told:
        times["turn"] = told["hours"] * hour
    for kind, time_of in times.items():
        if time_of < hour / 12:
            raise Refused("no_time", f"clock.{kind} must be five minutes at least.", f"clock.{kind}")
    return times


def _minimum(told: Mapping[str, Any], times: Mapping[str, timedelta], hour: timedelta) -> timedelta:
    if "minimum" not in told:
        return min([hour, *times.values()])
    minimum = length(told["minimum"], hour, "clock.minimum")
    if minimum < hour / 12:
        raise Refused("no_time", "clock.minimum must be five minutes at least.", "clock.minimum")
    return minimum


def _bank(told: Mapping[str, str], times: Mapping[str, timedelta], hour: timedelta) -> Bank:
    start = length(told["start"], hour, "clock.bank.start")
    increment = length(told["increment"], hour, "clock.bank.increment") if "increment" in told else timedelta(0)
    cap = length(told["cap"], hour, "clock.bank.cap") if "cap" in told else start
    if cap < max(start, increment):
        raise Refused("bad_clock", "clock.bank.cap must not be less than what the bank starts with or gains.", "clock.bank.cap")
    if "turn" not in times and increment < hour / 12:
        raise Refused(
            "no_time", "A bank without a time for each turn needs an increment of five minutes at least.", "clock.bank.increment"
        )
    return Bank(start, increment, cap)


def _zone(name: str, parameter: str) -> str:
    if name not in _zones():
        raise Refused(
            "bad_clock", f"{parameter}: there is no time zone {name!r}; it is a name like Europe/Berlin or UTC.", parameter
        )
    return name


@lru_cache(1)
def _zones() -> frozenset[str]:
    return frozenset(available_timezones())


def _weekdays(names: list[str] | None) -> frozenset[int]:
    return frozenset(range(7)) if not names else frozenset(WEEKDAYS.index(name) for name in names)


def _adjudication(told: Mapping[str, Any]) -> Adjudication:
    times = tuple(sorted(time(int(text[:2]), int(text[3:])) for text in told["at"]))
    return Adjudication(times, _weekdays(told.get("days")), _zone(told["zone"], "clock.adjudication.zone"))


def _days_off(told: Mapping[str, Any]) -> DaysOff:
    place = told.get("holidays", "")
    country, _, part = place.partition("-")
    if place and (country not in holiday_places() or (part and part not in holiday_places()[country])):
        detail = f"There is no holiday list of {place!r}; it is a country such as DE or a part of one such as DE-BY."
        raise Refused("bad_clock", detail, "clock.days_off.holidays")
    weekdays = _weekdays(told["weekdays"]) if told.get("weekdays") else frozenset()
    return DaysOff(weekdays, place, _zone(told["zone"], "clock.days_off.zone"))


def _check_time_is_left(policy: Policy) -> None:
    """Refuse a policy that leaves a seat no time to act, or puts a deadline too far away, even with the longest quiet hours."""
    off, quiet, since = policy.days_off, policy.quiet, datetime(2026, 1, 1, tzinfo=UTC)

    def calendar(begin: datetime, until: datetime) -> list[Span]:
        spans = off.spans(begin, until) if off is not None else []
        if quiet is not None:
            spans += nightly(time(0), time(0), ZoneInfo("UTC"), quiet, begin, until)
        return spans

    try:
        longest = max([policy.minimum, *policy.times.values()])
        ends, _ = advance(since, longest, calendar)
        if ends - since > 30 * longest + timedelta(days=60):
            raise NoTime
        if policy.adjudication is not None:
            policy.next_adjudication(ends)
    except NoTime:
        raise Refused("no_time", "This clock leaves no time to act: nearly all days are left out.", "clock") from None
    try:
        ends, _ = advance(since, _longest(policy), calendar)
    except NoTime:
        ends = since + FURTHEST
    if ends - since > FURTHEST_DEADLINE:
        detail = (
            f"With this clock a deadline may lie {(ends - since).days} days away, the bank, grace and the days that do not count "
            f"included; at most {FURTHEST_DEADLINE.days} days are possible. Shorten the bank, the grace or the time of a turn."
        )
        raise Refused("bad_clock", detail, "clock")


def _longest(policy: Policy) -> timedelta:
    """Return the longest time a question can have without an extension: own time, bank and grace."""
    bank = policy.bank.cap if policy.bank is not None else timedelta(0)
    own = [policy.own_time(kind) + (bank if policy.banked(kind) else timedelta(0)) for kind in KINDS]
    return max(policy.minimum, *own) + policy.grace


def nominal_hours(told: Mapping[str, Any]) -> int:
    """Return the approximate hours of a turn, for lists of matches. With fixed times this is the longest wait."""
    policy = parse(told, judge=False)
    if policy.adjudication is not None:
        days = sorted(policy.adjudication.weekdays)
        return 24 * max((after - day) % 7 or 7 for day, after in zip(days, [*days[1:], days[0]], strict=True))
    own = policy.own_time("turn") or (policy.bank.start if policy.bank is not None else timedelta(0))
    return max(1, round(own / timedelta(hours=1)))
