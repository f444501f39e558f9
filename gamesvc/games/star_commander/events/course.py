"""Events of the course of a match: set-up, turns, questions, standing orders, elimination and the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

from gamesvc.games.kernel.typed import TypedEvent
from gamesvc.json_types import JsonMapping

# --- set-up, turns and phases ---


@dataclass(frozen=True, slots=True, kw_only=True)
class GameSetUp(TypedEvent):
    """All decks are shuffled, and the grid is laid out."""

    TYPE = "game_set_up"
    edition: str
    grid: int
    trade: bool
    lethal: str
    turn_limit: int
    cells: Sequence[tuple[str, str, int | None]]
    """Name, card, and the seat whose Homeworld it is."""
    undealt: Sequence[str]
    """The systems left over."""
    decks: Mapping[str, Sequence[str]]
    """The uids of each domain, in order."""
    faces: Mapping[str, str]
    """The card of each uid."""
    supply: Mapping[str, int]
    """The number of core vessels left, by card."""
    credits: Sequence[int]
    vessels: Sequence[tuple[str, str, int, str]]
    """Id, card, seat and cell."""
    first: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStarted(TypedEvent):
    """The turn of a seat begins."""

    TYPE = "turn_started"
    seat: int
    turn: int
    extra: bool
    queue: Sequence[int]
    """The seats of the extra turns still to come."""
    abandoned: Mapping[str, Sequence[str]]
    """The fighters alone in cells that their seat does not control, by cell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseEntered(TypedEvent):
    """A phase of the turn begins, or a window of a combat opens."""

    TYPE = "phase_entered"
    phase: str
    window: str | None
    priority: int | None
    """The first seat to respond in the window."""
    passed: Sequence[int] | None = None
    """Seats that passed the window in advance. None where no window opens, and in matches of rules 1.0."""


@dataclass(frozen=True, slots=True)
class TurnEnded(TypedEvent):
    """The turn of a seat is over."""

    TYPE = "turn_ended"
    seat: int
    turn: int


@dataclass(frozen=True, slots=True)
class ExtraTurnQueued(TypedEvent):
    """A seat gains an extra turn."""

    TYPE = "extra_turn_queued"
    seat: int


# --- questions and standing orders ---


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceRequested(TypedEvent):
    """The match waits for a decision of a seat. `uid`, `card` and `domain` are of a top card that the seat looks at."""

    TYPE = "choice_requested"
    prompt: str
    seat: int
    what: str
    """The name of the choice or window; empty where the prompt says all."""
    number: int
    work: Sequence[JsonMapping]
    """The steps that remain, the waiting one last."""
    asked: Sequence[int] = ()
    """Seats behind this one that may answer already."""
    uid: str | None = None
    card: str | None = None
    domain: str | None = None


@dataclass(frozen=True, slots=True)
class ChoiceMade(TypedEvent):
    """A seat answers a question that is no command of its own."""

    TYPE = "choice_made"
    seat: int
    what: str
    value: str


class AutoData(TypedDict):
    """An automatic play (`state.Auto`)."""

    play: str
    on: Sequence[str]
    by: int | None
    only_concerned: bool


class OrdersData(TypedDict):
    """Standing orders (`state.Orders`)."""

    commands: str
    abilities: str
    actions: str
    combat: Mapping[str, str]
    always_ask: Sequence[str]
    auto: Sequence[AutoData]
    assign: str
    retreat: str
    draw: Sequence[str]


@dataclass(frozen=True, slots=True)
class StandingOrdersSet(TypedEvent):
    """A seat changes its standing orders."""

    TYPE = "standing_orders_set"
    seat: int
    orders: OrdersData
    """All of them, with the ones that stay."""


# --- elimination and the end ---


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerEliminated(TypedEvent):
    """A seat is out of the match and gives up all it had."""

    TYPE = "player_eliminated"
    seat: int
    cause: str
    with_seats: Sequence[int]
    """Seats eliminated at the same moment."""
    vessels: Sequence[tuple[str, str]]
    """Id and domain."""
    cells: Sequence[str]
    cards: Sequence[tuple[str, str, str]]
    """Uid, domain and card, from hand, technologies and stack."""
    stack: Sequence[int]
    """Its items on the stack."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameEnded(TypedEvent):
    """The match is over."""

    TYPE = "game_ended"
    reason: str
    ranking: Sequence[Sequence[int]]
    scores: Sequence[int]
