"""Commands written as orders. `parse` reads everything written here."""

from __future__ import annotations

from gamesvc.games.kernel.game import Command
from gamesvc.json_types import JsonMapping


def _change(entry: JsonMapping) -> str:
    sign = {1: "+", -1: "-"}[entry["delta"]] if "delta" in entry else "x"
    return f"{entry['ship']}:{entry['die']}{sign}"


PLAIN = {
    "confirm_fleet": "confirm",
    "accept_hit": "accept",
    "reroll_hit": "reroll hit",
    "end_turn": "end turn",
    "resign": "resign",
}


def render(command: Command) -> str:
    """Write a command as an order that `parse` reads back."""
    name = command["name"]
    match name:
        case "place_ship":
            return f"place {command['die']} {command['ship']} {command['slot']}"
        case "remove_ship":
            return f"remove {command['slot']}"
        case "set_upgrade":
            return f"upgrade {command['slot']} {command['target'] or 'none'}"
        case "form_fleet":
            pieces = [f"{one['die']} {one['ship']} {one['slot']}" for one in command["placements"]]
            pieces += [f"upgrade {one['slot']} {one['target'] or 'none'}" for one in command.get("upgrades", ())]
            return f"fleet {', '.join(pieces) or 'none'}"
        case "reroll":
            return f"reroll {' '.join(command['dice'])}" if command["dice"] else "keep"
        case "tinker":
            changes = [_change(entry) for entry in (*command["adjust"], *command["remove"])]
            return f"tinker {' '.join(changes) or 'none'}"
        case "explore":
            if "adjust" not in command:
                return f"explore {command['hex']}"
            return f"explore {command['hex']} {' '.join(map(_change, command['adjust'])) or 'none'}"
        case "repair":
            return f"repair {command['tender']} {command['target']}"
        case "redirect_hit":
            return f"redirect {command['slot']}"
        case "push_on":
            return f"push {command['die']}"
    return PLAIN[str(name)]
