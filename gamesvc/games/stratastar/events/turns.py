"""Events of the course of a match: the beginning, turns and their phases, seats that leave, the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from gamesvc.games.kernel.game import Data
from gamesvc.games.stratastar.events.shapes import Abilities, Cards, Group, Seats, StratastarEvent
from gamesvc.games.stratastar.state import Ability, Chit, Seat, Space

# --- the beginning ---


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardLaid(StratastarEvent):
    """The map is laid, and the order of placement drawn."""

    TYPE = "board_laid"
    options: Data
    chits: Mapping[Space, Chit]
    unknown: Sequence[Space]
    pile: Mapping[Chit, int]
    """The chits that have not been drawn; empty without exploration."""
    placement: Seats
    abilities: Sequence[Abilities]
    """Those of each seat from the start."""
    when_unable: Literal["ask", "pass"] | None = None
    """The standing order that all seats begin with. None in matches begun before there was a `pace`."""


@dataclass(frozen=True, slots=True)
class HomeworldPlaced(StratastarEvent):
    """A seat has its Homeworld in a corner."""

    TYPE = "homeworld_placed"
    seat: Seat
    corner: Space
    next: Seat | None
    """The seat that places its Homeworld after this one; None after the last."""


@dataclass(frozen=True, slots=True)
class HazardRemoved(StratastarEvent):
    """A hazard is taken off the map because a Homeworld was closed in."""

    TYPE = "hazard_removed"
    space: Space
    kind: Chit


@dataclass(frozen=True, slots=True)
class TurnOrderSet(StratastarEvent):
    """The order of turns is fixed."""

    TYPE = "turn_order_set"
    order: Seats


@dataclass(frozen=True, slots=True, kw_only=True)
class HandsDealt(StratastarEvent):
    """Every seat gets its first hand and its first pieces."""

    TYPE = "hands_dealt"
    hands: Sequence[Cards]
    deck: Cards
    fleets: int
    stargates: int


@dataclass(frozen=True, slots=True)
class DraftOpened(StratastarEvent):
    """Abilities are drafted before the first turn."""

    TYPE = "draft_opened"
    seats: Seats
    pool: Abilities


@dataclass(frozen=True, slots=True, kw_only=True)
class AbilityGained(StratastarEvent):
    """A seat gains an ability: dealt, drafted, or by a breakthrough."""

    TYPE = "ability_gained"
    seat: Seat
    ability: Ability
    choice: Abilities
    """Those that the next seat of a draft picks from."""


# --- course of a turn ---


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStarted(StratastarEvent):
    """A seat's turn begins."""

    TYPE = "turn_started"
    seat: Seat
    turn: int
    round: int
    own_turn: int
    """The number of turns that the seat has had, with this one."""
    offers_ended: Sequence[int]
    unasked: Seats = ()
    """The seats that could have called a battle at the end of the turn before and were not asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseEnded(StratastarEvent):
    """The active seat ends a phase."""

    TYPE = "phase_ended"
    seat: Seat
    phase: str
    next: str
    clears_raids: bool
    offers_ended: Sequence[int]
    free_move: bool


@dataclass(frozen=True, slots=True)
class CardsDiscarded(StratastarEvent):
    """The active seat discards cards before it draws."""

    TYPE = "cards_discarded"
    seat: Seat
    cards: Cards


@dataclass(frozen=True, slots=True)
class CardsDrawn(StratastarEvent):
    """A seat draws the next cards of the deck."""

    TYPE = "cards_drawn"
    seat: Seat
    cards: Cards


@dataclass(frozen=True, slots=True)
class DeckReshuffled(StratastarEvent):
    """The discard pile is shuffled into a new deck."""

    TYPE = "deck_reshuffled"
    deck: Cards


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetsDisbanded(StratastarEvent):
    """The active seat supports its fleets with Build cards and disbands the rest."""

    TYPE = "fleets_disbanded"
    seat: Seat
    builds: Cards
    disband: Sequence[Group]


@dataclass(frozen=True, slots=True)
class OrdersSet(StratastarEvent):
    """A seat changes its standing orders. `orders` has all of them, also those that stay."""

    TYPE = "orders_set"
    seat: Seat
    orders: Mapping[str, str | Sequence[str]]


# --- leaving and ending ---


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatEliminated(StratastarEvent):
    """A seat leaves the game."""

    TYPE = "seat_eliminated"
    seat: Seat
    cause: Literal["resigned", "captured"]
    by: Seat | None
    hand: Cards
    world: Space | None
    """The captured Homeworld, which becomes a world."""
    next: Seat | None
    """The seat that chooses in its place, before the first turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameOver(StratastarEvent):
    """The match ends."""

    TYPE = "game_over"
    reason: str
    ranking: Sequence[Seats]
    """Groups of equal seats, the winners first."""
    scores: Sequence[int]


KINDS: tuple[type[StratastarEvent], ...] = (
    BoardLaid, HomeworldPlaced, HazardRemoved, TurnOrderSet, HandsDealt, DraftOpened, AbilityGained,
    TurnStarted, PhaseEnded, CardsDiscarded, CardsDrawn, DeckReshuffled, FleetsDisbanded, OrdersSet,
    SeatEliminated, GameOver,
)  # fmt: skip
