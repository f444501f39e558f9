"""The position in a few words: for the head of a page, and in place of the picture where it cannot be seen."""

from __future__ import annotations

from gamesvc.games.kernel.game import Caption, Data
from gamesvc.games.kernel.telling import Glance, headline
from gamesvc.games.space_fleet_commander.data import COLOURS
from gamesvc.games.space_fleet_commander.text.narrate import stars_of
from gamesvc.games.space_fleet_commander.text.task import task
from gamesvc.language import say

NUMBERS = {"fleet": 0, "reroll_1": 2, "reroll_2": 3, "tinker": 3, "explore": 5, "repair": 5, "hit": 5, "push": 5}


def glance(view: Data, caption: Caption) -> Glance:
    """Return turn and phase of the viewer's sheet, and the acting seats; its fleet, tracks and dice."""
    sheet = view["sheet"]
    turn = 0 if sheet is None else sheet["turn"]
    return Glance(headline(now(view), view["awaited"], caption), _described(view), turn, task(view))


def now(view: Data) -> str:
    """Return turn, attempt and phase."""
    sheet = view["sheet"]
    if sheet is None:
        return say("Race over") if view["outcome"] else say("Race of {seats}", seats=view["seats"])
    if sheet["phase"] == "finished":
        return say("Finished in turn {turn}", turn=sheet["turn"])
    if sheet["phase"] == "fleet":
        return say("Fleet formation")
    if sheet["phase"] == "wait":
        return say("Turn {turn} ended · waiting for the others", turn=sheet["turn"])
    return say(
        "Turn {turn} · attempt {attempt} · phase {phase} of 6",
        turn=sheet["turn"],
        attempt=sheet["attempt"],
        phase=NUMBERS.get(sheet["phase"], 4),
    )


def _described(view: Data) -> str:
    sheet, board = view["sheet"], view["map"]
    missions = sum(1 for place in board["hexes"].values() if place[2] != "start")
    parts = [say("Hex chart of {missions} missions, {map}.", missions=missions, map=board["name"])]
    if sheet is None:
        return parts[0]
    parts.append(say("Token at {hex}; path {path}.", hex=sheet["token"], path=", ".join(sheet["path"])))
    rank = say("rank {title}", title=sheet["title"]) if sheet["title"] else say("no rank")
    parts.append(f"{stars_of(sheet['stars'])}, {rank}.")
    parts.append(
        say(
            "{time} of {boxes} time boxes and {sabotage} of {cells} sabotage cells marked.",
            time=sheet["time"],
            boxes=board["time_boxes"],
            sabotage=sheet["sabotage"],
            cells=len(board["sabotage"]),
        )
    )
    live = [die for die in sheet["dice"] if die["status"] == "live" and die["value"]]
    shown = [
        f"{say(colour)} {' '.join(str(die['value']) for die in live if die['colour'] == colour)}"
        for colour in COLOURS
        if any(die["colour"] == colour for die in live)
    ]
    if shown:
        parts.append(say("Dice: {dice}.", dice=", ".join(shown)))
    if sheet["targets"]:
        parts.append(say("Targets: {hexes}.", hexes=", ".join(sheet["targets"])))
    return " ".join(parts)
