"""One running clock as a value, and the moment at which it runs out.

A deadline is always `since` plus the time left, counted outside the excluded spans. With fixed times it is the first of them that
leaves the minimum. So it never drifts, and anyone can compute it again from the clock.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Protocol

from events.canonical import write_time
from gamesvc.json_types import JsonMapping, JsonObject
from gamesvc.matches.clock.policy import Policy
from gamesvc.matches.clock.spans import SECOND, Span, advance, counted, merged

ZERO = timedelta(0)


class Surroundings(Protocol):
    """Facts about a seat's time that the log does not hold."""

    def excluded(self, since: datetime, until: datetime) -> list[Span]:
        """Return the spans that do not count for this seat."""

    def fixed(self, after: datetime) -> datetime | None:
        """Return the next fixed time of the match; None for a seat that has none, such as a bot's."""


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock of one seat and question. It runs from `since`, or is stopped while `due` is None."""

    kind: str
    asked: datetime
    since: datetime
    own: timedelta
    """The question's own time that was left at `since`."""
    left: timedelta
    """Total time left at `since`: own time and bank, at least the minimum. Below zero, part of the grace is used up."""
    due: datetime | None = None
    grace_from: datetime | None = None
    excluded: tuple[Span, ...] = ()
    fixed: datetime | None = None
    name: str = ""
    """Its name among the clocks of its seat, kept even if the game asks for the same turn under another id."""
    given: timedelta = ZERO
    """The time an organiser has added to its own time, or to its fixed time."""
    put_off: timedelta = ZERO
    """The delay of its fixed time against the calendar, from outages and extensions."""
    ran_out: datetime | None = None
    """The deadline whose timeout is already recorded. The game's answer may take several commands."""
    granted: int = 0
    """Number of times that the minimum has given it more time after an act of its own seat had stopped it."""

    def used(self, until: datetime) -> timedelta:
        """Return the time counted since `since`, in whole seconds."""
        if self.due is None:
            return ZERO
        return counted(self.since, until, self.excluded) // SECOND * SECOND

    def because(self) -> JsonObject:
        """Return the inputs of `due`, as an event records them."""
        found: JsonObject = {
            "since": write_time(self.since),
            "own": self.own // SECOND,
            "left": self.left // SECOND,
            "excluded": [[write_time(start), write_time(end)] for start, end in self.excluded],
        }
        if self.fixed is not None:
            found["fixed"] = write_time(self.fixed)
        if self.put_off:
            found["put_off"] = self.put_off // SECOND
        return found

    def recorded(self, because: JsonMapping) -> Clock:
        """Return the clock with the start that such an event records. `run` computes its end."""
        return replace(
            self,
            since=read(because["since"]),
            own=because["own"] * SECOND,
            left=because["left"] * SECOND,
            put_off=because.get("put_off", 0) * SECOND,
        )

    def as_json(self) -> JsonObject:
        """Return the whole clock in the form stored in snapshots."""
        return {
            **self.because(),
            "kind": self.kind,
            "name": self.name,
            "given": self.given // SECOND,
            "asked": write_time(self.asked),
            "due": write_time(self.due) if self.due is not None else None,
            "grace_from": write_time(self.grace_from) if self.grace_from is not None else None,
            "ran_out": write_time(self.ran_out) if self.ran_out is not None else None,
            "granted": self.granted,
        }

    @classmethod
    def from_json(cls, told: JsonMapping) -> Clock:
        """Return the clock that `as_json` wrote. Raises KeyError, TypeError or ValueError for anything else."""
        moments = {name: read(told[name]) for name in ("due", "grace_from", "fixed", "ran_out") if told.get(name) is not None}
        return cls(
            kind=told["kind"],
            asked=read(told["asked"]),
            since=read(told["since"]),
            own=told["own"] * SECOND,
            left=told["left"] * SECOND,
            excluded=tuple(Span(read(start), read(end)) for start, end in told["excluded"]),
            name=told["name"],
            given=told["given"] * SECOND,
            put_off=told.get("put_off", 0) * SECOND,
            granted=told["granted"],
            **moments,
        )


@dataclass(frozen=True, slots=True)
class Recorded:
    """Surroundings as recorded in a `match.deadline_set`."""

    because: JsonMapping

    def excluded(self, since: datetime, until: datetime) -> list[Span]:
        return [Span(read(start), read(end)) for start, end in self.because.get("excluded", ())]

    def fixed(self, after: datetime) -> datetime | None:
        found = self.because.get("fixed")
        return read(found) - self.because.get("put_off", 0) * SECOND if found is not None else None


NOTHING_KNOWN = Recorded({})


def run(policy: Policy, clock: Clock, surroundings: Surroundings) -> Clock:
    """Return the clock running from its `since` with the time it has left. Raises `NoTime`."""
    if policy.plain and surroundings is NOTHING_KNOWN:
        due = clock.since + max(clock.left, ZERO)
        excluded: tuple[Span, ...] = ()
    else:
        due, excluded = advance(clock.since, max(clock.left, ZERO), surroundings.excluded)
    fixed = surroundings.fixed(due) if policy.fixed(clock.kind) else None
    if fixed is not None:
        due = fixed = fixed + clock.put_off
    grace_from = None
    if policy.grace:
        grace_from = due
        if fixed is not None:
            due += policy.grace
        else:
            due, excluded = advance(clock.since, clock.left + policy.grace, surroundings.excluded)
    return replace(clock, due=due, grace_from=grace_from, excluded=excluded, fixed=fixed)


def no_more(policy: Policy, was: Clock, stood: Clock, now: datetime, surroundings: Surroundings) -> Clock:
    """Return a clock that goes on now with what it had when it was stopped, and nothing more.

    `was`: the clock as it ran. `stood`: the same clock when it was stopped. A fixed time stays; it moves only as far as it takes
    to leave what was left before it, at most the minimum.
    """
    assert was.due is not None
    if was.fixed is None:
        left = was.left - was.used(max(stood.since, was.since))
        return run(policy, replace(stood, since=now, left=left), surroundings)
    rest = min(policy.minimum, was.due - stood.since)
    kept = replace(was, since=now, own=stood.own, left=ZERO, excluded=())
    return put_off(kept, max(now + rest - was.due, ZERO))


def known_until(clock: Clock) -> datetime:
    """Return the moment up to which `excluded` is complete. With a fixed time this is only the end of its minimum."""
    if clock.due is None:
        return clock.since
    if clock.fixed is None:
        return clock.due
    ready, _ = advance(clock.since, clock.left, lambda since, until: clock.excluded)
    return ready


def breaks(clock: Clock) -> list[tuple[float, float]]:
    """Return the excluded spans before a running clock's end, as (seconds counted when the span begins, its length in seconds).

    They turn a share of the time given into a moment (`reminding.MOMENT`, `gone`), the same one that `advance` finds. The end is
    the start of grace, if there is any: grace is no time given. With fixed times the spans are known up to the end of the
    minimum; from there to the fixed time all time counts.
    """
    end = clock.grace_from or clock.due
    if end is None:
        return []
    found, passed = [], ZERO
    for start, stop in clock.excluded:
        begins = max(start, clock.since)
        if begins < end:
            found.append(((begins - clock.since - passed) / SECOND, (stop - begins) / SECOND))
            passed += stop - begins
    return found


def gone(elapsed: float, spans: Iterable[tuple[float, float]]) -> float:
    """Return how many of the seconds since a clock began to run have counted, given its `breaks`."""
    for at, length in spans:
        if elapsed <= at:
            break
        elapsed -= min(length, elapsed - at)
    return elapsed


def within(excluded: tuple[Span, ...], moment: datetime) -> bool:
    """Return True if a moment lies in one of the spans."""
    return any(start <= moment < end for start, end in excluded)


@dataclass(frozen=True, slots=True)
class Spliced:
    """Surroundings as they were known up to `cut`, and as they are now after it, with additional spans (an outage)."""

    known: tuple[Span, ...]
    cut: datetime
    now: Surroundings
    more: tuple[Span, ...] = ()

    def excluded(self, since: datetime, until: datetime) -> list[Span]:
        before = [Span(start, min(end, self.cut)) for start, end in self.known]
        after = [Span(max(start, self.cut), end) for start, end in self.now.excluded(max(since, self.cut), until)]
        return merged([*before, *after, *self.more], since, until)

    def fixed(self, after: datetime) -> datetime | None:
        return self.now.fixed(after)


@dataclass(frozen=True, slots=True)
class Rewritten:
    """Surroundings as they were known up to `cut`, but as they are now within `changed` and after `cut` (a vacation)."""

    known: tuple[Span, ...]
    cut: datetime
    now: Surroundings
    changed: Span

    def excluded(self, since: datetime, until: datetime) -> list[Span]:
        start, end = self.changed
        before = [*_clipped(self.known, since, min(start, self.cut)), *_clipped(self.known, end, self.cut)]
        fresh = self.now.excluded(since, until)
        return merged([*before, *_clipped(fresh, start, end), *_clipped(fresh, self.cut, until)], since, until)

    def fixed(self, after: datetime) -> datetime | None:
        return self.now.fixed(after)


def _clipped(spans: Iterable[Span], since: datetime, until: datetime) -> list[Span]:
    return [Span(max(start, since), min(end, until)) for start, end in spans if start < until and end > since]


def absent(policy: Policy, clock: Clock, changed: Span, moment: datetime, now: Surroundings) -> Clock:
    """Return the clock after a vacation was announced or cancelled. Only the future part of `changed` is counted again."""
    if clock.due is None:
        return clock
    ahead = Span(max(changed.start, moment), max(changed.end, moment))
    return run(policy, clock, Rewritten(clock.excluded, known_until(clock), now, ahead))


def put_off(clock: Clock, by: timedelta) -> Clock:
    """Return the clock with its fixed time put off, running or stopped. The delay is rounded up to whole seconds."""
    by = -(-by // SECOND) * SECOND
    moved = {name: moment + by for name in ("due", "fixed", "grace_from") if (moment := getattr(clock, name)) is not None}
    return replace(clock, put_off=clock.put_off + by, **moved)


def margin(outage: Span, hour: timedelta) -> timedelta:
    """Return how long after an outage deadlines are still moved: players with less time than that lost most of it."""
    return max(outage.end - outage.start, hour)


def fell_into(clock: Clock, outage: Span, hour: timedelta) -> bool:
    """Return True if an outage moves this deadline, which lies in it or shortly after. A clock that began later is not moved."""
    return clock.due is not None and clock.since < outage.end and outage.start <= clock.due < outage.end + margin(outage, hour)


def outlast(policy: Policy, clock: Clock, outage: Span, now: Surroundings) -> Clock:
    """Return the clock as if the outage had not counted. A fixed time moves by the outage's length."""
    if clock.due is None:
        return clock
    if clock.fixed is not None:
        return put_off(clock, outage.end - outage.start)
    return run(policy, clock, Spliced(clock.excluded, known_until(clock), now, (outage,)))


def read(text: str) -> datetime:
    return datetime.fromisoformat(text)
