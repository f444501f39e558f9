"""The invariants of every state."""

from __future__ import annotations

from collections import Counter

from gamesvc.games.space_fleet_commander.data import BOARDS, COLOURS, ROSTER, SHIPS
from gamesvc.games.space_fleet_commander.rules.fleet import drones, supplied
from gamesvc.games.space_fleet_commander.rules.rolls import numbered
from gamesvc.games.space_fleet_commander.state import Sheet, State, able, at_slot, live_beside, not_aside, pool


def faults(state: State) -> list[str]:
    """Return the broken invariants of a state as sentences."""
    if state.map not in BOARDS:
        return [f"there is no map {state.map!r}; there are {', '.join(BOARDS)}"]
    found = _course_faults(state)
    if (state.mode == "race") != (len(state.sheets) > 1):
        found.append(f"mode {state.mode} with {len(state.sheets)} sheets")
    if state.formation and (len(state.formation) != ROSTER.formation or not all(1 <= die <= 6 for die in state.formation)):
        found.append(f"formation dice {state.formation}")
    for seat, sheet in enumerate(state.sheets):
        found += [f"seat {seat}: {fault}" for fault in (*_fleet_faults(state, sheet), *_sheet_faults(state, sheet))]
    if state.over and not all(sheet.finished for sheet in state.sheets):
        found.append("the match is over with sheets unfinished")
    # A sheet begins its first turn as soon as its fleet is confirmed; all later turns begin together.
    turns = [1 if sheet.phase == "fleet" else sheet.turn for sheet in state.sheets if not sheet.finished]
    if state.lockstep and len(set(turns)) > 1:
        found.append(f"lockstep with sheets in turns {turns}")
    for cell, values in (state.stream or {}).items():
        if len(values) != 15 or not all(1 <= value <= 6 for value in values):
            found.append(f"stream cell {cell} is {values}")
    return found


def _course_faults(state: State) -> list[str]:
    """Return conflicts between sheets. Every unfinished sheet must be able to continue."""
    found = []
    unfinished = [sheet for sheet in state.sheets if not sheet.finished]
    if state.over == bool(unfinished):
        found.append("the match is over when all sheets are finished, and not before")
    if state.lockstep and state.mode != "race":
        found.append("only a race goes in lockstep")
    if any(sheet.phase == "resolve" for sheet in unfinished):
        found.append("a sheet is in the middle of its turn and nothing is asked")
    waiting = [sheet for sheet in unfinished if sheet.phase == "wait"]
    if waiting and (not state.lockstep or len(waiting) == len(unfinished)):
        found.append("a sheet waits for nobody")
    if waiting and any(sheet.turn > waiting[0].turn for sheet in unfinished):
        found.append("a sheet waits for those that are ahead of it")
    if len(state.formation) != ROSTER.formation:
        found.append(f"there must be {ROSTER.formation} formation dice")
    if state.mode != "race" and (state.stream is not None or state.hits or any(sheet.seen for sheet in state.sheets)):
        found.append("only a race has a shared stream of dice")
    if state.mode == "race" and any(sheet.rolls > len(state.hits) for sheet in state.sheets):
        found.append("a sheet has made more damage rolls than were dealt")
    known = state.stream or {}
    if any(cell not in known for sheet in state.sheets for cell in sheet.seen or {}):
        found.append("a sheet has used a cell of the stream that was not dealt")
    return found


def _fleet_faults(state: State, sheet: Sheet) -> list[str]:
    found = []
    slots = [vessel.slot for vessel in sheet.ships]
    if slots != [slot for slot in ROSTER.order if slot in slots] or ROSTER.flag_slot not in slots:
        found.append(f"roster slots {slots}")
    bought = [vessel.die for vessel in sheet.ships if vessel.die >= 0]
    if len(set(bought)) < len(bought):
        found.append("a formation die has bought two ships")
    for vessel in sheet.ships:
        if (vessel.slot == ROSTER.flag_slot) != (vessel.ship == ROSTER.flag.id):
            found.append(f"the flag, and nothing else, stands in {ROSTER.flag_slot}")
        if not 0 <= vessel.damage <= vessel.hull:
            found.append(f"{vessel.slot} has damage {vessel.damage} of {vessel.hull}")
        if vessel.ship == ROSTER.flag.id:
            continue
        ship = SHIPS.get(vessel.ship)
        if ship is None or vessel.slot not in ship.slots:
            found.append(f"{vessel.ship} cannot stand in {vessel.slot}")
        elif 0 <= vessel.die < len(state.formation) and state.formation[vessel.die] != ship.face:
            found.append(f"{vessel.ship} was bought by a die showing {state.formation[vessel.die]}")
    counts = Counter(colour for vessel in sheet.ships for colour in vessel.dice)
    counts["red"] += len(sheet.upgrades or {})
    if any(counts[colour] > ROSTER.limit for colour in COLOURS):
        found.append(f"more than {ROSTER.limit} dice of a colour")
    for slot, target in (sheet.upgrades or {}).items():
        boat, lifted = at_slot(sheet, slot), at_slot(sheet, target)
        if boat is None or lifted is None or slot not in drones(sheet) or target not in ROSTER.adjacent[slot]:
            found.append(f"the upgrade of {target} by {slot} is impossible")
        elif "black" not in lifted.dice:
            found.append(f"the ship in {target} has no black die to upgrade")
    for vessel in sheet.ships:
        if sheet.phase == "fleet" and vessel.damage:
            found.append(f"{vessel.slot} is damaged before the fleet is confirmed")
        if sheet.phase == "fleet" and vessel.ship in SHIPS and not supplied(sheet, vessel.ship, vessel.slot):
            found.append(f"the ship in {vessel.slot} lacks the one that it needs beside it")
    return found


def _sheet_faults(state: State, sheet: Sheet) -> list[str]:
    board = state.board
    found = []
    if not sheet.path or any(place not in board.places for place in sheet.path):
        return [f"the path {sheet.path} leaves the map"]
    if sheet.path[0] != board.start or len(set(sheet.path)) < len(sheet.path) or sheet.path[-1] != sheet.token:
        found.append(f"the path {sheet.path} does not lead from {board.start} to {sheet.token}")
    elif any(after not in board.neighbours[before] for before, after in zip(sheet.path, sheet.path[1:])):
        found.append("the path has a gap")
    if len(sheet.scored) != len(sheet.path) - 1 or sum(sheet.scored) != sheet.stars:
        found.append(f"{sheet.stars} stars are not the sum of those scored, {sheet.scored}")
    if state.mode == "classic" and sheet.stars > board.stars_to_win:
        found.append(f"{sheet.stars} stars")
    if not 0 <= sheet.time <= board.time_boxes or not 0 <= sheet.sabotage <= len(board.sabotage):
        found.append(f"{sheet.time} time boxes, {sheet.sabotage} sabotage cells")
    if (sheet.hit is not None) != (sheet.phase == "hit") or (sheet.repair is not None) != (sheet.phase == "repair"):
        found.append(f"phase {sheet.phase} does not fit the open choice")
    if sheet.finished != bool(sheet.reason):
        found.append(f"phase {sheet.phase} with the ending {sheet.reason!r}")
    found += _phase_faults(sheet)
    if sheet.phase == "fleet":
        if sheet.dice or sheet.turn:
            found.append("dice or turns before the fleet is confirmed")
    elif sheet.turn > 0:
        expected = [(die.id, die.colour) for die in pool(sheet.ships, sheet.upgrades)]
        if [(die.id, die.colour) for die in sheet.dice] != expected:
            found.append(f"the dice are not those of the live ships, {expected}")
    if any(die.slot != die.id.rpartition(".")[0] for die in sheet.dice):
        found.append("a die is named after the slot of its ship")
    if sheet.attempt and any(not 1 <= die.value <= 6 for die in sheet.dice):
        found.append("a die was not rolled")
    if any(die.index >= ROSTER.limit for die in numbered(sheet.dice)):
        found.append(f"more than {ROSTER.limit} dice of a colour")
    drawn = [(die.colour, die.index) for die in not_aside(sheet)]
    # When a Drone Boat is destroyed, dice get their own colour back. They keep their places, and are rolled no more.
    lost_drones = any(not vessel.live for vessel in sheet.ships if vessel.slot in (sheet.upgrades or {}))
    rolled_no_more = lost_drones and sheet.phase not in ("reroll_1", "reroll_2")
    if state.mode == "race" and sheet.attempt and len(set(drawn)) < len(drawn) and not rolled_no_more:
        found.append("two dice of a colour stand in the same place of the stream")
    return found


def _phase_faults(sheet: Sheet) -> list[str]:
    """Return conflicts between a sheet's phase and its pending decision."""
    found = []
    if sheet.phase not in ("fleet", "finished", "wait") and not (sheet.turn and sheet.attempt):
        found.append(f"phase {sheet.phase} before the first attempt")
    if sheet.phase not in ("fleet", "finished") and not any(vessel.live for vessel in sheet.ships):
        found.append("every ship is destroyed, and the sheet goes on")
    if sheet.todo and sheet.phase not in ("hit", "repair", "finished", "resolve"):
        found.append(f"steps are still due in phase {sheet.phase}")
    if sheet.hit is not None:
        struck = at_slot(sheet, sheet.hit.slot)
        if struck is None or not struck.live or ROSTER.plot[sheet.hit.a + sheet.hit.b] != sheet.hit.slot:
            found.append(f"the hit of {sheet.hit.a} and {sheet.hit.b} falls on no live ship in {sheet.hit.slot}")
    if sheet.repair is not None:
        beside = live_beside(sheet, sheet.repair.tender)
        if sheet.repair.tender not in able(sheet, "rank_hull") or list(sheet.repair.candidates) != beside or len(beside) < 2:
            found.append(f"the tender in {sheet.repair.tender} has {beside} to choose from")
    if sheet.phase == "push" and not not_aside(sheet):
        found.append("pushing on needs a die that is not set aside")
    return found
