"""What a viewer may see (RULES.md 10): the view, events cut down for a viewer, and hidden things dealt anew.

Solo everything is open. In a race a seat sees its own sheet and of the others stars, rank, time boxes and whether they are
finished, until the match is over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from gamesvc.games.kernel import POSITIONED, REWOUND, Command, Data, Event, Viewer
from gamesvc.games.space_fleet_commander import ending, missions
from gamesvc.games.space_fleet_commander.data import BOARDS, ROSTER
from gamesvc.games.space_fleet_commander.fleet import drones, ship_name, unplaced
from gamesvc.games.space_fleet_commander.forms import awaited
from gamesvc.games.space_fleet_commander.state import Sheet, State, pool

DRAWN = frozenset({"fleet_dice_rolled", "dice_rolled", "dice_rerolled", "hit_rolled", "stream_dealt"})
OPEN = frozenset({"game_created", "fleet_dice_rolled", "game_over"})
INNER = frozenset({"private", "todo", "index", "phase"})
"""What events carry for `evolve` alone."""


def view(state: State, viewer: Viewer) -> dict[str, Any]:
    """Everything this viewer may see, enough to draw the board and to play from."""
    over = state.over
    solo = state.mode != "race"
    own = 0 if solo else viewer if viewer is not None and 0 <= viewer < len(state.sheets) else None
    found = ending.outcome(state)
    return {
        "mode": state.mode,
        "planetfall": state.planetfall,
        "lockstep": state.lockstep,
        "map": board_view(state.map, state.planetfall),
        "viewer": viewer,
        "seat": own,
        "seats": len(state.sheets),
        "formation": list(state.formation),
        "sheet": None if own is None else sheet_view(state, state.sheets[own]),
        "table": [_row(state, seat, sheet) for seat, sheet in enumerate(state.sheets)],
        "awaited": [one.as_json() for one in awaited(state)],
        "sheets": [sheet_view(state, sheet) for sheet in state.sheets] if over and not solo else None,
        "outcome": found.as_json() if found else None,
    }


@cache
def board_view(map_id: str, planetfall: str) -> dict[str, Any]:
    """The map and its kinds, as plain JSON; the same for everybody and throughout a match."""
    board = BOARDS[map_id]
    kinds = {
        kind.id: {
            "name": kind.name,
            "stars": kind.stars,
            "hazards": list(kind.hazards),
            "combat": kind.combat,
            "min_dice": missions.min_dice(kind, planetfall),
            "text": requirement_text(map_id, kind.id, planetfall),
        }
        for kind in board.kinds.values()
    }
    return {
        "id": board.id,
        "name": board.name,
        "start": board.start,
        "hexes": {place.id: [place.q, place.r, place.kind] for place in board.places.values()},
        "kinds": kinds,
        "time_boxes": board.time_boxes,
        "stars_to_win": board.stars_to_win,
        "ranks": list(board.ranks),
        "sabotage_rows": list(board.rows),
        "sabotage": list(board.sabotage),
    }


def requirement_text(map_id: str, kind: str, planetfall: str) -> str:
    """What a kind needs, in words."""
    entry = BOARDS[map_id].kinds[kind]
    return "every usable die shows 3" if missions.requirement(entry, planetfall) is missions.STRICT else entry.text


def sheet_view(state: State, sheet: Sheet) -> dict[str, Any]:
    """A whole sheet."""
    board = state.board
    return {
        "phase": sheet.phase,
        "turn": sheet.turn,
        "attempt": sheet.attempt,
        "token": sheet.token,
        "path": list(sheet.path),
        "scored": list(sheet.scored),
        "open": missions.open_hexes(state, sheet),
        "targets": missions.any_target(state, sheet) if sheet.phase == "explore" else [],
        "stars": sheet.stars,
        "rank": board.rank(sheet.stars),
        "title": board.title(sheet.stars),
        "time": sheet.time,
        "sabotage": sheet.sabotage,
        "unplaced": unplaced(state, sheet) if sheet.phase == "fleet" else [],
        "upgrades": dict(sorted((sheet.upgrades or {}).items(), key=lambda pair: ROSTER.order.index(pair[0]))),
        "drones": drones(sheet),
        "roster": [
            {
                "slot": vessel.slot,
                "ship": vessel.ship,
                "name": ship_name(vessel),
                "die": vessel.die,
                "hull": vessel.hull,
                "damage": vessel.damage,
                "live": vessel.live,
                "dice": _ship_dice(sheet, vessel.slot) if vessel.live else [],
            }
            for vessel in sheet.ships
        ],
        "dice": [{"id": die.id, "colour": die.colour, "value": die.value, "status": die.status} for die in sheet.dice],
        "hit": None
        if sheet.hit is None
        else {"source": sheet.hit.source, "a": sheet.hit.a, "b": sheet.hit.b, "slot": sheet.hit.slot},
        "repair": None if sheet.repair is None else {"tender": sheet.repair.tender, "candidates": list(sheet.repair.candidates)},
        "hospitals_used": list(sheet.used),
        "reason": sheet.reason,
    }


def _ship_dice(sheet: Sheet, slot: str) -> list[list[str]]:
    return [[die.id, die.colour] for die in pool(sheet.ships, sheet.upgrades) if die.slot == slot]


def _row(state: State, seat: int, sheet: Sheet) -> dict[str, Any]:
    """The public columns of a sheet."""
    row = {
        "seat": seat,
        "stars": sheet.stars,
        "rank": state.board.rank(sheet.stars),
        "title": state.board.title(sheet.stars),
        "time": sheet.time,
        "finished": sheet.finished,
    }
    if state.over or state.mode != "race":
        row |= {"reason": sheet.reason, "hull": ending.hull_left(sheet)}
    return row


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
