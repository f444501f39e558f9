"""Temporary conditions in words."""

from __future__ import annotations

from gamesvc.json_types import JsonObject

UNTIL = {
    "repair": "until repaired",
    "turn_end": "until this turn ends",
    "turn_start": "until its owner's next turn starts",
    "in_play": "while {by} is in play",
    "draw_phase": "until the {at} draw phase of {by}'s owner",
}


MARKS = {
    "paralyzed": "paralyzed",
    "protected": "cannot be attacked",
    "borrowed": "borrowed",
    "delayed": "text delayed",
    "suppressed": "without effect",
    "cannot_move": "cannot move",
    "cannot_attack": "cannot attack",
}


def lasting_words(entry: JsonObject, name: str) -> str:
    """Describe a lasting effect. `name` is that of the card that causes it."""
    at = "next" if entry.get("draw_phases") == 1 else "second"
    return f"{MARKS[entry['mark']]} {UNTIL[entry['until']].format(by=name, at=at)}"
