"""How a match ends, and what must always hold (RULES.md 1, 9, 11)."""

from __future__ import annotations

from collections import Counter

from gamesvc.games.kernel import Outcome
from gamesvc.games.space_fleet_commander.data import BOARDS, COLOURS, ROSTER, SHIPS
from gamesvc.games.space_fleet_commander.state import Sheet, State, pool
from gamesvc.games.space_fleet_commander.turn import numbered


def hull_left(sheet: Sheet) -> int:
    return sum(vessel.hull - vessel.damage for vessel in sheet.ships)


def standing(sheet: Sheet) -> tuple[int, int, int]:
    """What places a seat of a race: most stars, fewest time boxes, most hull left. Higher is better."""
    return sheet.stars, -sheet.time, hull_left(sheet)


def outcome(state: State) -> Outcome | None:
    """The result once all sheets are finished. Solo: `detail` says whether it is a win, with title and rank number."""
    if not state.over:
        return None
    board = state.board
    scores = tuple(sheet.stars for sheet in state.sheets)
    if state.mode == "race":
        groups: dict[tuple[int, int, int], list[int]] = {}
        for seat, sheet in enumerate(state.sheets):
            groups.setdefault(standing(sheet), []).append(seat)
        ranking = tuple(tuple(groups[key]) for key in sorted(groups, reverse=True))
        rows = [
            {
                "seat": seat,
                "stars": sheet.stars,
                "title": board.title(sheet.stars),
                "time": sheet.time,
                "hull": hull_left(sheet),
                "reason": sheet.reason,
            }
            for seat, sheet in enumerate(state.sheets)
        ]
        return Outcome("all_finished", ranking, scores, {"seats": rows})
    [sheet] = state.sheets
    detail = {
        "won": state.mode == "classic" and sheet.reason == "emperor",
        "stars": sheet.stars,
        "title": board.title(sheet.stars),
        "rank": board.rank(sheet.stars),
    }
    return Outcome(sheet.reason, ((0,),), scores, detail)


def faults(state: State) -> list[str]:
    """What is wrong with a state, in words."""
    if state.map not in BOARDS:
        return [f"there is no map {state.map!r}; there are {', '.join(BOARDS)}"]
    found = []
    if (state.mode == "race") != (len(state.sheets) > 1):
        found.append(f"mode {state.mode} with {len(state.sheets)} sheets")
    if state.formation and (len(state.formation) != ROSTER.formation or not all(1 <= die <= 6 for die in state.formation)):
        found.append(f"formation dice {state.formation}")
    for seat, sheet in enumerate(state.sheets):
        found += [f"seat {seat}: {fault}" for fault in (*_fleet_faults(state, sheet), *_sheet_faults(state, sheet))]
    if state.over and not all(sheet.finished for sheet in state.sheets):
        found.append("the match is over with sheets unfinished")
    turns = [sheet.turn for sheet in state.sheets if not sheet.finished]
    if state.lockstep and turns and max(turns) - min(turns) > 1:
        found.append(f"lockstep with sheets in turns {turns}")
    for cell, values in (state.stream or {}).items():
        if len(values) != 15 or not all(1 <= value <= 6 for value in values):
            found.append(f"stream cell {cell} is {values}")
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
        if slot not in slots or target not in slots or target not in ROSTER.adjacent[slot]:
            found.append(f"the upgrade of {target} by {slot} is impossible")
    return found


def _sheet_faults(state: State, sheet: Sheet) -> list[str]:
    board = state.board
    found = []
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
    if sheet.phase == "fleet":
        if sheet.dice:
            found.append("dice before the fleet is confirmed")
    elif sheet.turn > 0:
        expected = [(die.id, die.colour) for die in pool(sheet.ships, sheet.upgrades)]
        if [(die.id, die.colour) for die in sheet.dice] != expected:
            found.append(f"the dice are not those of the live ships, {expected}")
    if sheet.attempt and any(not 1 <= die.value <= 6 for die in sheet.dice):
        found.append("a die was not rolled")
    if any(die.index >= ROSTER.limit for die in numbered(sheet.dice)):
        found.append(f"more than {ROSTER.limit} dice of a colour")
    return found
