"""The events that set up a match, and those in which a fleet is formed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypedDict

from gamesvc.games.kernel.typed import TypedEvent
from gamesvc.games.space_fleet_commander.events.base import Pool, SheetEvent
from gamesvc.games.space_fleet_commander.state import Colour, Face, Hex, Slot


class Flagship(TypedDict):
    """The ship that every fleet begins with."""

    slot: Slot
    ship: str
    hull: int
    dice: Sequence[Colour]


@dataclass(frozen=True, slots=True, kw_only=True)
class GameCreated(TypedEvent):
    """The match is set up: every sheet has the flagship alone, on the starting hex."""

    TYPE = "game_created"
    mode: Literal["classic", "high_score", "race"]
    map: str
    planetfall: Literal["three", "strict"]
    lockstep: bool
    seats: int
    """The number of sheets."""
    start: Hex
    flag: Flagship


@dataclass(frozen=True, slots=True)
class FleetDiceRolled(TypedEvent):
    """The formation dice are rolled, the same for all sheets."""

    TYPE = "fleet_dice_rolled"
    dice: Sequence[Face]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShipPlaced(SheetEvent):
    """A formation die buys a ship."""

    TYPE = "ship_placed"
    die: int
    """The index of the formation die."""
    ship: str
    slot: Slot
    hull: int
    dice: Sequence[Colour]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShipRemoved(SheetEvent):
    """A ship leaves the fleet, with the ships that need it."""

    TYPE = "ship_removed"
    slots: Sequence[Slot]
    upgrades: Mapping[Slot, Slot]
    """Those that remain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UpgradeSet(SheetEvent):
    """A Drone Boat chooses the ship that it upgrades."""

    TYPE = "upgrade_set"
    slot: Slot
    """Of the Drone Boat."""
    target: Slot | None
    """None for no ship."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetConfirmed(SheetEvent):
    """The fleet is complete."""

    TYPE = "fleet_confirmed"
    pool: Pool


KINDS: tuple[type[TypedEvent], ...] = (
    GameCreated,
    FleetDiceRolled,
    ShipPlaced,
    ShipRemoved,
    UpgradeSet,
    FleetConfirmed,
)
