"""Events of the board: systems, developments, vessels, lasting effects and damage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

from gamesvc.games.kernel.typed import TypedEvent

# --- systems ---


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemExplored(TypedEvent):
    """A face-down system is turned up."""

    TYPE = "system_explored"
    seat: int
    cell: str
    card: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DevelopmentPlaced(TypedEvent):
    """A seat places developments in a system."""

    TYPE = "development_placed"
    seat: int
    cell: str
    amount: int
    devs: int
    """All that are there then."""
    first: bool
    """The seat never developed this system before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DevelopmentsRemoved(TypedEvent):
    """A system loses developments to a seat."""

    TYPE = "developments_removed"
    cell: str
    amount: int
    devs: int
    """All that are left."""
    seat: int
    cause: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlChanged(TypedEvent):
    """A system changes hands."""

    TYPE = "control_changed"
    cell: str
    seat: int | None
    before: int | None
    devs: int
    cause: str


# --- vessels ---


@dataclass(frozen=True, slots=True, kw_only=True)
class ShipsJumped(TypedEvent):
    """Ships jump together from one cell to another."""

    TYPE = "ships_jumped"
    seat: int
    ships: Sequence[str]
    carried: Sequence[str]
    """The fighters aboard them."""
    from_cell: str
    to: str
    marks: Sequence[int]
    """The modifiers that the jump uses up."""
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShipMoved(TypedEvent):
    """An effect moves a ship without a jump."""

    TYPE = "ship_moved"
    ship: str
    card: str
    from_cell: str
    to: str
    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VesselBuilt(TypedEvent):
    """A seat gets a new vessel."""

    TYPE = "vessel_built"
    seat: int
    vessel: str
    card: str
    cell: str
    paid: int
    uid: str | None
    """Of a domain card; None for a core vessel."""
    turn: int


class Gone(TypedDict):
    """A destroyed vessel: `seat` controlled it."""

    id: str
    card: str
    uid: str | None
    seat: int
    cell: str
    domain: str


@dataclass(frozen=True, slots=True)
class VesselDestroyed(TypedEvent):
    """Vessels are destroyed together."""

    TYPE = "vessel_destroyed"
    vessels: Sequence[Gone]
    cause: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VesselScrapped(TypedEvent):
    """A seat scraps a ship of its own."""

    TYPE = "vessel_scrapped"
    seat: int
    vessel: str
    card: str
    cell: str
    domain: str
    refund: int


class HandedOver(TypedDict):
    """A vessel that changes hands, and the seat that controlled it before."""

    id: str
    card: str
    before: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VesselControlChanged(TypedEvent):
    """Vessels come under the control of a seat."""

    TYPE = "vessel_control_changed"
    vessels: Sequence[HandedOver]
    seat: int
    turn: int
    cause: str


# --- lasting effects and damage ---


class NewModifier(TypedDict):
    """A lasting effect before it has its id (`state.Modifier`)."""

    kind: str
    vessel: str
    amount: int
    source: str
    seat: int
    until: str
    until_seat: int
    cell: str
    untargetable: bool


class ModifierData(NewModifier):
    """A lasting effect on a vessel."""

    id: int


@dataclass(frozen=True, slots=True)
class ModifierAdded(TypedEvent):
    """Lasting effects on vessels begin."""

    TYPE = "modifier_added"
    modifiers: Sequence[ModifierData]


@dataclass(frozen=True, slots=True)
class ModifiersExpired(TypedEvent):
    """Lasting effects end with a turn, or as one begins."""

    TYPE = "modifiers_expired"
    modifiers: Sequence[int]


class Hit(TypedDict):
    """The damage of one source to one vessel."""

    source: str
    vessel: str
    card: str
    amount: int
    prevented: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DamageDealt(TypedEvent):
    """Vessels take damage together."""

    TYPE = "damage_dealt"
    hits: Sequence[Hit]
    damage: Mapping[str, int]
    """All damage that each of them then has."""
    cause: str


@dataclass(frozen=True, slots=True)
class DamageCleared(TypedEvent):
    """The damage of vessels is repaired at the end of a turn."""

    TYPE = "damage_cleared"
    vessels: Sequence[str]
