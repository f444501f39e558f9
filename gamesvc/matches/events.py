"""The service's own events, typed: what each one says, and the names under which it is stored (`kernel.typed`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, Self

from gamesvc.games.kernel import events as kernel
from gamesvc.games.kernel.game import Data
from gamesvc.games.kernel.typed import TypedEvent, by_type, keys_of
from gamesvc.json_types import JsonObject


class Written(Protocol):
    """An event of the kernel, or one of the store: both name the service's own types alike."""

    @property
    def type(self) -> str: ...
    @property
    def data(self) -> Data: ...


class MatchEvent(TypedEvent):
    """The content of one event of the service."""

    __slots__ = ()


# --- before the start ---


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened(MatchEvent):
    """The match with all that was agreed on before anyone took a seat. Matches that bots play for the record have no clock."""

    TYPE = "match.opened"
    game: str
    rules: str
    options: Data
    seats: int
    clock: Data | None = None
    commitment: str
    """To the secret behind all draws."""
    entry: str | None = None
    watch: str | None = None
    watch_delay: int | None = None
    """Hours by which spectators see the running match late. None: they see it at once."""
    press: str | None = None
    anonymous: bool | None = None
    undo: str | None = None
    reliability: Data | None = None
    """Requirements for those who join."""
    position: str | None = None
    """The commitment to the position that the match begins from, in place of the game's own setup."""
    origin: Data | None = None
    """The match that a fork comes from: `match`, `version`, `seat`."""
    board: bool = False
    """A private analysis board."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined(MatchEvent):
    """A seat is taken before the start. Matches that bots play for the record name no holder."""

    TYPE = "match.joined"
    seat: int
    holder: str = ""
    kind: str = ""
    """`user`, `program` for the bot account of a user, `bot` for one of the game's own, or `owner` of an analysis board."""
    contribution: str
    """To the draws, as a hash; empty for none."""


@dataclass(frozen=True, slots=True)
class Left(MatchEvent):
    """A seat is given back before the start."""

    TYPE = "match.left"
    seat: int


@dataclass(frozen=True, slots=True)
class Started(MatchEvent):
    """All seats are taken; the key of the draws is fixed."""

    TYPE = kernel.STARTED
    seats: int
    alone: bool = False
    """One person, with bot accounts of theirs, holds more than one seat. Nobody else plays then, and the match is not rated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Positioned(MatchEvent):
    """The position that the match begins from. While the match runs, nobody is shown what stands here."""

    TYPE = kernel.POSITIONED
    position: Data | None = None
    salt: str = ""
    dealt: Data | None = None
    """Of a fork of a seat: `seat`, and `from`, the position before all that this seat cannot see was redealt."""


# --- seats of a running match ---


@dataclass(frozen=True, slots=True, kw_only=True)
class Seated(MatchEvent):
    """A bot, a substitute or a former player plays on from a seat."""

    TYPE = kernel.SEATED
    seat: int
    holder: str
    kind: str = ""
    """`user` or `bot`."""
    returns: Mapping[str, int] | None = None
    """Of a player who comes back to their own seat: how many timeouts have been `excused` for them."""
    fresh_clocks: bool = False
    """The new holder has the full time of every question, also of one that waits behind a window. In logs without this key, only
    of those whose clock ran."""

    @property
    def excused_before(self) -> int:
        return self.returns["excused"] if self.returns is not None else 0


@dataclass(frozen=True, slots=True)
class Vacated(MatchEvent):
    """The holder of a seat has lost it, or has given it up."""

    TYPE = kernel.VACATED
    seat: int
    code: str = ""
    reason_id: str = ""


# --- time ---


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedOut(MatchEvent):
    """A seat's time for a question has run out."""

    TYPE = "match.timed_out"
    seat: int
    question: str
    due_at: str
    policy: str
    excused: bool
    in_row: int
    reminders: Sequence[Data] | None = None
    """Those sent before. None where the players' names are hidden, as others read it."""

    @property
    def key(self) -> tuple[int, str]:
        return self.seat, self.question


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadlineSet(MatchEvent):
    """A deadline, and what it was reckoned from. `because` also has what moved it (`outage`, or a `code` and a `reason_id`)."""

    TYPE = "match.deadline_set"
    seat: int
    question: str
    due_at: str
    cause: str
    because: Data

    @property
    def key(self) -> tuple[int, str]:
        return self.seat, self.question

    @property
    def code(self) -> str:
        return str(self.because.get("code", ""))

    @property
    def reason_id(self) -> str:
        return str(self.because.get("reason_id", ""))


@dataclass(frozen=True, slots=True)
class Paused(MatchEvent):
    """All clocks stop, by the will of the `host`, or of all `seats`."""

    TYPE = "match.paused"
    by: str
    code: str = ""
    reason_id: str = ""


@dataclass(frozen=True, slots=True)
class Resumed(MatchEvent):
    """The clocks go on."""

    TYPE = "match.resumed"
    by: str
    code: str = ""
    reason_id: str = ""


@dataclass(frozen=True, slots=True)
class Outage(MatchEvent):
    """The service could take no orders for a while, and deadlines of this match fell into it."""

    TYPE = "match.outage"
    from_: str
    until: str


# --- undo ---


@dataclass(frozen=True, slots=True)
class UndoAsked(MatchEvent):
    """A seat asks others to let it go back to version `to`."""

    TYPE = "match.undo_asked"
    seat: int
    to: int
    asked: Sequence[int]
    until: str


@dataclass(frozen=True, slots=True)
class UndoAnswered(MatchEvent):
    """A word about the request with this version, or its end. `seat`: None where nobody gave it."""

    TYPE = "match.undo_answered"
    request: int
    seat: int | None
    answer: str
    """`accepted`, `declined`, `withdrawn` or `lapsed`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewound(MatchEvent):
    """The match goes back, or forward again, to version `to`."""

    TYPE = kernel.REWOUND
    to: int
    cause: str = ""
    """`undo`, `redo` or `host`; any other is a game's own."""
    seat: int | None = None
    private: bool = False
    """Nobody but the seat has seen what it undoes."""
    code: str = ""
    reason_id: str = ""
    kept: Sequence[int] = ()
    """The versions that hold all the same."""
    data: Data | None = None
    """Draws that the game made again, and what it gives back. None where it is hidden."""
    more: Data = field(default_factory=dict)
    """Further facts of a game that rewinds by itself."""

    @classmethod
    def of(cls, data: Data) -> Self:
        known = {name: data[key] for name, key, _default in keys_of(cls)[:-1] if key in data}
        return cls(**known, more={key: value for key, value in data.items() if key not in known})

    def as_json(self) -> JsonObject:
        told = MatchEvent.as_json(self)
        more = told.pop("more")
        return {**told, **more}


# --- organisers, operators, the end ---


@dataclass(frozen=True, slots=True)
class Looked(MatchEvent):
    """An operator has seen what a seat saw at a version."""

    TYPE = "match.looked"
    seat: int
    version: int
    look_id: str


@dataclass(frozen=True, slots=True)
class Ended(MatchEvent):
    """The end of the match, with the secret that opens all draws. `outcome`: None where nobody has won anything."""

    TYPE = "match.ended"
    reason: str
    outcome: Data | None
    secret: str
    code: str = ""
    reason_id: str = ""


class Reasoned(Protocol):
    """An event that may name an organiser's reason: a code for all to read, and the id of the words."""

    @property
    def code(self) -> str: ...
    @property
    def reason_id(self) -> str: ...


KINDS: Mapping[str, type[MatchEvent]] = by_type((
    Opened, Joined, Left, Started, Positioned, Seated, Vacated, TimedOut, DeadlineSet, Paused, Resumed, Outage,
    UndoAsked, UndoAnswered, Rewound, Looked, Ended,
))  # fmt: skip


def read_event(event: Written) -> MatchEvent | None:
    """Return what an event of the service says; None for one of a game. Raises TypeError where something is missing."""
    kind = KINDS.get(event.type)
    return kind.of(event.data) if kind is not None else None


def read_events(events: Iterable[Written]) -> list[MatchEvent]:
    """Return what the events of the service among these say, in order."""
    return [kind.of(event.data) for event in events if (kind := KINDS.get(event.type)) is not None]
