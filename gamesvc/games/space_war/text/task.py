"""The viewer's task in one sentence."""

from __future__ import annotations

from gamesvc.games.kernel.game import Data
from gamesvc.games.kernel.telling import prompt_of
from gamesvc.games.kernel.wording import counted
from gamesvc.games.space_war.text.narrate import CHOICES
from gamesvc.json_types import JsonMapping
from gamesvc.language import mark, say

_TASKS = {
    "choose_starter": mark("Choose who starts."),
    "review": mark("Let what your opponent did stand, or answer it; then your turn begins."),
    "barrier": mark("Answer your opponent's act, or let it happen."),
    "last_answer": mark("Answer the last blow, or the match ends."),
    "upkeep": mark("Pay for the durations that you keep."),
    "attack": mark("Move, attack and use abilities, then end the turn."),
    "draw": mark("Go on with your draw phase."),
    "between": mark("Go on to the end of your turn."),
}


def task(seen: Data) -> str:
    """Return what the viewer has to do now; empty if nothing."""
    prompt = prompt_of(seen["awaited"], seen["you"])
    if not prompt:
        return ""
    side = seen["sides"][seen["you"]]
    if prompt == "prepare":
        if seen["you"] == seen["active"]:
            return say("Choose a card for each row of your station, and a commander.")
        return say("Choose a card for each row of your station and one card more, and a commander.")
    if prompt == "action":
        return say("Play cards with your {actions}, or end the phase.", actions=counted(side["actions"], "action"))
    if prompt == "discard":
        return say("Discard {cards}.", cards=counted(max(0, side["hand_size"] - (side["hand_limit"] or 0)), "card"))
    if prompt in CHOICES:
        # In the middle of an act the prompt may be another seat's, or answered already.
        own = next((one for one in seen["prompts"] if one["kind"] == prompt and "options" in one), None)
        return say("Choose {choice}.", choice=choice_words(own)) if own is not None else ""
    return say(_TASKS[prompt]) if prompt in _TASKS else ""


def choice_words(prompt: JsonMapping) -> str:
    """Return what a prompt of the viewer asks for, after `Choose`."""
    if prompt["kind"] != "flips":
        return say(CHOICES[prompt["kind"]])
    if prompt["station"] == prompt["seat"]:
        return say("which of your station cards to flip")
    return say("which of your opponent's station cards to flip")
