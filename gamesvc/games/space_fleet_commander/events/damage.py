"""The events of the tracks for sabotage and time, and those of hits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from gamesvc.games.kernel.typed import TypedEvent
from gamesvc.games.space_fleet_commander.events.base import PhaseEvent, SheetEvent
from gamesvc.games.space_fleet_commander.state import Colour, Face, Slot, Step


@dataclass(frozen=True, slots=True, kw_only=True)
class SabotageMarked(SheetEvent):
    """A sabotage cell is marked."""

    TYPE = "sabotage_marked"
    cell: int
    icon: str
    """The icon printed there: `damage`, `time`, or empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeMarked(SheetEvent):
    """A time box is marked."""

    TYPE = "time_marked"
    source: str
    box: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeIgnored(SheetEvent):
    """A Temporal Buoy prevents the loss of time."""

    TYPE = "time_ignored"
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HitRolled(PhaseEvent):
    """Two dice are rolled for a hit."""

    TYPE = "hit_rolled"
    source: str
    a: Face
    b: Face
    plot: Slot | Literal[""]
    """The slot of the roll; empty for a roll that belongs to none."""
    todo: Sequence[Step]
    """The steps that follow the choice; none unless there is a choice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HitMissed(SheetEvent):
    """A hit strikes no live ship."""

    TYPE = "hit_missed"
    source: str
    plot: Slot | Literal[""]


@dataclass(frozen=True, slots=True, kw_only=True)
class HospitalUsed(SheetEvent):
    """A Hospital Barge has a hit rolled again."""

    TYPE = "hospital_used"
    slot: Slot


@dataclass(frozen=True, slots=True, kw_only=True)
class HitRedirected(SheetEvent):
    """A Bulwark Ship takes a hit for its neighbour."""

    TYPE = "hit_redirected"
    source: str
    origin: Slot
    """The slot of the neighbour."""
    slot: Slot
    """Of the Bulwark Ship."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShipDamaged(PhaseEvent):
    """A ship takes a hit."""

    TYPE = "ship_damaged"
    slot: Slot
    damage: int
    """All damage of the ship so far."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShipDestroyed(SheetEvent):
    """A ship's damage reaches its hull; its dice are lost."""

    TYPE = "ship_destroyed"
    slot: Slot
    ship: str
    dice_lost: Sequence[str]
    colours: Mapping[str, Colour]
    """The dice that change their colours, because the ship was a Drone Boat."""


KINDS: tuple[type[TypedEvent], ...] = (
    SabotageMarked,
    TimeMarked,
    TimeIgnored,
    HitRolled,
    HitMissed,
    HospitalUsed,
    HitRedirected,
    ShipDamaged,
    ShipDestroyed,
)
