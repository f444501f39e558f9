"""The viewer's task in one sentence."""

from __future__ import annotations

from gamesvc.games.kernel.game import Data
from gamesvc.games.kernel.telling import prompt_of
from gamesvc.games.kernel.wording import counted
from gamesvc.language import joined, mark, say

_TASKS = {
    "homeworld": mark("Place your Homeworld on a free corner."),
    "ability_draft": mark("Pick an ability."),
    "pick_ability": mark("Pick an ability."),
    "retool": mark("Discard up to three cards, or none; then all players draw."),
    "trade": mark("Trade, or end the phase."),
    "trade_reply": mark("Accept or reject the offer."),
    "build": mark("Build, or end the phase."),
    "battle": mark("Start a battle, or end the phase."),
    "battle_call": mark("Call a battle, or pass."),
    "window": mark("React, or pass."),
    "commit": mark("Commit cards to the battle, or none."),
}


def task(seen: Data) -> str:
    """Return what the viewer has to do now; empty if nothing."""
    prompt = prompt_of(seen["awaited"], seen["viewer"])
    if prompt == "support":
        player = seen["players"][seen["viewer"]]
        many = player["fleet_count"] - player["capacity"]
        return say("Discard Build cards or disband: you have {fleets} more than you support.", fleets=counted(many, "fleet"))
    if prompt == "movement":
        free = say("The free move is open.") if seen["free_move"] else say("The free move is used.")
        return joined(say("Move, or end the phase."), free)
    return say(_TASKS[prompt]) if prompt else ""
