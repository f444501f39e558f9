"""What a viewer may see of an event, which events reveal something, and which outdate a command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gamesvc.games.kernel.game import POSITIONED, REWOUND, Command, Data, Event, Viewer

DRAWN = frozenset({"fleet_dice_rolled", "dice_rolled", "dice_rerolled", "hit_rolled", "stream_dealt"})


OPEN = frozenset({"game_created", "fleet_dice_rolled", "game_over"})


INNER = frozenset({"private", "todo", "index", "phase"})


def redact(event: Event, viewer: Viewer) -> Data | None:
    """An event for one viewer. Events of a race are marked `private`; all others are open to everybody."""
    data = event.data
    if event.type in OPEN:
        return data
    if event.type == "stream_dealt":
        return None
    if data["seat"] == viewer or not data.get("private"):
        return {name: value for name, value in data.items() if name not in INNER}
    return _public(event.type, data)


def _public(kind: str, data: Data) -> Data | None:
    """Of another seat's event in a race, what its public columns show; None where they do not change."""
    columns: Mapping[str, Sequence[str]] = {
        "hex_explored": ("seat", "stars", "total"),
        "rank_gained": ("seat", "rank", "title"),
        "time_marked": ("seat", "box"),
        "sheet_finished": ("seat", "stars", "rank", "title"),
        "turn_started": ("seat", "turn"),
        # Who is awaited is public, so is who no longer is.
        "turn_awaited": ("seat",),
    }
    if kind not in columns:
        return None
    return {name: data[name] for name in columns[kind]}


def stale(command: Command, since: Sequence[Event], seat: int) -> bool:
    """Outdated by events of one's own sheet, by going back and by the end, never by what happens on another sheet."""
    return any(
        event.type in (REWOUND, POSITIONED, "game_over") or (event.type not in OPEN and event.data.get("seat") == seat)
        for event in since
    )


def reveals(event: Event) -> bool:
    """Return True if the event told something that nobody knew: it carries draws, or all sheets are laid open."""
    return event.type in DRAWN or event.type == "game_over"
