"""Events of what the seats hold: credits and cards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gamesvc.games.kernel.typed import TypedEvent

Card = tuple[str, str]
"""A uid and the id of its card."""

# --- credits ---


@dataclass(frozen=True, slots=True, kw_only=True)
class CreditsGained(TypedEvent):
    """A seat receives credits."""

    TYPE = "credits_gained"
    seat: int
    amount: int
    credits: int
    """All that it has then."""
    sources: Sequence[tuple[str, int]]
    """A cell, a card or a reason, and its share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CreditsSpent(TypedEvent):
    """A seat pays."""

    TYPE = "credits_spent"
    seat: int
    amount: int
    credits: int
    """All that it has left."""
    why: str


# --- cards ---


@dataclass(frozen=True, slots=True, kw_only=True)
class CardDrawn(TypedEvent):
    """A seat draws the top card of a deck."""

    TYPE = "card_drawn"
    seat: int
    domain: str
    uid: str
    card: str
    left: int
    """The number of cards left in the deck."""


@dataclass(frozen=True, slots=True)
class DrawSkipped(TypedEvent):
    """A seat cannot draw."""

    TYPE = "draw_skipped"
    seat: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CardDiscarded(TypedEvent):
    """A card goes to its discard pile."""

    TYPE = "card_discarded"
    seat: int
    uid: str
    card: str
    domain: str
    source: str
    """`hand`, `stack` or `deck`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeckReshuffled(TypedEvent):
    """A discard pile becomes the new deck, under new uids."""

    TYPE = "deck_reshuffled"
    domain: str
    deck: Sequence[Card]
    gone: Sequence[str]
    """The uids that the cards had before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandShown(TypedEvent):
    """A seat shows its hand to another one, or to all."""

    TYPE = "hand_shown"
    seat: int
    to: int | None
    """None: all seats."""
    cards: Sequence[Card]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardTaken(TypedEvent):
    """A seat takes a card from another one's hand."""

    TYPE = "card_taken"
    seat: int
    victim: int
    uid: str
    card: str
    public: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TechnologyPlaced(TypedEvent):
    """A seat places a technology from its hand."""

    TYPE = "technology_placed"
    seat: int
    uid: str
    card: str
