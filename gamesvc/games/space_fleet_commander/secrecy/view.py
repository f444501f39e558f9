"""The view of a seat or a spectator."""

from __future__ import annotations

from functools import cache

from gamesvc.games.kernel.game import Viewer
from gamesvc.games.space_fleet_commander.data import BOARDS, ROSTER
from gamesvc.games.space_fleet_commander.rules import missions, outcome
from gamesvc.games.space_fleet_commander.rules.fleet import drones, ship_name, unplaced
from gamesvc.games.space_fleet_commander.rules.legal import awaited
from gamesvc.games.space_fleet_commander.state import Sheet, State, pool
from gamesvc.json_types import JsonObject
from gamesvc.language import mark


def view(state: State, viewer: Viewer) -> JsonObject:
    """Return everything this viewer may see, complete enough to draw the board and to play from it."""
    over = state.over
    solo = state.mode != "race"
    own = 0 if solo else viewer if viewer is not None and 0 <= viewer < len(state.sheets) else None
    found = outcome.outcome(state)
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
def board_view(map_id: str, planetfall: str) -> JsonObject:
    """Return the map and its kinds as plain JSON, the same for everyone throughout a match."""
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
    """Describe what a kind of mission requires."""
    entry = BOARDS[map_id].kinds[kind]
    return mark("every usable die shows 3") if missions.requirement(entry, planetfall) is missions.STRICT else entry.text


def sheet_view(state: State, sheet: Sheet) -> JsonObject:
    """Return a whole sheet."""
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


def _row(state: State, seat: int, sheet: Sheet) -> JsonObject:
    """Return the public columns of a sheet."""
    row = {
        "seat": seat,
        "stars": sheet.stars,
        "rank": state.board.rank(sheet.stars),
        "title": state.board.title(sheet.stars),
        "time": sheet.time,
        "finished": sheet.finished,
    }
    if state.over or state.mode != "race":
        row |= {"reason": sheet.reason, "hull": outcome.hull_left(sheet)}
    return row
