"""The panels below the map: dice, formation dice, fleet roster, tracks, seats of a race, ship reference table.

Each is drawn from the given y downwards and returns the y below it.
"""

from __future__ import annotations

from gamesvc.games.drawing.chart import MARGIN, PANEL, SEAT_ROW, WIDTH, Chart
from gamesvc.games.kernel.game import Caption, Data
from gamesvc.games.kernel.wording import seat_name
from gamesvc.games.space_fleet_commander.data import COLOURS, ROSTER, SHIPS, Requirement, Ship
from gamesvc.games.space_fleet_commander.picture.targets import formation_die

DIE = 52
STEP = 64
"""The distance from one die to the next."""
AROUND = 5
"""The margin of a target around its die: a die alone is small for a finger."""
SHIP_ROW = 54
"""The height of a row of the ship table: a phone shows half of it in pixels, and a finger chooses ships there."""
NOTES = {
    "destroyer": "±1 to one usable die in a combat hex",
    "repair_tender": "+1 hull to a live adjacent ship per rank gained",
    "supply_barge": "Escort Cruiser, Dreadnaught need it adjacent",
    "prison_barge": "end of Phase 3: removes one die showing 1",
}
"""Shorter texts than in the data file, for those that do not fit on the line."""


def asked_words(need: Requirement) -> str:
    """Describe a requirement in a few characters, for the kinds that boxes cannot express."""
    values = ", ".join(map(str, need.values))
    words = {
        "sum_at_least": f"sum {need.n}+",
        "count_of": f"{need.n} × {values}",
        "every": f"all {values}",
        "groups": " + ".join(map(str, need.sizes)),
    }
    return words[need.type]


def dice(chart: Chart, view: Data, y: float, calls: bool) -> float:
    """Draw the dice of this attempt by colour in rows; removed and set-aside ones to the right of a line."""
    sheet = view["sheet"]
    live = [die for colour in COLOURS for die in sheet["dice"] if die["status"] == "live" and die["colour"] == colour]
    apart = [die for status in ("removed", "aside") for die in sheet["dice"] if die["status"] == status]
    may = {"reroll_1": ("white", "red"), "reroll_2": ("white",), "push": COLOURS}.get(sheet["phase"] if calls else "", ())
    across = 7 if apart else 10
    chart.label(MARGIN, y, "Dice" if live else "No dice in this attempt")
    bottom = _row(chart, live, MARGIN, y + 14, across, may)
    if apart:
        left = WIDTH - MARGIN - 3 * STEP
        chart.line(left - 16, y + 6, left - 16, max(bottom, y + 84))
        waiting = any(die["status"] == "removed" for die in apart)
        chart.label(left, y, "Removed, set aside" if waiting else "Set aside")
        bottom = max(bottom, _row(chart, apart, left, y + 14, 3, may if sheet["phase"] == "push" else (), struck=True))
    return bottom


def _row(
    chart: Chart, items: list[Data], left: float, top: float, across: int, may: tuple[str, ...], struck: bool = False
) -> float:
    for at, die in enumerate(items):
        x, y = left + at % across * STEP, top + at // across * 86
        if die["value"]:
            chart.die(die["value"], x, y, DIE, kind=die["colour"])
        else:
            chart.die_box(x, y, DIE, kind=die["colour"])
        chart.target(f"die:{die['id']}", x - AROUND, y - AROUND, DIE + 2 * AROUND, DIE + 24 + AROUND)
        if die["colour"] in may and die["status"] != "aside":
            chart.selectable(x, y, DIE, DIE, tick=9)
        if struck and die["status"] == "removed":
            chart.struck(x, y, DIE, DIE)
        chart.text(x + DIE / 2, y + DIE + 21, die["id"], size=17, colour="ink2", anchor="middle")
    rows = max(1, -(-len(items) // across))
    return top + (rows - 1) * 86 + DIE + 24 if items else top + 8


def formation(chart: Chart, view: Data, y: float, calls: bool) -> float:
    """Draw the seven formation dice with their numbers. Those that have bought a ship are struck out."""
    left = view["sheet"]["unplaced"]
    chart.label(MARGIN, y, "Formation dice: each buys a ship of its number")
    for at, value in enumerate(view["formation"]):
        x = MARGIN + at * 76
        chart.die(value, x, y + 14, DIE)
        if at in left and calls:
            chart.selectable(x, y + 14, DIE, DIE, tick=9)
        elif at not in left:
            chart.struck(x, y + 14, DIE, DIE)
        chart.text(x + DIE / 2, y + 14 + DIE + 21, f"die {at}", size=17, colour="ink2", anchor="middle")
        chart.target(f"die:{formation_die(at)}", x - AROUND, y + 14 - AROUND, DIE + 2 * AROUND, DIE + 24 + AROUND)
    return y + 14 + DIE + 24


def roster(chart: Chart, sheet: Data, y: float) -> float:
    """Draw two rows of four slots, joined where they are adjacent."""
    chart.label(MARGIN, y, "Fleet")
    chart.label(WIDTH - MARGIN, y, "Filled bubble = damage. Joined slots are adjacent.", anchor="end")
    rows = {row["slot"]: row for row in sheet["roster"]}
    width, height, step, top = 161.0, 88.0, 173.0, y + 20
    half = (len(ROSTER.order) + 1) // 2
    spot = {slot: (MARGIN + at % half * step, top + at // half * (height + 26)) for at, slot in enumerate(ROSTER.order)}
    for at, slot in enumerate(ROSTER.order[:-1]):
        (x1, y1), (x2, y2) = spot[slot], spot[ROSTER.order[at + 1]]
        if y1 == y2:
            chart.line(x1 + width, y1 + height / 2, x2, y2 + height / 2, stroke="ink", line=4)
        else:
            middle = y1 + height + 13
            corners = [(x1 + width - 40, y1 + height), (x1 + width - 40, middle), (x2 + 40, middle), (x2 + 40, y2)]
            chart.polyline(corners, line=4)
    struck = sheet["hit"]["slot"] if sheet["hit"] else None
    chosen = sheet["repair"]["candidates"] if sheet["repair"] else ()
    for slot, (x, top_) in spot.items():
        _slot(chart, slot, rows.get(slot), x, top_, width, height)
        chart.target(f"slot:{slot}", x, top_, width, height)
        if slot == struck:
            chart.selected(x, top_, width, height)
        elif slot in chosen:
            chart.selectable(x, top_, width, height)
    bottom = top + height if half >= len(ROSTER.order) else top + 2 * height + 26
    for slot, target in sheet["upgrades"].items():
        bottom += 26
        chart.label(MARGIN, bottom, f"Drone Boat in {slot}: the first black die of slot {target} is red while both live.")
    return bottom


def _slot(chart: Chart, slot: str, row: Data | None, x: float, y: float, width: float, height: float) -> None:
    gone = row is None or not row["live"]
    colour = "ink2" if gone else "ink"
    chart.rect(x, y, width, height, fill="paper" if gone else "panel", stroke=colour, rx=4, line=1.5 if gone else 2)
    chart.text(x + 9, y + 23, slot, size=20, weight=700, colour=colour)
    if row is None:
        chart.label(x + 9, y + 50, "empty")
        return
    chart.text(x + 9, y + 50, row["name"].replace("Command ", ""), size=20, weight=600, colour=colour, room=width - 16)
    for at, (_, shade) in enumerate(reversed(row["dice"])):
        chart.die_box(x + width - 26 - at * 21, y + 9, 17, kind=shade)
    total = row["hull"]
    chart.bubbles(x + 17, y + 71, row["damage"], total, step=min(20.5, (width - 34) / max(1, total - 1)))
    if gone:
        chart.struck(x, y, width, height)


def tracks(chart: Chart, view: Data, y: float) -> float:
    """Draw sabotage cells and time boxes on the left, rows of stars with their ranks on the right."""
    sheet, board = view["sheet"], view["map"]
    chart.label(MARGIN, y, f"Sabotage {sheet['sabotage']} of {len(board['sabotage'])}")
    cell, cells = min(28.0, 350 / max(board["sabotage_rows"])), iter(enumerate(board["sabotage"]))
    left_y = y + 14
    for size in board["sabotage_rows"]:
        for at in range(size):
            number, icon = next(cells)
            marked = number < sheet["sabotage"]
            x = MARGIN + at * cell
            chart.rect(x, left_y, cell, cell, fill="ink" if marked else "tint" if icon else "panel", stroke="ink")
            if marked and at:
                chart.line(x, left_y + 1, x, left_y + cell - 1, stroke="panel")
            if icon:
                chart.icon(icon, x + (cell - 16) / 2, left_y + (cell - 16) / 2, 16, colour="panel" if marked else "ink")
        left_y += cell + 3
    left_y += 24
    chart.label(MARGIN, left_y, f"Time {sheet['time']} of {board['time_boxes']}")
    chart.gauge(MARGIN, left_y + 12, sheet["time"], board["time_boxes"], width=cell * board["time_boxes"], height=24)
    left_y += 36
    goal = f" of {board['stars_to_win']}" if view["mode"] == "classic" else ""
    chart.label(398, y, f"Stars {sheet['stars']}{goal}")
    right_y = y + 14
    for at, title in enumerate(board["ranks"]):
        filled = max(0, min(10, sheet["stars"] - 10 * at))
        chart.gauge(398, right_y, filled, 10, width=200, height=19)
        reached = filled == 10
        chart.text(610, right_y + 16, title, weight=700 if reached else 400, colour="ink" if reached else "ink2", room=92)
        right_y += 30
    over = sheet["stars"] - 10 * len(board["ranks"])
    if over > 0:
        chart.label(398, right_y + 14, f"and {over} more")
        right_y += 24
    return max(left_y, right_y)


def seats(chart: Chart, view: Data, caption: Caption, y: float) -> float:
    """Draw a row for each seat of a race: stars, rank, time boxes, finished."""
    waiting = {one["seat"] for one in view["awaited"]}
    boxes = view["map"]["time_boxes"]
    y += 14
    for x, word in ((330, "Stars"), (400, "Rank"), (540, "Time")):
        chart.label(x, y, word)
    y += 6
    for row in view["table"]:
        seat = row["seat"]
        base = chart.seat_row(
            seat, y, seat_name(seat, caption.names), you=seat == view["viewer"], awaited=seat in waiting, room=230
        )
        chart.text(330, base, str(row["stars"]), size=22, weight=700)
        chart.text(400, base, row["title"] or "none", size=20, colour="ink" if row["title"] else "ink2", room=130)
        chart.text(540, base, f"{row['time']} of {boxes}", size=20)
        if row["finished"]:
            chart.text(WIDTH - MARGIN - 6, base, "finished", size=19, colour="ink2", anchor="end")
        y += SEAT_ROW + 4
    return y


def ship_table(chart: Chart, y: float) -> float:
    """Draw the ship reference table in two columns: number, ship, slots, hull, dice, and the ability below them."""
    chart.label(MARGIN, y, "Ships: number, slots, dice, hull, ability")
    y += 10
    ships = list(SHIPS.values())
    half = len(ships) // 2
    for left, column in ((PANEL, ships[:half]), (WIDTH / 2, ships[half:])):
        face = 0
        for row, ship in enumerate(column):
            _ship(chart, ship, left, y + row * SHIP_ROW, numbered=ship.face != face)
            face = ship.face
    chart.line(PANEL, y, WIDTH - PANEL, y, stroke="ink")
    foot = y + (len(ships) - half) * SHIP_ROW
    chart.line(WIDTH / 2, y, WIDTH / 2, foot)
    return foot


def _ship(chart: Chart, ship: Ship, x: float, y: float, *, numbered: bool) -> None:
    """Draw a kind of ship in its cell of the table. `numbered`: it is the first with its number in the column."""
    width = WIDTH / 2 - PANEL
    if numbered:
        chart.text(x + 8, y + 21, str(ship.face), weight=700)
    chart.text(x + 28, y + 21, ship.name, weight=600, room=140)
    chart.text(x + 174, y + 21, " ".join(ship.slots), size=17, colour="ink2", room=90)
    for at, colour in enumerate(ship.dice):
        chart.die_box(x + 272 + at * 19, y + 7, 15, kind=colour)
    chart.text(x + width - 8, y + 21, str(ship.hull), anchor="end")
    words = NOTES.get(ship.id, ship.note) or (f"needs an adjacent {SHIPS[ship.requires].name}" if ship.requires else "")
    chart.text(x + 28, y + 43, words.replace("+/-", "±"), size=17, colour="ink2", room=width - 32)
    chart.target(f"ship:{ship.id}", x, y, width, SHIP_ROW)
    chart.line(x, y + SHIP_ROW, x + width, y + SHIP_ROW)
