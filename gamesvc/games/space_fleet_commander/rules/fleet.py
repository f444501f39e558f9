"""Fleet formation (RULES.md 3): legal slots, the consequences of removing a ship, and the default fleet of a timeout.

Pure functions of a sheet in phase `fleet`; the events are emitted in `decide`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from gamesvc.games.kernel.game import Refused
from gamesvc.games.kernel.wording import listed
from gamesvc.games.space_fleet_commander.data import COLOURS, ROSTER, SHIPS, Ship
from gamesvc.games.space_fleet_commander.state import Sheet, State, Vessel, at_slot, by_roster
from gamesvc.json_types import JsonObject
from gamesvc.language import say

DRONE = "upgrade_black"


def unplaced(state: State, sheet: Sheet) -> list[int]:
    """Return the indices of the formation dice that have not bought a ship."""
    used = {vessel.die for vessel in sheet.ships}
    return [die for die in range(len(state.formation)) if die not in used]


def colours(sheet: Sheet) -> Counter[str]:
    """Return the printed dice per colour, the flagship included."""
    return Counter(colour for vessel in sheet.ships for colour in vessel.dice)


def too_many(sheet: Sheet, ship: str) -> str:
    """Return the colour whose limit another ship would exceed, red counted after upgrades; "" for none (RULES.md 12.5)."""
    have, more = colours(sheet), Counter(SHIPS[ship].dice)
    for colour in COLOURS:
        lifted = len(sheet.upgrades or {}) if colour == "red" else 0
        if more[colour] and have[colour] + more[colour] + lifted > ROSTER.limit:
            return colour
    return ""


def supplied(sheet: Sheet, ship: str, slot: str) -> bool:
    """Return True if the ship that another ship requires is beside the slot."""
    need = SHIPS[ship].requires
    return not need or any(vessel.ship == need and vessel.slot in ROSTER.adjacent[slot] for vessel in sheet.ships)


def slots_for(sheet: Sheet, ship: str) -> list[str]:
    """Return the slots where a ship may be placed now, in its printed order."""
    if too_many(sheet, ship):
        return []
    return [slot for slot in SHIPS[ship].slots if at_slot(sheet, slot) is None and supplied(sheet, ship, slot)]


def check_place(state: State, sheet: Sheet, die: int, ship: str, slot: str) -> None:
    """Raise `Refused` unless this formation die may place this ship in the slot."""
    if ship not in SHIPS:
        raise Refused("wrong_face", say("There is no ship {ship!r}.", ship=ship), "ship")
    entry = SHIPS[ship]
    _check_die(state, sheet, die, entry)
    if slot not in entry.slots:
        raise Refused(
            "wrong_slot", say("The {ship} goes into slot {slots}.", ship=entry.name, slots=listed(entry.slots, "or")), "slot"
        )
    if (there := at_slot(sheet, slot)) is not None:
        raise Refused(
            "slot_taken",
            say("The {ship} is in slot {slot}. Remove it or choose another slot.", ship=ship_name(there), slot=slot),
            "slot",
        )
    if colour := too_many(sheet, ship):
        raise Refused(
            "colour_limit",
            say("The fleet would have more than {most} {colour} dice.", most=ROSTER.limit, colour=say(colour)),
            "ship",
        )
    if not supplied(sheet, ship, slot):
        need = SHIPS[entry.requires].name
        raise Refused(
            "requirement_not_met",
            say("The {ship} needs a {need} in a slot adjacent to {slot}.", ship=entry.name, need=need, slot=slot),
            "slot",
        )


def _check_die(state: State, sheet: Sheet, die: int, entry: Ship) -> None:
    left = unplaced(state, sheet)
    if die not in left:
        free = ", ".join(map(str, left)) or say("none")
        raise Refused("die_used", say("Formation die {die} is used. Left: {left}.", die=die, left=free), "die")
    if state.formation[die] != entry.face:
        shown = {"die": die, "shows": state.formation[die], "ship": entry.name, "face": entry.face}
        if wanted := ", ".join(str(at) for at in left if state.formation[at] == entry.face):
            detail = say("Die {die} shows {shows}; the {ship} is bought by a {face}: dice {dice} do.", dice=wanted, **shown)
        else:
            detail = say("Die {die} shows {shows}; the {ship} is bought by a {face}: none of your dice does.", **shown)
        raise Refused("wrong_face", detail, "die")


def check_remove(sheet: Sheet, slot: str) -> list[str]:
    """Return the slots emptied by removing a ship: its own, and those of ships that lose their only Supply Barge."""
    if slot == ROSTER.flag_slot:
        raise Refused("flag_stays", say("The Flag Command Cruiser is always in slot 9."), "slot")
    if at_slot(sheet, slot) is None:
        taken = [vessel.slot for vessel in sheet.ships if vessel.slot != ROSTER.flag_slot]
        raise Refused(
            "empty_slot",
            say("There is no ship in slot {slot!r}. Taken: {taken}.", slot=slot, taken=", ".join(taken) or say("none")),
            "slot",
        )
    left = replace(sheet, ships=tuple(vessel for vessel in sheet.ships if vessel.slot != slot))
    dropped = [vessel.slot for vessel in left.ships if vessel.ship in SHIPS and not supplied(left, vessel.ship, vessel.slot)]
    return [slot, *dropped]


def upgrades_without(sheet: Sheet, gone: Iterable[str]) -> dict[str, str]:
    """Return the upgrades left when slots become empty. Removing either ship cancels an upgrade."""
    gone = set(gone)
    return {slot: target for slot, target in (sheet.upgrades or {}).items() if slot not in gone and target not in gone}


def drones(sheet: Sheet) -> list[str]:
    """Return the slots of Drone Boats in roster order."""
    return [vessel.slot for vessel in sheet.ships if vessel.ship in SHIPS and SHIPS[vessel.ship].ability == DRONE]


def upgrade_targets(sheet: Sheet, slot: str) -> list[str]:
    """Return the adjacent slots whose ship's first black die a Drone Boat may turn red."""
    others = len(upgrades_without(sheet, [slot]))
    if colours(sheet)["red"] + others + 1 > ROSTER.limit:
        return []
    return [near for near in ROSTER.adjacent[slot] if (v := at_slot(sheet, near)) is not None and "black" in v.dice]


def check_upgrade(sheet: Sheet, slot: str, target: str | None) -> None:
    """Raise `Refused` unless this Drone Boat may upgrade that ship (None: no ship)."""
    if slot not in drones(sheet):
        known = ", ".join(drones(sheet)) or "none"
        raise Refused(
            "no_drone_boat", say("There is no Drone Boat in slot {slot!r}. Drone Boats: {known}.", slot=slot, known=known), "slot"
        )
    if target is None:
        return
    if target not in ROSTER.adjacent[slot]:
        near = ", ".join(ROSTER.adjacent[slot])
        raise Refused(
            "not_adjacent",
            say("Slot {target} is not adjacent to slot {slot}. Adjacent: {near}.", target=target, slot=slot, near=near),
            "target",
        )
    ship = at_slot(sheet, target)
    if ship is None or "black" not in ship.dice:
        raise Refused("no_black_die", say("The ship in slot {target} has no black die.", target=target), "target")
    if target not in upgrade_targets(sheet, slot):
        raise Refused("colour_limit", say("The fleet would have more than {most} red dice.", most=ROSTER.limit), "target")


def placeable(state: State, sheet: Sheet) -> list[tuple[int, str, str]]:
    """Return every legal placement: formation die, ship in table order, slot in its printed order."""
    left = unplaced(state, sheet)
    found: list[tuple[int, str, str]] = []
    faces = {state.formation[die] for die in left}
    slots = {ship: slots_for(sheet, ship) for ship, entry in SHIPS.items() if entry.face in faces}
    for die in left:
        for ship, entry in SHIPS.items():
            if entry.face == state.formation[die]:
                found.extend((die, ship, slot) for slot in slots[ship])
    return found


def put(sheet: Sheet, die: int, ship: str, slot: str) -> Sheet:
    """Return the sheet with a ship placed. For plans only; the match itself changes by events."""
    entry = SHIPS[ship]
    return replace(sheet, ships=by_roster([*sheet.ships, Vessel(slot, ship, entry.hull, entry.dice, die)]))


def plan_default(state: State, sheet: Sheet) -> list[JsonObject]:
    """Return the placements of a timeout: each unplaced die by index takes the ship that adds most dice (RULES.md 8).

    Repeats in passes until no die can place a ship.
    """
    placements: list[JsonObject] = []
    moved = True
    while moved:
        moved = False
        for die in unplaced(state, sheet):
            # Among ships with as many dice: the first in table order, in its first printed slot.
            best = max(_places(state, sheet, die), key=lambda place: len(SHIPS[place[0]].dice), default=None)
            if best is not None:
                sheet = put(sheet, die, *best)
                placements.append({"die": die, "ship": best[0], "slot": best[1]})
                moved = True
    return placements


def _places(state: State, sheet: Sheet, die: int) -> Iterator[tuple[str, str]]:
    """Yield the ships and slots for one formation die, in the order of `placeable`."""
    for ship, entry in SHIPS.items():
        if entry.face == state.formation[die]:
            yield from ((ship, slot) for slot in slots_for(sheet, ship))


def ship_name(vessel: Vessel) -> str:
    return SHIPS[vessel.ship].name if vessel.ship in SHIPS else ROSTER.flag.name
