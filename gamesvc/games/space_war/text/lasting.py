"""Temporary conditions in words."""

from __future__ import annotations

from gamesvc.json_types import JsonObject
from gamesvc.language import mark, say

UNTIL = {
    "repair": mark("until repaired"),
    "turn_end": mark("until this turn ends"),
    "turn_start": mark("until its owner's next turn starts"),
    "in_play": mark("while {by} is in play"),
    "draw_phase": mark("until the second draw phase of {by}'s owner"),
}
_NEXT_DRAW_PHASE = mark("until the next draw phase of {by}'s owner")


MARKS = {
    "paralyzed": mark("paralyzed"),
    "protected": mark("cannot be attacked"),
    "borrowed": mark("borrowed"),
    "delayed": mark("text delayed"),
    "suppressed": mark("without effect"),
    "cannot_move": mark("cannot move"),
    "cannot_attack": mark("cannot attack"),
}


def lasting_words(entry: JsonObject, name: str) -> str:
    """Describe a lasting effect. `name` is that of the card that causes it."""
    until = _NEXT_DRAW_PHASE if entry.get("draw_phases") == 1 else UNTIL[entry["until"]]
    return f"{say(MARKS[entry['mark']])} {say(until, by=name)}"
