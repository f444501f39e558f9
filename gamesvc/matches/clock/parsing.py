"""Reading a clock policy, and refusing one that makes no sense, leaves no time or leads too far ahead."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo, available_timezones

from gamesvc.games.kernel import forms
from gamesvc.games.kernel.game import Refused
from gamesvc.json_types import JsonMapping
from gamesvc.language import say
from gamesvc.matches.clock.notation import LENGTH, SCHEMA, WEEKDAYS
from gamesvc.matches.clock.policy import FURTHEST_DEADLINE, KINDS, Adjudication, Bank, DaysOff, Policy
from gamesvc.matches.clock.spans import FURTHEST, SECOND, NoTime, Span, advance, holiday_places, nightly

# Outcomes that a first timeout makes final, so that there is never a series of them.
DECISIVE = ("lose", "bot")


def length(text: str, hour: timedelta, parameter: str) -> timedelta:
    """Return the length of a duration such as `1d12h`. Raises `Refused`."""
    found = re.match(LENGTH, text)
    if not text or found is None:
        raise Refused(
            "bad_clock",
            say(
                "{parameter} must be a length of time such as 3d, 36h or 1d12h30m, not {text!r}.", parameter=parameter, text=text
            ),
            parameter,
        )
    days, hours, minutes = (int(part[:-1]) if part else 0 for part in found.groups())
    return max(((days * 24 + hours) * hour + minutes * hour / 60) // SECOND, 1) * SECOND


@lru_cache(512)
def _parsed(text: str, hour: timedelta, judge: bool) -> Policy:
    return _parse(json.loads(text), hour, judge)


def parse(told: JsonMapping, hour: timedelta = timedelta(hours=1), *, judge: bool = True) -> Policy:
    """Parse a policy. Raises `Refused` that names the part at fault. `hour`: the length of an hour (shorter for tests).

    `judge`: also check that it leaves enough time and that its deadlines can be computed. A policy from `match.opened` was
    checked when the match was opened.
    """
    return _parsed(json.dumps(told, sort_keys=True), hour, judge)


def _parse(told: JsonMapping, hour: timedelta, judge: bool) -> Policy:
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


def _check_parts(told: JsonMapping) -> None:
    """Raise `Refused` for parts that do not go together, or that are missing."""
    if "hours" in told and ("turn" in told or "bank" in told or "adjudication" in told):
        raise Refused(
            "bad_clock",
            say("clock.hours is short for clock.turn. Leave it out, or leave turn, bank and adjudication out."),
            "clock.hours",
        )
    if "after" in told and told.get("timeout", "default") in DECISIVE:
        what = {"lose": "loses the match", "bot": "hands the seat to a bot"}[told["timeout"]]
        raise Refused(
            "bad_clock",
            say(
                "With clock.timeout {told} the first timeout {what}: clock.after has nothing to count; leave it out.",
                told=told["timeout"],
                what=what,
            ),
            "clock.after",
        )
    if not told.keys() & {"hours", "turn", "bank", "adjudication"}:
        raise Refused("bad_clock", say("A time control needs hours, a turn, a bank or fixed times."), "clock")
    if "turn" in told and "adjudication" in told:
        raise Refused("bad_clock", say("With fixed times a turn has no length of its own; leave clock.turn out."), "clock.turn")
    if "bank" in told and "adjudication" in told:
        raise Refused("bad_clock", say("Fixed times and a bank do not go together; choose one."), "clock.bank")


def _times(told: JsonMapping, hour: timedelta) -> dict[str, timedelta]:
    """Return the time of each kind of question that is given."""
    times = {kind: length(told[kind], hour, f"clock.{kind}") for kind in KINDS if kind in told}
    if "hours" in told:
        times["turn"] = told["hours"] * hour
    for kind, time_of in times.items():
        if time_of < hour / 12:
            raise Refused("no_time", say("clock.{kind} must be five minutes at least.", kind=kind), f"clock.{kind}")
    return times


def _minimum(told: JsonMapping, times: Mapping[str, timedelta], hour: timedelta) -> timedelta:
    if "minimum" not in told:
        return min([hour, *times.values()])
    minimum = length(told["minimum"], hour, "clock.minimum")
    if minimum < hour / 12:
        raise Refused("no_time", say("clock.minimum must be five minutes at least."), "clock.minimum")
    return minimum


def _bank(told: Mapping[str, str], times: Mapping[str, timedelta], hour: timedelta) -> Bank:
    start = length(told["start"], hour, "clock.bank.start")
    increment = length(told["increment"], hour, "clock.bank.increment") if "increment" in told else timedelta(0)
    cap = length(told["cap"], hour, "clock.bank.cap") if "cap" in told else start
    if cap < max(start, increment):
        raise Refused(
            "bad_clock", say("clock.bank.cap must not be less than what the bank starts with or gains."), "clock.bank.cap"
        )
    if "turn" not in times and increment < hour / 12:
        raise Refused(
            "no_time",
            say("A bank without a time for each turn needs an increment of five minutes at least."),
            "clock.bank.increment",
        )
    return Bank(start, increment, cap)


def _zone(name: str, parameter: str) -> str:
    if name not in _zones():
        raise Refused(
            "bad_clock",
            say(
                "{parameter}: there is no time zone {name!r}; it is a name like Europe/Berlin or UTC.",
                parameter=parameter,
                name=name,
            ),
            parameter,
        )
    return name


@lru_cache(1)
def _zones() -> frozenset[str]:
    return frozenset(available_timezones())


def _weekdays(names: list[str] | None) -> frozenset[int]:
    return frozenset(range(7)) if not names else frozenset(WEEKDAYS.index(name) for name in names)


def _adjudication(told: JsonMapping) -> Adjudication:
    times = tuple(sorted(time(int(text[:2]), int(text[3:])) for text in told["at"]))
    return Adjudication(times, _weekdays(told.get("days")), _zone(told["zone"], "clock.adjudication.zone"))


def _days_off(told: JsonMapping) -> DaysOff:
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
        raise Refused("no_time", say("This clock leaves no time to act: nearly all days are left out."), "clock") from None
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


def nominal_hours(told: JsonMapping) -> int:
    """Return the approximate hours of a turn, for lists of matches. With fixed times this is the longest wait."""
    policy = parse(told, judge=False)
    if policy.adjudication is not None:
        days = sorted(policy.adjudication.weekdays)
        return 24 * max((after - day) % 7 or 7 for day, after in zip(days, [*days[1:], days[0]], strict=True))
    own = policy.own_time("turn") or (policy.bank.start if policy.bank is not None else timedelta(0))
    return max(1, round(own / timedelta(hours=1)))
