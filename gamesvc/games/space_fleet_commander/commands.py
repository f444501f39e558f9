"""The commands with their parameters in full width."""

from __future__ import annotations

from gamesvc.games.space_fleet_commander.data import ROSTER, SHIPS
from gamesvc.json_types import JsonObject
from gamesvc.language import mark


def _object(properties: JsonObject, required: list[str] | None = None) -> JsonObject:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties) if required is None else required,
        "additionalProperties": False,
    }


_SLOT = {"enum": list(ROSTER.order)}


_DIE = {"type": "string", "maxLength": 12}


_HEX = {"type": "string", "maxLength": 12}


_SHIP = {"enum": list(SHIPS)}


_PLACEMENT = {"die": {"type": "integer", "minimum": 0, "maximum": ROSTER.formation - 1}, "ship": _SHIP, "slot": _SLOT}


_UPGRADE = {"slot": _SLOT, "target": {"enum": [*ROSTER.order, None]}}


_STEP = _object({"ship": _SLOT, "die": _DIE, "delta": {"enum": [-1, 1]}})


_STEPS = {"type": "array", "items": _STEP, "maxItems": len(ROSTER.order)}


COMMANDS: dict[str, JsonObject] = {
    "place_ship": _object(_PLACEMENT),
    "remove_ship": _object({"slot": _SLOT}),
    "set_upgrade": _object(_UPGRADE),
    "confirm_fleet": _object({}),
    "form_fleet": _object(
        {
            "placements": {"type": "array", "items": _object(_PLACEMENT), "maxItems": ROSTER.formation},
            "upgrades": {"type": "array", "items": _object(_UPGRADE), "maxItems": 4},
        },
        ["placements"],
    ),
    "reroll": _object({"dice": {"type": "array", "items": _DIE, "uniqueItems": True, "maxItems": 15}}),
    "tinker": _object(
        {
            "adjust": _STEPS,
            "remove": {"type": "array", "items": _object({"ship": _SLOT, "die": _DIE}), "maxItems": len(ROSTER.order)},
        }
    ),
    "explore": _object({"hex": _HEX, "adjust": _STEPS}, ["hex"]),
    "repair": _object({"tender": _SLOT, "target": _SLOT}),
    "accept_hit": _object({}),
    "reroll_hit": _object({}),
    "redirect_hit": _object({"slot": _SLOT}),
    "push_on": _object({"die": _DIE}),
    "end_turn": _object({}),
    "resign": _object({}),
}


WORDS = {
    "place_ship": mark("Place a ship"),
    "remove_ship": mark("Remove a ship"),
    "set_upgrade": mark("Choose an upgrade"),
    "confirm_fleet": mark("Confirm the fleet"),
    "form_fleet": mark("Form the fleet"),
    "reroll": mark("Reroll"),
    "tinker": mark("Adjust the dice"),
    "explore": mark("Explore"),
    "repair": mark("Repair"),
    "accept_hit": mark("Take the hit"),
    "reroll_hit": mark("Reroll the hit"),
    "redirect_hit": mark("Redirect the hit"),
    "push_on": mark("Push on"),
    "end_turn": mark("End the turn"),
    "resign": mark("Resign"),
}
"""The commands in words, for buttons and headings."""

PROMPTS = {
    "fleet": mark("form the fleet"),
    "turn": mark("play the turn"),
}
"""The task of a seat in words, by the prompt."""

IDLE = {
    "keep": mark("Keep the dice"),
    "fleet none": mark("Add nothing to the fleet"),
}
"""Orders that choose nothing, in words."""
