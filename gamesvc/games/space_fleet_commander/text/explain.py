"""Help on ships, slots of the fleet, and hexes."""

from __future__ import annotations

from gamesvc.games.kernel.game import Data
from gamesvc.games.kernel.telling import Explained
from gamesvc.games.kernel.wording import capital, counted, listed
from gamesvc.games.space_fleet_commander.data import ROSTER, SHIPS, Ship
from gamesvc.games.space_fleet_commander.text.narrate import stars_of


def explain(view: Data, of: str) -> Explained | None:
    """Return help on a kind of ship, a slot of the viewer's own fleet, or a hex."""
    if of in SHIPS:
        return Explained(SHIPS[of].name, _ship(SHIPS[of]))
    if of in ROSTER.order and view["sheet"] is not None:
        return Explained(f"Slot {of}", _slot(view["sheet"], of))
    if of in view["map"]["hexes"]:
        return _hex(view, of)
    return None


def _ship(ship: Ship) -> str:
    dice = listed(f"one {colour} die" for colour in ship.dice) or "no dice"
    needs = f" Needs an adjacent {SHIPS[ship.requires].name}." if ship.requires else ""
    note = f" {capital(ship.note)}." if ship.note else ""
    return f"Bought by a {ship.face}, for slot {listed(ship.slots, 'or')}. {ship.hull} hull, {dice}.{needs}{note}"


def _slot(sheet: Data, slot: str) -> str:
    row = next((row for row in sheet["roster"] if row["slot"] == slot), None)
    if row is None:
        return "Empty."
    if not row["live"]:
        return f"{row['name']}, destroyed."
    does = f" {_ship(SHIPS[row['ship']])}" if row["ship"] in SHIPS else ""
    dice = listed(f"{name} ({colour})" for name, colour in row["dice"]) or "none"
    return f"{row['name']}, {row['hull'] - row['damage']} of {row['hull']} hull left. Dice: {dice}.{does}"


def _hex(view: Data, place: str) -> Explained:
    kind = view["map"]["kinds"].get(view["map"]["hexes"][place][2])
    if kind is None:
        return Explained(place, "The fleets begin here.")
    marks = [*(f"{hazard} hazard" for hazard in kind["hazards"]), *(["combat"] if kind["combat"] else [])]
    explored = " Explored already." if view["sheet"] is not None and place in view["sheet"]["path"] else ""
    more = f" ({listed(marks)})" if marks else ""
    least = counted(kind["min_dice"], "die", "dice")
    return Explained(
        f"{place} {kind['name']}", f"{stars_of(kind['stars'])}{more}. Asks for {least} or more: {kind['text']}.{explored}"
    )
