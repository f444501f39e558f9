"""The fleet that the greedy bot forms: a beam search over placements, by the bot's value of each ship."""

from __future__ import annotations

from functools import lru_cache

from gamesvc.games.space_fleet_commander.data import ROSTER, SHIPS
from gamesvc.games.space_fleet_commander.rules import fleet
from gamesvc.games.space_fleet_commander.state import Sheet, State, Vessel

BEAM = 60
DIE_WORTH = {"white": 10.0, "red": 8.0, "black": 5.5}
WORTH = {
    "destroyer": 2.0,
    "repair_tender": 1.0,
    "aegis_warship": 0.5,
    "hospital_barge": 1.0,
    "supply_barge": 0.5,
    "medium_cruiser": 0.5,
    "colony_ship": 3.0,
    "temporal_buoy": 2.0,
    "prison_barge": 3.0,
    "cloaked_raider": -2.0,
    "drone_cruiser": 0.0,
    "fire_support_ship": 2.0,
    "bulwark_ship": 1.0,
    "escort_cruiser": 0.0,
    "ace_fighter": -0.5,
    "drone_boat": 0.5,
    "dreadnaught": 0.0,
}


def ship_worth(ship: str, dice: int) -> float:
    """Return the loss of value if a ship is destroyed, mostly its dice."""
    return 8.0 * dice + max(0.5, WORTH.get(ship, 2.0))


def _worth(sheet: Sheet) -> float:
    total = 0.0
    for vessel in sheet.ships:
        if vessel.ship in SHIPS:
            total += WORTH[vessel.ship] + sum(DIE_WORTH[colour] for colour in vessel.dice)
    boats = [slot for slot in fleet.drones(sheet) if fleet.upgrade_targets(sheet, slot)]
    return total + 2.5 * len(boats)


@lru_cache(maxsize=2000)
def plan_fleet(formation: tuple[int, ...]) -> tuple[tuple[int, str, str], ...]:
    """Return the placements (die, ship, slot) of a good fleet, in an order in which each is legal."""
    flag = Vessel(ROSTER.flag_slot, ROSTER.flag.id, ROSTER.flag.hull, ROSTER.flag.dice)
    empty = Sheet("", ("",), (flag,))
    state = State("classic", "", "three", False, (empty,), formation)
    beam: list[tuple[float, Sheet, tuple[tuple[int, str, str], ...]]] = [(0.0, empty, ())]
    best = beam[0]
    while beam:
        grown: dict[tuple[tuple[str, str], ...], tuple[float, Sheet, tuple[tuple[int, str, str], ...]]] = {}
        for _, sheet, placed in beam:
            faces: set[int] = set()
            for die in fleet.unplaced(state, sheet):
                if formation[die] in faces:
                    continue
                faces.add(formation[die])
                for ship, entry in SHIPS.items():
                    if entry.face == formation[die]:
                        for slot in fleet.slots_for(sheet, ship):
                            after = fleet.put(sheet, die, ship, slot)
                            key = tuple((vessel.slot, vessel.ship) for vessel in after.ships)
                            if key not in grown:
                                # A Supply Barge is worth the ships it makes possible. Half of their value is counted in advance.
                                hope = 6.0 if ship == "supply_barge" and {5, 6} & {*formation} else 0.0
                                grown[key] = (_worth(after) + hope, after, (*placed, (die, ship, slot)))
        beam = sorted(grown.values(), key=lambda one: -one[0])[:BEAM]
        for entry_ in beam:
            if _worth(entry_[1]) > _worth(best[1]) or len(entry_[2]) > len(best[2]) + 1:
                best = entry_
    return best[2]
