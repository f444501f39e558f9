"""The viewer's task in one sentence."""

from __future__ import annotations

from gamesvc.games.kernel.game import Data
from gamesvc.games.kernel.telling import prompt_of
from gamesvc.games.star_commander.text.naming import WINDOW_WORDS
from gamesvc.language import mark, say

_TASKS = {
    "ready_draw": mark("Choose the deck that you draw from."),
    "command": mark("Play your command phase, then end it."),
    "combat_choose": mark("Choose a system to fight in, or end the phase."),
    "combat_assign": mark("Choose the targets of your vessels."),
    "combat_retreat": mark("Choose which ships retreat, or stay."),
}
_CHOICES = {
    "draw_domain": mark("Choose the deck that you draw from."),
    "keep_or_discard": mark("Keep the top card of the deck, or discard it."),
    "discard": mark("Choose a card to discard."),
    "core_world": mark("Choose a system for the free development."),
    "take_card": mark("Choose a card to take."),
}


def task(view: Data) -> str:
    """Return what the viewer has to do now; empty if nothing."""
    if not prompt_of(view["awaited"], view["seat"]):
        return ""
    prompt = view["prompt"]
    if prompt["kind"] == "window":
        return say("Respond to {what}, or pass.", what=say(WINDOW_WORDS[prompt["what"]]))
    task = _CHOICES.get(prompt["what"]) if prompt["kind"] == "choice" else _TASKS.get(prompt["kind"])
    return say(task) if task else ""
