"""Secrecy of events: their data for each viewer, the ones that reveal something, and the ones that outdate a command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gamesvc.games.kernel.events import POSITIONED, REWOUND
from gamesvc.games.kernel.game import Command, Data, Event, Viewer

DRAWN = frozenset({"fleet_dice_rolled", "dice_rolled", "dice_rerolled", "hit_rolled", "stream_dealt"})


OPEN = frozenset({"game_created", "fleet_dice_rolled", "game_over"})


INNER = frozenset({"private", "todo", "index", "phase"})


def redact(event: Event, viewer: Viewer) -> Data | None:
    """Return an event's data for one viewer. Events of a race are marked `private`; all others are public."""
    data = event.data
    if event.type in OPEN:
        return data
    if event.type == "stream_dealt":
        return None
    if data["seat"] == viewer or not data.get("private"):
        return {name: value for name, value in data.items() if name not in INNER}
    return _public(event.type, data)


def _public(kind: str, data: Data) -> Data | None:
    """Return the part of another seat's event that changes its public columns in a race; None if it changes none."""
    columns: Mapping[str, Sequence[str]] = {
        "hex_explored": ("seat", "stars", "total"),
        "rank_gained": ("seat", "rank", "title"),
        "time_marked": ("seat", "box"),
        "sheet_finished": ("seat", "stars", "rank", "title"),
        "turn_started": ("seat", "turn"),
        # The awaited seats are public, and so is a seat that is no longer awaited.
        "turn_awaited": ("seat",),
    }
    if kind not in columns:
        return None
    return {name: data[name] for name in columns[kind]}


def stale(command: Command, since: Sequence[Event], seat: int) -> bool:
    """Return True if newer events outdate a command: those of the seat's sheet, rewinds and the end; never other sheets'."""
    return any(
        event.type in (REWOUND, POSITIONED, "game_over") or (event.type not in OPEN and event.data.get("seat") == seat)
        for event in since
    )


def reveals(event: Event) -> bool:
    """Return True if the event revealed something unknown to all: it carries draws, or it opens all sheets."""
    return event.type in DRAWN or event.type == "game_over"
