"""Cards in play: how they come and go, fight, and change. Every `name` is a card id; every `card` is an instance id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NotRequired, TypedDict

from gamesvc.games.space_war.events.base import WarEvent


class NewPiece(TypedDict):
    """A card that comes into play (`state.Piece`). `on`: the piece it is attached to; `x`: the chosen cost."""

    id: str
    card: str
    owner: int
    controller: int
    zone: int
    entered: int
    zone_turn: int
    order: int
    dormant: bool
    on: NotRequired[str]
    x: NotRequired[int]


class Hit(TypedDict):
    """Damage to a card: its damage and counters afterwards, and the amount dealt. `stunned`: paralyzed instead of destroyed."""

    damage: int
    counters: int
    stunned: bool
    amount: int


# --- coming and going ---


@dataclass(frozen=True, slots=True)
class EnteredPlay(WarEvent):
    """A card that was played comes into play."""

    TYPE = "entered_play"
    piece: NewPiece


@dataclass(frozen=True, slots=True)
class PutIntoPlay(WarEvent):
    """An effect puts a card into play."""

    TYPE = "put_into_play"
    piece: NewPiece


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftPlay(WarEvent):
    """Cards leave play at the same time."""

    TYPE = "left_play"
    cards: Sequence[str]
    to: str
    """The owner's `discard` pile or `hand`."""
    reason: str
    """`destroyed`, `discarded` or `returned`."""
    names: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved(WarEvent):
    """A card moves to the other zone."""

    TYPE = "moved"
    card: str
    name: str
    zone: int
    turn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlChanged(WarEvent):
    """A seat takes control of a card and of those attached to it."""

    TYPE = "control_changed"
    cards: Sequence[str]
    name: str
    seat: int
    borrowed: bool
    """Control returns at the end of the turn."""


# --- acts ---


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackDeclared(WarEvent):
    """A card attacks another card, or the enemy station if `target` is None."""

    TYPE = "attack_declared"
    attacker: str
    name: str
    target: str | None
    target_name: str | None
    power: int
    used: Mapping[str, int]
    """The number of attacks made this turn by the attacker, and by the card it is attached to."""
    turn: int
    seat: int
    slots: Sequence[str]
    """The station slots to flip."""


@dataclass(frozen=True, slots=True)
class AttackResolved(WarEvent):
    """An attack has dealt its damage."""

    TYPE = "attack_resolved"
    attacker: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Collided(WarEvent):
    """A spaceship collides with a card, or with the enemy station if `target` is None."""

    TYPE = "collided"
    card: str
    name: str
    target: str | None
    target_name: str | None
    power: int
    counters: int
    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AbilityUsed(WarEvent):
    """A card in play uses its ability."""

    TYPE = "ability_used"
    card: str
    name: str
    counters: int
    """The counters left on it."""
    targets: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class CommanderUsed(WarEvent):
    """A seat uses its commander."""

    TYPE = "commander_used"
    seat: int
    name: str
    actions: int
    """The actions that the seat has left."""
    charge: int
    """The Charges that the commander has now."""


# --- changes ---


@dataclass(frozen=True, slots=True)
class Damaged(WarEvent):
    """Cards are damaged at the same time."""

    TYPE = "damaged"
    hits: Mapping[str, Hit]
    names: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Repaired(WarEvent):
    """A card is repaired."""

    TYPE = "repaired"
    card: str
    name: str
    damage: int
    """The damage left."""
    amount: int
    freed: bool
    """It was paralyzed."""


@dataclass(frozen=True, slots=True)
class Paralyzed(WarEvent):
    """Cards are paralyzed."""

    TYPE = "paralyzed"
    cards: Sequence[str]
    names: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Protected(WarEvent):
    """A card cannot be attacked in this turn."""

    TYPE = "protected"
    card: str
    name: str
    turn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CountersChanged(WarEvent):
    """A card gets counters, or loses some. `seat` and `actions`: the seat turned them into actions, and what it has now."""

    TYPE = "counters_changed"
    card: str
    name: str
    counters: int
    change: int
    seat: int | None = None
    actions: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Transformed(WarEvent):
    """A spaceship is repaired, and its attack and defense are swapped."""

    TYPE = "transformed"
    card: str
    name: str
    attack: int
    defense: int


KINDS: tuple[type[WarEvent], ...] = (
    EnteredPlay, PutIntoPlay, LeftPlay, Moved, ControlChanged, AttackDeclared, AttackResolved, Collided, AbilityUsed,
    CommanderUsed, Damaged, Repaired, Paralyzed, Protected, CountersChanged, Transformed,
)  # fmt: skip
