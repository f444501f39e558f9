"""Help on ships, slots of the fleet, and hexes."""

from __future__ import annotations

from collections.abc import Sequence

from gamesvc.games.kernel.game import Data
from gamesvc.games.kernel.telling import Explained
from gamesvc.games.kernel.wording import counted, listed
from gamesvc.games.space_fleet_commander.data import ROSTER, SHIPS, Ship
from gamesvc.games.space_fleet_commander.text.narrate import stars_of
from gamesvc.games.space_fleet_commander.text.reference import dice_of, does, hazards
from gamesvc.language import mark, say

KINDS = {
    "seat": mark("A player's line: stars, time and sabotage."),
    "slot": mark("A place of the fleet for one ship. Joined slots are adjacent."),
    "die": mark("A die of this turn, named after its ship. Red and white dice can be rerolled; one is set aside to push on."),
}
"""Help on a kind of target, where `explain` has nothing to say about each."""


def explain(view: Data, of: str) -> Explained | None:
    """Return help on a kind of ship, a slot or a die of the viewer's own fleet, a hex, or a formation die (`d4`)."""
    if of in SHIPS:
        return Explained(SHIPS[of].name, _ship(SHIPS[of]))
    if of in ROSTER.order and view["sheet"] is not None:
        return _slot(view["sheet"], of)
    if of in view["map"]["hexes"]:
        return _hex(view, of)
    if view["sheet"] is not None and view["sheet"]["phase"] == "fleet" and of[:1] == "d" and of[1:].isdecimal():
        return _formation_die(view["formation"], int(of[1:]))
    if view["sheet"] is not None and (die := next((die for die in view["sheet"]["dice"] if die["id"] == of), None)):
        return _die(die)
    return None


def _die(die: Data) -> Explained:
    shown = f"{say(die['colour'])} {die['value']}" if die["value"] else say(die["colour"])
    state = {"removed": mark("Removed."), "aside": mark("Set aside.")}.get(die["status"], KINDS["die"])
    return Explained(say("Die {die}: {shown}", die=die["id"], shown=shown), say(state))


def _formation_die(formation: Sequence[int], die: int) -> Explained | None:
    if die >= len(formation):
        return None
    ships = listed((ship.name for ship in SHIPS.values() if ship.face == formation[die]), "or")
    text = say("Shows {face}, which buys one ship: {ships}.", face=formation[die], ships=ships)
    return Explained(say("Formation die showing {face}", face=formation[die]), text)


def _ship(ship: Ship) -> str:
    dice = dice_of(ship)
    bought = say("Bought by a {face}, for slot {slots}.", face=ship.face, slots=listed(ship.slots, "or"))
    return " ".join(filter(None, [bought, say("{hull} hull, {dice}.", hull=ship.hull, dice=dice), does(ship)]))


def _slot(sheet: Data, slot: str) -> Explained:
    row = next((row for row in sheet["roster"] if row["slot"] == slot), None)
    if row is None:
        return Explained(say("Slot {slot}: empty", slot=slot), say(KINDS["slot"]))
    if not row["live"]:
        return Explained(say("Slot {slot}: {ship}, destroyed", slot=slot, ship=row["name"]), say(KINDS["slot"]))
    dice = listed(f"{name} ({say(colour)})" for name, colour in row["dice"]) or say("none")
    left = row["hull"] - row["damage"]
    name = say("Slot {slot}: {ship}, {left} of {hull} hull left", slot=slot, ship=row["name"], left=left, hull=row["hull"])
    told = say("Dice: {dice}.", dice=dice)
    return Explained(name, f"{told} {_ship(SHIPS[row['ship']])}" if row["ship"] in SHIPS else told)


def _hex(view: Data, place: str) -> Explained:
    kind = view["map"]["kinds"].get(view["map"]["hexes"][place][2])
    if kind is None:
        return Explained(place, say("The fleets begin here."))
    marks = hazards(kind)
    more = f" ({listed(marks)})" if marks else ""
    least = counted(kind["min_dice"], "die", "dice")
    asks = say("Asks for {dice} or more: {mission}.", dice=least, mission=say(kind["text"]))
    explored = view["sheet"] is not None and place in view["sheet"]["path"]
    parts = [f"{stars_of(kind['stars'])}{more}.", asks, *([say("Explored already.")] if explored else [])]
    return Explained(f"{place} {kind['name']}", " ".join(parts))
