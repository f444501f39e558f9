"""The account of a match's time: the running clocks, what is left of them and of the banks, and their stored form.

`fold` describes how an append changes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Protocol, TypeVar

from events.canonical import write_time
from gamesvc.json_types import JsonMapping, JsonObject
from gamesvc.matches.clock.compute import ZERO, Clock, read
from gamesvc.matches.clock.parsing import parse
from gamesvc.matches.clock.policy import Policy
from gamesvc.matches.clock.spans import SECOND, Span
from gamesvc.matches.events import MatchEvent

E = TypeVar("E", bound=MatchEvent)
Key = tuple[int, str]
"""A seat and the id of its question."""
Name = tuple[int, str]
"""A seat and the name of its clock: the question's id, unless the game gives another name."""

FORMAT = 8
"""Version of `as_json`. Snapshots with another version are not read."""


class Asked(Protocol):
    """A pending decision as the engine describes it."""

    @property
    def seat(self) -> int: ...
    @property
    def id(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def clock(self) -> str: ...


def name_of(asked: Asked) -> Name:
    """Return the seat of a question and the name of its clock."""
    return asked.seat, asked.clock or asked.id


@dataclass(frozen=True, slots=True)
class Step:
    """One append in the form that the clocks use, with the service's own events."""

    events: Sequence[MatchEvent]
    actor: str
    seat: int | None
    received_at: datetime
    occurred_at: datetime
    automatic: bool = False
    """Given by a conditional order: an act of its seat, but no sign that the player is there."""

    def find(self, kind: type[E]) -> E | None:
        return next((event for event in self.events if isinstance(event, kind)), None)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the account: a change of a clock, and the seconds left after it.

    `clock` is the clock as it was then; it shows how the deadline was computed.
    """

    at: datetime
    seat: int
    question: str
    what: str
    used: int
    own: int
    bank: int
    clock: Clock

    @property
    def due_at(self) -> datetime | None:
        return self.clock.due


@dataclass(frozen=True, slots=True)
class Halted:
    """A clock that an act of its own seat stopped, as it ran until then."""

    clock: Clock
    taken: timedelta
    """The time that stopping it took from the seat's bank."""
    pauses: tuple[Span, ...]
    outages: tuple[Span, ...]
    alone: bool = True
    """The seat has not been asked anything else since: it only waits."""

    def as_json(self) -> JsonObject:
        return {
            "clock": self.clock.as_json(),
            "taken": self.taken // SECOND,
            "pauses": _write_spans(self.pauses),
            "outages": _write_spans(self.outages),
            "alone": self.alone,
        }

    @classmethod
    def from_json(cls, told: JsonMapping) -> Halted:
        """Return what `as_json` wrote. Raises KeyError, TypeError or ValueError for anything else."""
        return cls(
            Clock.from_json(told["clock"]),
            told["taken"] * SECOND,
            _read_spans(told["pauses"]),
            _read_spans(told["outages"]),
            told["alone"],
        )


@dataclass(slots=True)
class Account:
    """All clocks of a match after its newest append. Banks and remaining times are whole seconds."""

    policy: Policy | None = None
    hour: timedelta = timedelta(hours=1)
    open: dict[Key, Clock] = field(default_factory=dict)
    stopped: dict[Name, Clock] = field(default_factory=dict)
    halted: dict[Name, Halted] = field(default_factory=dict)
    """Those of the stopped clocks that an act of their own seat stopped."""
    tenure: dict[Name, Clock] = field(default_factory=dict)
    """The clocks that a substitute has had and that stopped since. A rewind to before their tenure forgets none of them."""
    banks: dict[int, timedelta] = field(default_factory=dict)
    moved: frozenset[int] = frozenset()
    """Seats that have been asked for a turn. Their next turn brings an increment."""
    missed: dict[int, int] = field(default_factory=dict)
    """Timeouts of a seat in a row since its holder last acted, without the excused ones."""
    excused: dict[int, int] = field(default_factory=dict)
    """Excused timeouts of a seat's holder."""
    seated: dict[int, int] = field(default_factory=dict)
    """Number of times a seat has changed its holder."""
    fresh_clocks: frozenset[int] = frozenset()
    """Seats whose newest holder got fresh clocks (`Seated.fresh_clocks`): their clocks follow from the log in a pause too."""
    paused_since: datetime | None = None
    pauses: tuple[Span, ...] = ()
    """Pauses of the match, newest last. A clock that is restored did not run during them."""
    outages: tuple[Span, ...] = ()
    """Outages of the service that moved a deadline of the match, newest last."""
    at: datetime | None = None
    lines: list[Line] | None = None

    def copy(self) -> Account:
        return replace(
            self,
            open=dict(self.open),
            stopped=dict(self.stopped),
            halted=dict(self.halted),
            tenure=dict(self.tenure),
            banks=dict(self.banks),
            missed=dict(self.missed),
            excused=dict(self.excused),
            seated=dict(self.seated),
        )

    def bank(self, seat: int) -> timedelta:
        return self.banks.get(seat, self.policy.bank.start if self.policy and self.policy.bank else ZERO)

    def due(self, key: Key) -> datetime | None:
        """Return the deadline of an open question; None while its clock is stopped."""
        found = self.open.get(key)
        return found.due if found is not None else None

    def note(self, key: Key, what: str, at: datetime, used: timedelta = ZERO) -> None:
        if self.lines is None:
            return
        clock = self.open[key]
        left = clock.own // SECOND
        self.lines.append(Line(at, *key, what, used // SECOND, left, self.bank(key[0]) // SECOND, clock))

    # --- as stored in snapshots ---

    def as_json(self) -> JsonObject:
        return {
            "format": FORMAT,
            "policy": dict(self.policy.told) if self.policy is not None else None,
            "open": [[*key, clock.as_json()] for key, clock in self.open.items()],
            "stopped": [[*key, clock.as_json()] for key, clock in self.stopped.items()],
            "halted": [[*key, halted.as_json()] for key, halted in self.halted.items()],
            "tenure": [[*key, clock.as_json()] for key, clock in self.tenure.items()],
            "banks": [[seat, left // SECOND] for seat, left in self.banks.items()],
            "moved": sorted(self.moved),
            "missed": [list(one) for one in sorted(self.missed.items())],
            "excused": [list(one) for one in sorted(self.excused.items())],
            "seated": [list(one) for one in sorted(self.seated.items())],
            "fresh_clocks": sorted(self.fresh_clocks),
            "pauses": _write_spans(self.pauses),
            "outages": _write_spans(self.outages),
            "paused_since": write_time(self.paused_since) if self.paused_since is not None else None,
            "at": write_time(self.at) if self.at is not None else None,
        }

    @classmethod
    def from_json(cls, told: JsonMapping, hour: timedelta) -> Account:
        """Return the account that `as_json` wrote. Raises KeyError, TypeError or ValueError for anything else."""
        if told["format"] != FORMAT:
            raise ValueError("another format")
        return cls(
            policy=parse(told["policy"], hour, judge=False) if told["policy"] is not None else None,
            hour=hour,
            open={(seat, question): Clock.from_json(clock) for seat, question, clock in told["open"]},
            stopped={(seat, name): Clock.from_json(clock) for seat, name, clock in told["stopped"]},
            halted={(seat, name): Halted.from_json(halted) for seat, name, halted in told["halted"]},
            tenure={(seat, name): Clock.from_json(clock) for seat, name, clock in told["tenure"]},
            banks={seat: left * SECOND for seat, left in told["banks"]},
            moved=frozenset(told["moved"]),
            missed=dict(told["missed"]),
            excused=dict(told["excused"]),
            seated=dict(told["seated"]),
            fresh_clocks=frozenset(told["fresh_clocks"]),
            pauses=_read_spans(told["pauses"]),
            outages=_read_spans(told["outages"]),
            paused_since=_read(told["paused_since"]),
            at=_read(told["at"]),
        )


def _write_spans(spans: Sequence[Span]) -> list[list[str]]:
    return [[write_time(start), write_time(end)] for start, end in spans]


def _read_spans(told: Sequence[Sequence[str]]) -> tuple[Span, ...]:
    return tuple(Span(read(start), read(end)) for start, end in told)


def _read(text: str | None) -> datetime | None:
    return read(text) if text is not None else None
