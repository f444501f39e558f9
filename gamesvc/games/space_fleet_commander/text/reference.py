"""The ships and missions of the game, for mails and lists of ships."""

from __future__ import annotations

from collections.abc import Iterator

from gamesvc.games.kernel.game import Data
from gamesvc.games.kernel.telling import Entry, rule
from gamesvc.games.kernel.wording import capital, counted, listed
from gamesvc.games.space_fleet_commander.data import ROSTER, SHIPS, Ship
from gamesvc.games.space_fleet_commander.text.narrate import HAZARDS, stars_of
from gamesvc.language import mark, say


def reference(view: Data) -> tuple[Entry, ...]:
    """Return all ships, with the slots where the viewer's fleet has one, and the missions of the map."""
    return (*_rules(view), *_ships(view), *_missions(view))


_TURN = mark(
    "Explore a hex beside your fleet that the dice not showing 1 fit, then push on with one die less or end the turn. If they fit"
    " none, your fleet takes two hits. Each turn marks a time box."
)


def _rules(view: Data) -> Iterator[Entry]:
    goal = say("{stars} stars make you Emperor.", stars=view["map"]["stars_to_win"]) if view["mode"] == "classic" else ""
    goal = goal or say("Most stars when all time boxes are marked or no hex is left.")
    yield rule("goal", say("How to win"), goal)
    yield rule("turn", say("A turn"), say(_TURN))


def _ships(view: Data) -> Iterator[Entry]:
    sheet = view["sheet"]
    rows = sheet["roster"] if sheet is not None else ()
    bought = {view["formation"][at] for at in sheet["unplaced"]} if sheet is not None else set()
    for ship in (ROSTER.flag, *SHIPS.values()):
        slots = tuple(row["slot"] for row in rows if row["ship"] == ship.id and row["live"])
        offered = (ship.id,) if ship.face in bought else ()
        yield Entry(ship.id, ship.name, say("ship"), numbers(ship), does(ship), (*slots, *offered))


def numbers(ship: Ship) -> str:
    """Return the figures of a ship as printed: `die 6, slot 4 or 10, 3 hull, dice: 1 red`."""
    bought = [say("die {face}", face=ship.face), say("slot {slots}", slots=listed(ship.slots, "or"))] * bool(ship.face)
    return ", ".join([*bought, say("{hull} hull", hull=ship.hull), dice_of(ship)])


def dice_of(ship: Ship) -> str:
    """Return the dice that a ship rolls: `dice: 2 red and 1 white`."""
    dice = [f"{ship.dice.count(colour)} {say(colour)}" for colour in dict.fromkeys(ship.dice)]
    return say("dice: {dice}", dice=listed(dice)) if dice else say("no dice")


def does(ship: Ship) -> str:
    """Return what a ship does and needs, in sentences; empty if nothing."""
    needs = [say("Needs an adjacent {ship}.", ship=SHIPS[ship.requires].name)] if ship.requires else []
    return " ".join([*needs, *([f"{capital(say(ship.note))}."] if ship.note else [])])


def _missions(view: Data) -> Iterator[Entry]:
    """Yield the missions. None counts as shown: the position itself says what the hexes in reach need."""
    for name, kind in view["map"]["kinds"].items():
        marks = hazards(kind)
        facts = ", ".join([stars_of(kind["stars"]), *marks, say("{dice} or more", dice=counted(kind["min_dice"], "die", "dice"))])
        yield Entry(name, kind["name"], say("mission"), facts, f"{capital(say(kind['text']))}.")


COLOURS = (mark("red"), mark("white"), mark("black"))


def hazards(kind: Data) -> list[str]:
    """Return what is dangerous in a hex: `time hazard`, `combat`."""
    return [
        *(say("{hazard} hazard", hazard=say(HAZARDS[hazard])) for hazard in kind["hazards"]),
        *([say("combat")] if kind["combat"] else []),
    ]
