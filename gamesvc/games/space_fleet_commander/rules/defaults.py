"""The default commands for timeouts."""

from __future__ import annotations

from gamesvc.games.kernel.game import Command
from gamesvc.games.space_fleet_commander.rules import fleet, missions
from gamesvc.games.space_fleet_commander.state import Sheet, State, able


def default_command(state: State, seat: int) -> Command:
    """Return the command for a seat that has run out of time (RULES.md 8)."""
    sheet = state.sheets[seat]
    match sheet.phase:
        case "fleet":
            return {"name": "form_fleet", "placements": fleet.plan_default(state, sheet), "upgrades": []}
        case "reroll_1" | "reroll_2":
            return {"name": "reroll", "dice": []}
        case "tinker":
            ones = [die.id for die in sheet.dice if die.status == "live" and die.value == 1]
            barges = able(sheet, "remove_one")
            remove = [{"ship": ship, "die": die} for ship, die in zip(barges, ones)]
            return {"name": "tinker", "adjust": [], "remove": remove}
        case "explore":
            target = min(missions.targets(state, sheet), key=lambda one: _explore_rank(state, sheet, one))
            return {"name": "explore", "hex": target.hex, "adjust": target.adjust[0]}
        case "repair":
            assert sheet.repair is not None
            return {"name": "repair", "tender": sheet.repair.tender, "target": sheet.repair.candidates[0]}
        case "hit":
            return {"name": "accept_hit"}
        case "push":
            return {"name": "end_turn"}
        case _:
            return {"name": "resign"}


def _explore_rank(state: State, sheet: Sheet, target: missions.Target) -> tuple[int, int, str]:
    """Return the sort key of a target: most stars, fewest hazards, lowest id. Bonuses count, the cap of classic does not."""
    return -missions.worth(state, sheet, target.hex), len(state.board.kind(target.hex).hazards), target.hex
