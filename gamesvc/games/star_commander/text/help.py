"""Help for writing orders at each prompt, and our own summary of the rules."""

from __future__ import annotations

from gamesvc.games.kernel.notation import lines_on
from gamesvc.games.star_commander.text.parse import spellings
from gamesvc.language import mark, say

_HELP = {
    "ready_draw": ["draw science", mark("draw science discard=c12   (full hand, classic)")],
    "choice": ["choose science   choose 2,1   choose c12", "keep   discard"],
    "command": [
        mark("move v3 v4 2,1 (one jump); move v9 2,1 carry v9=v5+v6"),
        mark("build corvette 2,2 (a ship: at a Homeworld or capital of yours)"),
        mark("build refinery 1,1 (a station: in any system of yours)"),
        mark("develop 1,1 (costs the developments there and 1 more); tech c12"),
        mark("play barrage v3 v7; use railgun v3 x=2; scrap v3 (classic)"),
        mark("buy science (3 credits: draws a card); sell c12 c40 (gains 3)"),
        "offer Blue give credits=4 want systems=1,1; accept 1; resign",
        "orders commands=ask draw=science+industry; end phase",
    ],
    "window": [
        "pass",
        mark("pass rest               (and for the rest of this turn)"),
        "play evasion v3         play intercept_orders s4",
        mark("use railgun v3 x=2      add hold to be asked again"),
    ],
    "combat_choose": ["fight 1,1", "end phase", mark("build corvette 2,2   (with Forsei)")],
    "combat_assign": [
        mark("fire v3>v7=2 v4>v8      (vessel > target = amount)"),
        mark("fire nothing            add more to go on assigning"),
        mark("add no-pass to be asked again before damage is dealt"),
        mark("add stay not to be asked about a retreat"),
    ],
    "combat_retreat": [mark("retreat v3>2,1 v9>2,1+v5+v6   (+ carried fighters)"), "stay"],
}
WORDS = (
    mark("ready draw"),
    mark("choice"),
    mark("command"),
    mark("window"),
    mark("combat choose"),
    mark("combat assign"),
    mark("combat retreat"),
)
"""The prompts, as mails name them."""


def order_help(prompt: str | None) -> str:
    """Return the orders that answer a prompt, or all orders without one."""
    if prompt is None:
        return "\n".join(say(line) for lines in _HELP.values() for line in lines)
    return "\n".join(map(say, _HELP.get(prompt, ["orders commands=ask", "resign"])))


_SHORT = (
    mark("Systems lie in a diamond. Jump to new ones, develop them, build ships and stations, and play cards."),
    mark("Revised edition: when a domain deck is empty or a Homeworld is captured, the player with most developments wins."),
    mark("Classic edition: a player who loses the Homeworld is out, and the last one wins."),
    mark("Each turn gives 1 credit for each development and a card of a domain that you control, but not your first turn."),
    mark("A development costs as many credits as the system has developments, and 1 more."),
    mark("Ships are built at your Homeworld and at capitals, stations in any system of yours."),
    mark("Where you and others have vessels, combat follows: all damage is dealt together, then ships may retreat."),
    mark("A ship in an enemy system that nothing with attack defends takes one development of it at the end of its turn."),
    mark("The others may answer most acts with their cards. Standing orders answer for you while you are away."),
)


def short_rules() -> str:
    """Return the rules in a few sentences, one a line."""
    return "\n".join(map(say, _SHORT))


def word_help(verb: str) -> str:
    """Return the lines of the grammar on an order word, also where they spell it otherwise."""
    return lines_on(order_help(None), spellings(verb))
