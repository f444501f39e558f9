"""The viewer's task in one sentence."""

from __future__ import annotations

from gamesvc.games.kernel.game import Data
from gamesvc.games.kernel.telling import prompt_of
from gamesvc.language import mark, say

_TASKS = {
    "fleet": mark("Put ships in the slots of your fleet, then confirm."),
    "reroll_1": mark("Reroll red and white dice once, or keep them."),
    "reroll_2": mark("Reroll white dice once more, or keep them."),
    "tinker": mark("Change dice with your ships, or change none."),
    "explore": mark("Choose a hex to explore."),
    "repair": mark("Choose the ship that the Repair Tender repairs."),
    "hit": mark("One of your ships is hit: accept, reroll or redirect the hit."),
    "push": mark("Push on with one die less, or end the turn."),
}


def task(view: Data) -> str:
    """Return what the viewer has to do now; empty if nothing."""
    if not prompt_of(view["awaited"], view["viewer"]):
        return ""
    task = _TASKS.get(view["sheet"]["phase"])
    return say(task) if task else ""
