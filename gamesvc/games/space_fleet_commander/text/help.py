"""Help for writing orders at each prompt, and our own summary of the rules."""

from __future__ import annotations

from gamesvc.games.kernel.notation import lines_on
from gamesvc.games.space_fleet_commander.text.parse import spellings
from gamesvc.language import mark, say

HELP = {
    "fleet": mark(
        "place SHIP SLOT      place dreadnaught 5 (or: place 3 dreadnaught 5)\n"
        "remove SLOT          remove a ship\n"
        "upgrade SLOT TARGET  Drone Boat in SLOT: TARGET's black die becomes red\n"
        "confirm              when no die can place a ship\n"
        "fleet 0 destroyer 2-3, 3 prison_barge 4   all at once, then confirm"
    ),
    "reroll_1": mark("reroll DICE          reroll 9.1 8.2, reroll all, reroll red\nkeep                 reroll none"),
    "reroll_2": mark("reroll DICE          white dice: reroll 9.1, reroll all\nkeep                 reroll none"),
    "tinker": mark(
        "tinker CHANGES       tinker 5.2+ 9.1x: 5.2 one up, 9.1 (a 1) removed\n"
        "tinker none          change nothing\n"
        "6:5.2+ names the ship that does it"
    ),
    "explore": mark("explore HEX          explore G5\nexplore HEX CHANGES  explore G5 5.1-: a Destroyer makes 5.1 one less"),
    "repair": mark("repair SLOT          the ship that gets one hull"),
    "hit": mark(
        "accept               take the hit\n"
        "reroll hit           a Hospital Barge rolls again\n"
        "redirect SLOT        a Bulwark Ship takes it"
    ),
    "push": mark("push DIE             set that die aside and roll the others\nend turn             end the turn"),
    "turn": mark(
        "reroll DICE          reroll 9.1 8.2, reroll all; keep: none\n"
        "tinker CHANGES       tinker 5.2+ 9.1x, tinker none\n"
        "explore HEX          explore G5; with a Destroyer: explore G5 5.1-\n"
        "accept / reroll hit / redirect SLOT   when a hit asks\n"
        "repair SLOT          when a Repair Tender asks\n"
        "push DIE / end turn  set a die aside and go on, or end the turn"
    ),
}
WORDS = (
    mark("fleet"),
    mark("reroll 1"),
    mark("reroll 2"),
    mark("tinker"),
    mark("explore"),
    mark("repair"),
    mark("hit"),
    mark("push"),
)
"""The prompts, as mails name them."""


def order_help(prompt: str | None) -> str:
    """Return the orders for a prompt, or all of them."""
    if prompt is not None and prompt in HELP:
        return say(HELP[prompt])
    return "\n".join([say(HELP["fleet"]), say(HELP["turn"]), say("resign               your sheet ends as it stands")])


_SHORT = (
    mark("You command a fleet of up to eight ships. Explore hexes for stars; alone, 70 stars make you Emperor."),
    mark("First form the fleet: seven dice are rolled, and each buys a ship of its number."),
    mark("Each turn all dice of your ships are rolled. Red and white ones may be rerolled once, white ones once more."),
    mark("Each 1 marks a sabotage cell, which may damage a ship or cost time. A 1 is of no use for exploring."),
    mark("Explore a hex beside your fleet that your dice fit. If they fit none, your fleet takes two hits and the turn ends."),
    mark(
        "After exploring, set one die aside and roll the rest again, or end the turn. Each turn marks one of twelve time boxes."
    ),
    mark("No hex is entered twice. The game ends without time, without ships, or without a hex to explore."),
)


def short_rules() -> str:
    """Return the rules in a few sentences, one a line."""
    return "\n".join(map(say, _SHORT))


def word_help(verb: str) -> str:
    """Return the lines of the grammar on an order word, also where they spell it otherwise."""
    return lines_on(order_help(None), spellings(verb))
