"""The map of the picture: frame, chits, pieces, marks, last moves."""

from __future__ import annotations

from collections.abc import Mapping

from gamesvc.games.drawing.chart import LETTERS, Chart
from gamesvc.games.kernel.game import Data
from gamesvc.games.stratastar.data import COLUMNS, ROWS
from gamesvc.games.stratastar.data.geometry import SPACES, place
from gamesvc.json_types import JsonMapping

LEFT, TOP, CELL = 48, 118, 64
_ICONS = {"supernova": "supernova", "black_hole": "black-hole", "nebula": "nebula"}
Pennants = list[tuple[int, str, bool]]


def corner(space: str) -> tuple[float, float]:
    """Return the upper left corner of a cell."""
    x, y = place(space)
    return LEFT + x * CELL, TOP + y * CELL


def above_flags(space: str) -> tuple[float, float]:
    """Return the end point for the path of a move, placed so that it covers no count."""
    x, y = corner(space)
    return x + CELL / 2, y + CELL * 0.42


def draw(chart: Chart, seen: Data) -> None:
    """Draw the whole map of a view."""
    chart.frame(LEFT, TOP, COLUMNS_WIDTH, ROWS_HEIGHT, columns=len(COLUMNS), rows=ROWS)
    for space in SPACES:
        _ground(chart, seen, space)
    chart.grid(LEFT, TOP, CELL, len(COLUMNS), ROWS)
    _moves(chart, seen)
    for space in SPACES:
        _cell(chart, seen, space)
        chart.target(f"cell:{space}", *corner(space), CELL, CELL)
    _focus(chart, seen)


COLUMNS_WIDTH, ROWS_HEIGHT = CELL * len(COLUMNS), CELL * ROWS


def _ground(chart: Chart, seen: Data, space: str) -> None:
    x, y = corner(space)
    if space in seen["unknown"]:
        kind = seen.get("scouted", {}).get(space)
        if kind is None:
            chart.rect(x + 1, y + 1, CELL - 2, CELL - 2, fill="ink2")
            for bar in range(3):
                chart.rect(x + 16, y + 17 + 13 * bar, CELL - 32, 4, fill="tint")
            return
        chart.rect(x + 1, y + 1, CELL - 2, CELL - 2, fill="ink")
        chart.icon("observer", x + 4, y + 3, 20, colour="panel")
        if kind in _ICONS:
            chart.icon(_ICONS[kind], x + 19, y + 20, 36, colour="panel")
        elif kind == "world":
            chart.world(x + 36, y + 38, 16)
        return
    kind = seen["chits"].get(space)
    if kind in _ICONS:
        chart.rect(x + 1, y + 1, CELL - 2, CELL - 2, fill="tint")
        if pennants(seen, space):
            chart.icon(_ICONS[kind], x + 18, y + 5, 28)
        else:
            chart.icon(_ICONS[kind], x + 13, y + 13, 38)


def pennants(seen: Data, space: str) -> Pennants:
    """Return the flags in a space: seat, text, and True for Warfleets.

    Beyond four, only the totals of the four strongest seats.
    """
    flags: Pennants = []
    totals: list[tuple[int, int]] = []
    for player in seen["players"]:
        seat, fleets, heavy = player["seat"], player["fleets"].get(space, 0), player["warfleets"].get(space, 0)
        if fleets:
            flags.append((seat, f"{LETTERS[seat]}{fleets}", False))
        if heavy:
            flags.append((seat, f"{LETTERS[seat]}{heavy}", True))
        if fleets + heavy:
            totals.append((seat, fleets + heavy))
    if len(flags) > 4:
        totals.sort(key=lambda one: -one[1])
        flags = [(seat, f"{LETTERS[seat]}{total}", False) for seat, total in totals[:4]]
    return flags


def _owners(seen: Data, space: str) -> list[int]:
    return [player["seat"] for player in seen["players"] for _ in range(player["colonies"].get(space, 0))]


def _cell(chart: Chart, seen: Data, space: str) -> None:
    x, y = corner(space)
    chart.rect(x, y, CELL, CELL, fill="none")
    flags = pennants(seen, space)
    gates = [player["seat"] for player in seen["players"] if space in player["stargates"]]
    home = next((player["seat"] for player in seen["players"] if player["home"] == space), None)
    crowded = len(flags) > 2
    if home is not None:
        chart.homeworld(home, x + 5, y + 5)
    elif seen["chits"].get(space) == "world":
        _world(chart, _owners(seen, space), x, y, bool(flags or gates), crowded)
    for at, seat in enumerate(gates[:2]):
        radius = 7 if crowded else 10.5
        at_foot = home is not None and not flags
        chart.stargate(seat, x + 52 - at * 16, y + (52 if at_foot else 9 if crowded else 13), radius)
    _flags(chart, flags, x, y, space, _arrivals(seen, space))
    _marks(chart, seen, space, x, y, bool(gates), crowded)


def _world(chart: Chart, owners: list[int], x: float, y: float, shared: bool, crowded: bool) -> None:
    if crowded:
        cx, cy, radius = x + 13, y + 10, 8.0
    elif shared:
        cx, cy, radius = x + 20, y + 20, 17.0
    else:
        cx, cy, radius = x + 32, y + 32, 19.0
    if owners:
        chart.colony(owners, cx, cy, radius)
    else:
        chart.world(cx, cy, radius)


def _arrivals(seen: Data, space: str) -> dict[int, str]:
    """Return the seats whose last move led to a space, each with the target where it began."""
    last = {player["seat"]: player["last_move"] for player in seen["players"] if player["last_move"]}
    return {seat: f"cell:{start}" for seat, (start, to) in last.items() if to == space}


def _flags(chart: Chart, flags: Pennants, x: float, y: float, space: str, arrivals: Mapping[int, str]) -> None:
    for at, (seat, text, heavy) in enumerate(flags):
        row, height = 0 if len(flags) <= 2 else 1 - at // 2, 22 if len(flags) <= 2 else 21
        with chart.piece(f"{'warfleets' if heavy else 'fleets'}:{seat}:{space}", arrivals.get(seat, "")):
            if len(flags) == 1:
                chart.pennant(seat, x + 9, y + 37, text, warfleet=heavy)
            else:
                chart.pennant(seat, x + 2 + 31 * (at % 2), y + 39 - 22 * row, text, width=29, height=height, warfleet=heavy)


def _marks(chart: Chart, seen: Data, space: str, x: float, y: float, gates: bool, crowded: bool) -> None:
    marks = []
    if space in seen["contested"]:
        marks.append("contested")
    if any(space in player["raided"] for player in seen["players"]):
        marks.append("siege")
    for at, icon in enumerate(marks):
        if crowded:
            chart.mark(icon, x + 23 + 16 * at if at == 0 or not gates else x + 2, y + 1, 15)
        elif gates:
            chart.mark(icon, x + 20 - 19 * at, y + 2, 20)
        else:
            chart.mark(icon, x + 42, y + 2 + 21 * at, 20)
    if space in seen["blocked"]:
        chart.blocked(x + 2, y + 2, 22)


def _moves(chart: Chart, seen: Data) -> None:
    """Draw the last move of each seat, that of the active seat at full strength. Pieces are drawn over it."""
    moved: list[JsonMapping] = [player for player in seen["players"] if player["alive"] and player["last_move"]]
    for player in sorted(moved, key=lambda one: one["seat"] == seen["active"]):
        start, to = player["last_move"]
        chart.move_path([above_flags(start), above_flags(to)], older=player["seat"] != seen["active"])


def _focus(chart: Chart, seen: Data) -> None:
    """Mark the space of the pending decision."""
    space = seen["battle"]["space"] if seen["battle"] else seen["actions"][-1]["enters"] if seen["actions"] else None
    if space is not None:
        x, y = corner(space)
        chart.selected(x + 4, y + 4, CELL - 8, CELL - 8)
