"""The position in a few words: for the head of a page, and in place of the picture where it cannot be seen."""

from __future__ import annotations

from gamesvc.games.kernel.game import Caption, Data
from gamesvc.games.kernel.telling import Glance, headline
from gamesvc.games.space_fleet_commander.data import COLOURS
from gamesvc.games.space_fleet_commander.text.narrate import stars_of

NUMBERS = {"fleet": 0, "reroll_1": 2, "reroll_2": 3, "tinker": 3, "explore": 5, "repair": 5, "hit": 5, "push": 5}


def glance(view: Data, caption: Caption) -> Glance:
    """Return turn and phase of the viewer's sheet, and the acting seats; its fleet, tracks and dice."""
    sheet = view["sheet"]
    return Glance(headline(now(view), view["awaited"], caption), _described(view), 0 if sheet is None else sheet["turn"])


def now(view: Data) -> str:
    """Return turn, attempt and phase."""
    sheet = view["sheet"]
    if sheet is None:
        return "Race over" if view["outcome"] else f"Race of {view['seats']}"
    if sheet["phase"] == "finished":
        return f"Finished in turn {sheet['turn']}"
    if sheet["phase"] == "fleet":
        return "Fleet formation"
    if sheet["phase"] == "wait":
        return f"Turn {sheet['turn']} ended · waiting for the others"
    return f"Turn {sheet['turn']} · attempt {sheet['attempt']} · phase {NUMBERS.get(sheet['phase'], 4)} of 6"


def _described(view: Data) -> str:
    sheet, board = view["sheet"], view["map"]
    missions = sum(1 for place in board["hexes"].values() if place[2] != "start")
    text = f"Hex chart of {missions} missions, {board['name']}."
    if sheet is None:
        return text
    text += f" Token at {sheet['token']}; path {', '.join(sheet['path'])}. {stars_of(sheet['stars'])}"
    text += f", rank {sheet['title']}." if sheet["title"] else ", no rank."
    cells = len(board["sabotage"])
    text += f" {sheet['time']} of {board['time_boxes']} time boxes and {sheet['sabotage']} of {cells} sabotage cells marked."
    live = [die for die in sheet["dice"] if die["status"] == "live" and die["value"]]
    shown = [
        f"{colour} {' '.join(str(die['value']) for die in live if die['colour'] == colour)}"
        for colour in COLOURS
        if any(die["colour"] == colour for die in live)
    ]
    if shown:
        text += f" Dice: {', '.join(shown)}."
    if sheet["targets"]:
        text += f" Targets: {', '.join(sheet['targets'])}."
    return text
