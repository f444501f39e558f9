"""Help for writing orders at each prompt, and our own summary of the rules."""

from __future__ import annotations

HELP = {
    "fleet": "place SHIP SLOT      place dreadnaught 5 (or: place 3 dreadnaught 5)\n"
    "remove SLOT          remove a ship\n"
    "upgrade SLOT TARGET  Drone Boat in SLOT: TARGET's black die becomes red\n"
    "confirm              when no die can place a ship\n"
    "fleet 0 destroyer 2-3, 3 prison_barge 4   all at once, then confirm",
    "reroll_1": "reroll DICE          reroll 9.1 8.2, reroll all, reroll red\nkeep                 reroll none",
    "reroll_2": "reroll DICE          white dice: reroll 9.1, reroll all\nkeep                 reroll none",
    "tinker": "tinker CHANGES       tinker 5.2+ 9.1x: 5.2 one up, 9.1 (a 1) removed\n"
    "tinker none          change nothing\n"
    "6:5.2+ names the ship that does it",
    "explore": "explore HEX          explore G5\nexplore HEX CHANGES  explore G5 5.1-: a Destroyer makes 5.1 one less",
    "repair": "repair SLOT          the ship that gets one hull",
    "hit": "accept               take the hit\n"
    "reroll hit           a Hospital Barge rolls again\n"
    "redirect SLOT        a Bulwark Ship takes it",
    "push": "push DIE             set that die aside and roll the others\nend turn             end the turn",
    "turn": "reroll DICE          reroll 9.1 8.2, reroll all; keep: none\n"
    "tinker CHANGES       tinker 5.2+ 9.1x, tinker none\n"
    "explore HEX          explore G5; with a Destroyer: explore G5 5.1-\n"
    "accept / reroll hit / redirect SLOT   when a hit asks\n"
    "repair SLOT          when a Repair Tender asks\n"
    "push DIE / end turn  set a die aside and go on, or end the turn",
}


def order_help(prompt: str | None) -> str:
    """Return the orders for a prompt, or all of them."""
    if prompt is not None and prompt in HELP:
        return HELP[prompt]
    return "\n".join([HELP["fleet"], HELP["turn"], "resign               your sheet ends as it stands"])
