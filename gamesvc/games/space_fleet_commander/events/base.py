"""The fields that the events of a sheet have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from gamesvc.games.kernel.typed import TypedEvent
from gamesvc.games.space_fleet_commander.state import Phase

Pool = Sequence[Sequence[str]]
"""Dice in pool order, each as its id and its colour."""


@dataclass(frozen=True, slots=True)
class SheetEvent(TypedEvent):
    """An event on the sheet of one seat."""

    seat: int
    private: bool = field(default=False, kw_only=True)
    """It belongs to a race: the other seats learn nothing beyond the public columns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseEvent(SheetEvent):
    """An event on a sheet that names the phase which follows it."""

    phase: Phase
