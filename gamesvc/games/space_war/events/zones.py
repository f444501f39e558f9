"""Cards outside play: piles, hands and stations. Every name in `name` and `names` is a card id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gamesvc.games.space_war.events.base import WarEvent

# --- piles and hands ---


@dataclass(frozen=True, slots=True, kw_only=True)
class PileOrdered(WarEvent):
    """A draw pile gets a new order, its top card first."""

    TYPE = "pile_ordered"
    seat: int
    order: Sequence[str]
    cards: Mapping[str, str] | None = None
    """The card id of each instance, at the opening alone."""
    known: int | None = None
    """The number of cards on top that an effect put there. None for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardsDrawn(WarEvent):
    """A seat draws cards."""

    TYPE = "cards_drawn"
    seat: int
    cards: Sequence[str]
    names: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardsMilled(WarEvent):
    """Cards go from the top of a draw pile to the discard pile."""

    TYPE = "cards_milled"
    seat: int
    cards: Sequence[str]
    names: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardsDiscarded(WarEvent):
    """A seat loses cards from its hand or station to its discard pile."""

    TYPE = "cards_discarded"
    seat: int
    cards: Sequence[str]
    names: Sequence[str]
    random: bool = False
    """They were drawn at random."""
    chosen: bool = False
    """The other seat chose them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardsReturned(WarEvent):
    """Cards go to their owner's hand, or onto their owner's draw pile."""

    TYPE = "cards_returned"
    seat: int
    cards: Sequence[str]
    to: str
    """`hand` or `pile`."""
    shown: Sequence[str]
    """The cards that everyone sees."""
    origins: Sequence[str]
    """The place that each card comes from."""
    names: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardPlayed(WarEvent):
    """A seat pays for a card and shows it."""

    TYPE = "card_played"
    seat: int
    card: str
    name: str
    x: int
    """The chosen cost, for cards without a printed one."""
    cost: int
    origin: str
    """`hand` or `station`."""


@dataclass(frozen=True, slots=True)
class CardResolved(WarEvent):
    """A played card has done its work and goes to the discard pile."""

    TYPE = "card_resolved"
    card: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked(WarEvent):
    """A seat looks at cards of its draw pile."""

    TYPE = "looked"
    seat: int
    what: str
    """`draw pile` or `top cards`."""
    count: int


# --- stations ---


@dataclass(frozen=True, slots=True, kw_only=True)
class StationAdded(WarEvent):
    """A card goes face down into its owner's station."""

    TYPE = "station_added"
    seat: int
    slot: str
    row: str
    card: str
    name: str
    shown: bool
    """Everyone saw which card it is."""
    managed: bool
    """It was the station management of the turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StationMoved(WarEvent):
    """Station cards move to another row."""

    TYPE = "station_moved"
    seat: int
    slots: Sequence[str]
    row: str
    managed: bool
    """It was the station management of the turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StationFlipped(WarEvent):
    """Station cards are flipped face up."""

    TYPE = "station_flipped"
    seat: int
    slots: Sequence[str]
    item: int
    """The open item within which they are flipped: only the owner sees the cards until it is settled. 0 for none."""
    cards: Mapping[str, str]
    """The instance in each slot."""
    names: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class StationUnflipped(WarEvent):
    """Station cards are repaired: they are turned face down again."""

    TYPE = "station_unflipped"
    seat: int
    slots: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class StationLeft(WarEvent):
    """Station cards go to their owner's hand, unseen."""

    TYPE = "station_left"
    seat: int
    cards: Sequence[str]
    to: str
    """`hand`."""
    slots: Sequence[str]
    shown: Sequence[str]
    names: Sequence[str]
    origins: Sequence[str]


KINDS: tuple[type[WarEvent], ...] = (
    PileOrdered, CardsDrawn, CardsMilled, CardsDiscarded, CardsReturned, CardPlayed, CardResolved, Looked,
    StationAdded, StationMoved, StationFlipped, StationUnflipped, StationLeft,
)  # fmt: skip
