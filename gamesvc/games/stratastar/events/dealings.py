"""Events between empires: treaties, offers, battles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gamesvc.games.stratastar.events.shapes import Cards, Counts, Losses, Seats, StratastarEvent
from gamesvc.games.stratastar.state import Seat, Space

# --- treaties and offers ---


@dataclass(frozen=True, slots=True)
class TreatyMade(StratastarEvent):
    """A seat makes a treaty with another, until the end of its own turn with the number `until`."""

    TYPE = "treaty_made"
    seat: Seat
    partner: Seat
    until: int


@dataclass(frozen=True, slots=True)
class TreatyEnded(StratastarEvent):
    """A treaty expires."""

    TYPE = "treaty_ended"
    seat: Seat
    partner: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferMade(StratastarEvent):
    """A seat offers cards for cards, to one seat or (`to` None) to anyone."""

    TYPE = "offer_made"
    id: int
    seat: Seat
    to: Seat | None
    give: Counts
    want: Counts
    keep: bool
    wait: bool


@dataclass(frozen=True, slots=True)
class OfferWithdrawn(StratastarEvent):
    """A seat takes its offer back."""

    TYPE = "offer_withdrawn"
    id: int
    seat: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferRejected(StratastarEvent):
    """A seat rejects an offer made to it."""

    TYPE = "offer_rejected"
    id: int
    seat: Seat
    """The seat that made it."""
    by: Seat
    auto: bool
    """Rejected by a standing order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferVoid(StratastarEvent):
    """A seat accepts an offer, but the cards are gone."""

    TYPE = "offer_void"
    id: int
    seat: Seat
    """The seat that made it."""
    by: Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class CardsSwapped(StratastarEvent):
    """Two seats swap cards by an offer."""

    TYPE = "cards_swapped"
    id: int
    seat: Seat
    """The seat that made it."""
    by: Seat
    give: Cards
    want: Cards
    open: bool
    """The offer was made to anyone."""


# --- battles ---


@dataclass(frozen=True, slots=True)
class CallsOpened(StratastarEvent):
    """Seats are asked to call a battle at the end of another seat's turn."""

    TYPE = "calls_opened"
    seats: Seats


@dataclass(frozen=True, slots=True, kw_only=True)
class BattleDeclared(StratastarEvent):
    """A seat starts a battle."""

    TYPE = "battle_declared"
    id: int
    seat: Seat
    space: Space
    participants: Seats
    waiting: Seats
    """The participants that can commit cards."""
    called: bool
    """By another than the active seat."""
    auto: bool
    """By a standing order."""


@dataclass(frozen=True, slots=True)
class AttackCommitted(StratastarEvent):
    """A seat commits cards to the battle."""

    TYPE = "attack_committed"
    seat: Seat
    cards: Cards
    auto: bool
    """By a standing order."""


@dataclass(frozen=True, slots=True)
class AttacksRevealed(StratastarEvent):
    """All commitments are revealed and discarded."""

    TYPE = "attacks_revealed"
    space: Space
    commits: Mapping[str, Cards]
    """By the number of the seat."""


@dataclass(frozen=True, slots=True)
class BattleResolved(StratastarEvent):
    """The forces are compared."""

    TYPE = "battle_resolved"
    space: Space
    forces: Mapping[str, int]
    """By the number of the seat."""
    winner: Seat | None


@dataclass(frozen=True, slots=True)
class BattleCancelled(StratastarEvent):
    """A battle does not take place."""

    TYPE = "battle_cancelled"
    space: Space


@dataclass(frozen=True, slots=True)
class UnitsDestroyed(StratastarEvent):
    """The losers of a battle lose all that they have in its space."""

    TYPE = "units_destroyed"
    space: Space
    losses: Mapping[str, Losses]
    """By the number of the seat."""


@dataclass(frozen=True, slots=True)
class HomeworldCaptured(StratastarEvent):
    """A seat wins a battle at the Homeworld of another."""

    TYPE = "homeworld_captured"
    seat: Seat
    owner: Seat
    space: Space


KINDS: tuple[type[StratastarEvent], ...] = (
    TreatyMade, TreatyEnded, OfferMade, OfferWithdrawn, OfferRejected, OfferVoid, CardsSwapped,
    CallsOpened, BattleDeclared, AttackCommitted, AttacksRevealed, BattleResolved, BattleCancelled, UnitsDestroyed,
    HomeworldCaptured,
)  # fmt: skip
