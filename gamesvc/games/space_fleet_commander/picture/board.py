"""The position as a picture: map of hexes, dice, fleet, tracks, the other seats of a race, and the ship table.

Drawn from the view alone. The panels below the map are in `panels`.
"""

from __future__ import annotations

import math

from gamesvc.games.drawing.chart import HEADER, PANEL, WIDTH, Chart, drawable_caption, hexagon
from gamesvc.games.kernel.game import Caption, Data
from gamesvc.games.kernel.targets import Picture
from gamesvc.games.kernel.wording import capital, to_act
from gamesvc.games.space_fleet_commander.data import BOARDS, Kind, Requirement
from gamesvc.games.space_fleet_commander.manifest import MANIFEST
from gamesvc.games.space_fleet_commander.picture import panels
from gamesvc.games.space_fleet_commander.picture.glance import glance, now
from gamesvc.games.space_fleet_commander.rules.missions import requirement
from gamesvc.games.space_fleet_commander.text.board import PHASES, result
from gamesvc.games.space_fleet_commander.text.narrate import ENDINGS, stars_of
from gamesvc.language import say

FIELD = WIDTH - 2 * PANEL - 20
SHORT = {"open_space": "Open", "sneak_attack": "Sneak", "planetfall": "Planet", "chronorift": "Chrono"}
FLAGS = {
    "fleet": "Form the fleet",
    "reroll_1": "Reroll",
    "reroll_2": "Reroll white",
    "tinker": "Change dice",
    "explore": "Choose a hex",
    "repair": "Repair",
    "hit": "A hit",
    "push": "Push or end",
}

_MOVES = ("token", "path", "targets", "stars", "time", "sabotage", "unplaced", "upgrades", "roster")


def picture(view: Data, caption: Caption) -> Picture:
    """Draw the board as SVG, 720 units wide."""
    sheet = view["sheet"]
    chart = Chart.captioned(MANIFEST.title, caption, glance(view, caption), 100)
    caption = drawable_caption(caption)
    _header(chart, view, caption)
    calls = caption.calls(view["awaited"], view["viewer"])
    top, forming = HEADER - 4.0, sheet is not None and sheet["phase"] == "fleet"
    y = fold = _map(chart, view, HEADER + 20, calls) + 8
    chart.fold(fold)
    if sheet is not None:
        y = panels.formation(chart, view, y + 26, calls) if forming else panels.dice(chart, view, y + 26, calls)
    chart.tab("map", say("Map"), top, fold if forming else y + 8)
    if sheet is not None:
        if forming:
            y = panels.ship_table(chart, y + 40)
        y = panels.roster(chart, sheet, y + 30)
        chart.tab("fleet", say("Fleet"), fold, y + 12)
        y = panels.tracks(chart, view, (top := y + 12) + 24)
    else:
        top = y
    if view["mode"] == "race":
        y = panels.seats(chart, view, caption, y + 22)
    y = chart.closing(y + 18, _closing(view, caption), calls=calls)
    if not forming:
        y = panels.ship_table(chart, y + 40)
    chart.height = y + 16
    chart.tab("sheet", say("Sheet"), top, chart.height)
    return chart.svg()


def drawn(view: Data) -> Data:
    """Return what moves on the picture. Dice are rolled again many times in a turn, and the text names each with its value."""
    sheet = view["sheet"]
    return {
        "sheet": sheet and {name: sheet[name] for name in _MOVES},
        "table": [[row[name] for name in ("stars", "time", "finished")] for row in view["table"]],
        "outcome": view["outcome"],
    }


def _header(chart: Chart, view: Data, caption: Caption) -> None:
    sheet = view["sheet"]
    flag = acting = ""
    awaited = view["awaited"]
    if caption.past:
        acting = "Earlier position"
    elif sheet is not None and any(waiting["seat"] == view["viewer"] for waiting in awaited):
        flag = FLAGS.get(sheet["phase"], "Your move")
    else:
        acting = to_act(awaited, caption.names) if len(awaited) < 2 else f"{len(awaited)} seats to act"
    chart.header(MANIFEST.title, caption.match, now(view), flag=flag, acting=acting)


def _closing(view: Data, caption: Caption) -> str:
    """Return one line about the pending decision."""
    sheet, found = view["sheet"], view["outcome"]
    if found and view["mode"] == "race":
        return f"The race is over: {result(view, caption.names)}"
    if sheet is None:
        return "The sheets of a running race are private: the table shows what is public."
    if sheet["phase"] == "finished":
        title = f", {sheet['title']}" if sheet["title"] else ""
        return f"Finished: {ENDINGS[sheet['reason']]}. {stars_of(sheet['stars'])}{title}."
    match sheet["phase"]:
        case "explore":
            return f"The dice reach {', '.join(sheet['targets'])}. Choose one."
        case "hit":
            hit = sheet["hit"]
            return f"Hit {hit['a']} + {hit['b']} on slot {hit['slot']}: take it, or let a ship help."
        case "repair":
            repair = sheet["repair"]
            return f"The Repair Tender in {repair['tender']} adds 1 hull to slot {' or '.join(repair['candidates'])}."
        case "push":
            return "Set one die aside and roll the others, or end the turn."
        case "fleet":
            left = len(sheet["unplaced"])
            return f"{left} {'die' if left == 1 else 'dice'} not placed yet. Place ships, then confirm."
    return f"{capital(PHASES[sheet['phase']])}."


# --- the chart ---


def _map(chart: Chart, view: Data, top: float, calls: bool) -> float:
    """Draw the hexes in their frame, the path and the token. Returns the y below the frame."""
    board = view["map"]
    spots: dict[str, tuple[float, float]] = {place: (q + r / 2, r) for place, (q, r, _) in board["hexes"].items()}
    left, right = min(x for x, _ in spots.values()), max(x for x, _ in spots.values())
    first, last = min(r for _, r in spots.values()), max(r for _, r in spots.values())
    width = min(87.0, (FIELD - 20) / (right - left + 1))
    radius = width / 3**0.5
    margin = (FIELD - (right - left + 1) * width) / 2
    height = radius * (1.5 * (last - first) + 2) + 20
    x0 = (WIDTH - FIELD) / 2
    chart.frame(x0, top, FIELD, height)
    middles = {
        place: (x0 + margin + (x - left + 0.5) * width, top + 10 + radius * (1 + 1.5 * (r - first)))
        for place, (x, r) in spots.items()
    }
    _hexes(chart, view, middles, width)
    if view["sheet"] is not None:
        _way(chart, view, middles, width, calls)
    # An even number of units: in mails, where a unit is half a pixel, what lies below begins at a whole one.
    return top + 2 * math.ceil(height / 2)


def _hexes(chart: Chart, view: Data, middles: dict[str, tuple[float, float]], width: float) -> None:
    """Draw each hex around its middle: explored ones by their id alone."""
    board, sheet = view["map"], view["sheet"]
    path = list(sheet["path"]) if sheet else [board["start"]]
    for place, (x, y) in middles.items():
        kind = board["hexes"][place][2]
        explored = place in path
        chart.hexcell(x, y, width, explored=explored and kind != "start")
        if explored or kind == "start":
            here = sheet is not None and place == sheet["token"]
            chart.label(x, y - (28 if here else 18), place, anchor="middle")
            if kind == "start" and not here:
                chart.text(x, y + 34, "Start", size=18, weight=600, colour="ink2", anchor="middle")
        else:
            _hex(chart, BOARDS[board["id"]].kinds[kind], view["planetfall"], place, (x, y), width)
        tall = width * 3**0.5 / 2
        chart.target(f"cell:{place}", x - width / 2, y - tall / 2, width, tall)


def _way(chart: Chart, view: Data, middles: dict[str, tuple[float, float]], width: float, calls: bool) -> None:
    """Draw what the dice reach, the path that was flown, and the token at its end."""
    sheet = view["sheet"]
    for place in sheet["targets"] if calls else ():
        chart.reach_hex(*middles[place], width)
    if len(sheet["path"]) > 1:
        chart.polyline([middles[place] for place in sheet["path"]], line=3.5, dash="8 5")
        for place in sheet["path"][:-1]:
            chart.circle(*middles[place], 5, fill="ink")
    x, y = middles[sheet["token"]]
    with chart.piece("token"):
        chart.token(view["seat"] or 0, x, y + 4, min(25.0, width * 0.29))


def _hex(chart: Chart, kind: Kind, planetfall: str, place: str, middle: tuple[float, float], width: float) -> None:
    """Draw a hex with id, short name, requirement, stars, hazards and combat."""
    x, y = middle
    if kind.hazards:
        chart.polygon(*hexagon(x, y, width - 6), fill="tint")
    chart.label(x, y - 27, place, anchor="middle")
    chart.text(x, y - 9, SHORT.get(kind.id, kind.name), size=18, weight=600, anchor="middle", room=width - 12)
    _asked(chart, requirement(kind, planetfall), x, y - 3, width - 8)
    signs = [{"damage": "damage", "time": "time"}[hazard] for hazard in kind.hazards] + (["attack"] if kind.combat else [])
    total = 17 + 13 + 17 * len(signs)
    at = x - total / 2
    chart.icon("star", at, y + 15, 17)
    chart.text(at + 18, y + 31, str(kind.stars), size=20, weight=700)
    for sign in signs:
        at += 17
        chart.icon(sign, at + 14, y + 16, 15)


def _asked(chart: Chart, need: Requirement, x: float, y: float, room: float) -> None:
    """Draw a requirement as die boxes around the centre x, or as words if boxes cannot express it."""
    if need.type == "groups" and len(need.sizes) <= 2:
        count = sum(need.sizes)
        size = min(14.0, (room - 4 * len(need.sizes)) / count - 1.5)
        step = size + 1.5
        at = x - (count * step - 1.5 + 3 * (len(need.sizes) - 1)) / 2
        for group, amount in enumerate(need.sizes):
            for _ in range(amount):
                chart.die_box(at, y + (16 - size) / 2, size, filled=group == 0)
                at += step
            at += 3
        return
    if need.type == "contains_each":
        figures = [str(value) for value in need.values]
    elif need.type == "count_of" and len(need.values) == 1:
        figures = [str(need.values[0])] * need.n
    else:
        chart.text(x, y + 15, panels.asked_words(need), size=18, anchor="middle", room=room)
        return
    step = min(15.5, room / len(figures))
    for at, figure in enumerate(figures):
        chart.die_box(x + (at - len(figures) / 2) * step, y + 1, step - 1.5, figure=figure)
