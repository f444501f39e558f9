"""Secrecy of events: their data for each viewer, the ones that reveal something, and the ones that outdate a command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gamesvc.games.kernel.events import POSITIONED, REWOUND
from gamesvc.games.kernel.game import Command, Data, Event, Viewer
from gamesvc.games.space_fleet_commander.events.damage import HitRolled, TimeMarked
from gamesvc.games.space_fleet_commander.events.opening import FleetDiceRolled, GameCreated
from gamesvc.games.space_fleet_commander.events.turns import (
    DiceRerolled,
    DiceRolled,
    GameOver,
    HexExplored,
    RankGained,
    SheetFinished,
    StreamDealt,
    TurnAwaited,
    TurnStarted,
)

DRAWN = frozenset(kind.TYPE for kind in (FleetDiceRolled, DiceRolled, DiceRerolled, HitRolled, StreamDealt))
OPEN = frozenset(kind.TYPE for kind in (GameCreated, FleetDiceRolled, GameOver))
INNER = frozenset({"private", "todo", "index", "phase"})
PUBLIC: Mapping[str, Sequence[str]] = {
    HexExplored.TYPE: ("seat", "stars", "total"),
    RankGained.TYPE: ("seat", "rank", "title"),
    TimeMarked.TYPE: ("seat", "box"),
    SheetFinished.TYPE: ("seat", "stars", "rank", "title"),
    TurnStarted.TYPE: ("seat", "turn"),
    # The awaited seats are public, and so is a seat that is no longer awaited.
    TurnAwaited.TYPE: ("seat",),
}
"""The part of an event that all seats of a race learn: it changes the public columns of a sheet."""


def redact(event: Event, viewer: Viewer) -> Data | None:
    """Return an event's data for one viewer. Events of a race are marked `private`; all others are public."""
    data = event.data
    if event.type in OPEN:
        return data
    if event.type == StreamDealt.TYPE:
        return None
    if data["seat"] == viewer or not data.get("private"):
        return {name: value for name, value in data.items() if name not in INNER}
    columns = PUBLIC.get(event.type)
    return None if columns is None else {name: data[name] for name in columns}


def stale(command: Command, event: Event, seat: int) -> bool:
    """Return True if a newer event outdates a command: one of the seat's sheet, a rewind or the end; never other sheets'."""
    if event.type in (REWOUND, POSITIONED, GameOver.TYPE):
        return True
    return event.type not in OPEN and event.data.get("seat") == seat


def reveals(event: Event) -> bool:
    """Return True if the event revealed something unknown to all: it carries draws, or it opens all sheets.

    A turn begins with a roll. Where another sheet's end lets a turn begin, its seat sees nothing else of that roll.
    """
    return event.type in DRAWN or event.type in (TurnStarted.TYPE, GameOver.TYPE)
