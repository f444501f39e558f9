"""Help for writing orders at each prompt, and our own summary of the rules."""

from __future__ import annotations

import functools
from pathlib import Path

from gamesvc.games.kernel.notation import lines_on
from gamesvc.games.space_war.data import CARDS, COMMANDERS, DECKS, Card
from gamesvc.language import mark, say


@functools.cache
def rules_help() -> str:
    """Return the help as Markdown. The card list comes from the data that the rules use."""
    text = (Path(__file__).with_name("help.md")).read_text(encoding="utf-8")
    parts = [text, "## Commanders", "", "| commander | deck | life | what it does |", "| --- | --- | --- | --- |"]
    for card in sorted(COMMANDERS.values(), key=lambda one: one.number):
        parts.append(f"| {card.name} | {DECKS[card.deck].name} | {card.life} | {card.text} |")
    for deck in DECKS.values():
        parts += ["", f"## Cards: {deck.name}", "", "| card | copies | type | cost | attack/defense | text |"]
        parts.append("| --- | --- | --- | --- | --- | --- |")
        parts += [_line(CARDS[card], count) for card, count in sorted(deck.cards.items(), key=lambda pair: CARDS[pair[0]].number)]
    return "\n".join(parts) + "\n"


def _line(card: Card, count: int) -> str:
    cost = "X" if card.cost is None else card.cost
    attack = "X" if card.attack is None and card.type in ("spaceship", "missile") else card.attack
    defense = "-" if card.defense is None else card.defense
    figures = "" if attack is None and card.defense is None else f"{'-' if attack is None else attack}/{defense}"
    return f"| {card.name} | {count} | {card.type} | {cost} | {figures} | {card.text} |"


HELP = {
    "choose_starter": ["start a | start b"],
    "prepare": [
        mark("prepare CARD CARD CARD COMMANDER  (rows draw, action, hand)"),
        mark("second player: prepare CARD CARD CARD CARD ROW COMMANDER"),
    ],
    "review": [
        mark("stand  (let all stand, begin your turn)"),
        mark("react 12 luck  (answer item 12)"),
        mark("react sabotage  (play now)"),
    ],
    "barrier": [mark("stand  (it happens)"), mark("react 12 luck  (answer item 12)")],
    "last_answer": [mark("stand  (the match ends)"), "react 12 target_missed mode 1"],
    "upkeep": [mark("keep CARD CARD | keep none"), mark("counters CARD 2  (for actions, before you pay)")],
    "action": [
        mark("play CARD [x 3] [mode 1] [on CARD] [row hand] [draw no]"),
        mark("add CARD ROW | shift s2 ROW  (once a turn)"),
        mark("commander [mode 1] [n 2] | counters CARD 2 | action CARD"),
        mark("use CARD [on CARD]  (give up a duration)"),
        mark("pause  (ask for reactions) | end phase"),
    ],
    "discard": [mark("discard CARD CARD"), mark("play CARD  (cost 0)")],
    "attack": [
        mark("move CARD"),
        mark("attack CARD CARD | attack CARD station s1 s2 [shields CARD]"),
        mark("ability CARD [mode 1] [on CARD] [slots s1] [row hand]"),
        mark("collide CARD CARD | collide CARD station s1 s2 s3"),
        "end turn [flip s1 s2 s3]",
    ],
    "draw": ["draw | mill"],
}
WORDS = (
    mark("choose starter"),
    mark("prepare"),
    mark("review"),
    mark("barrier"),
    mark("last answer"),
    mark("upkeep"),
    mark("action"),
    mark("discard"),
    mark("attack"),
    mark("between"),
    mark("draw"),
    mark("flips"),
    mark("search"),
    mark("sabotage"),
    mark("sacrifice"),
    mark("destroy"),
    mark("mend"),
    mark("transform"),
    mark("top"),
    mark("offer"),
    mark("plan"),
    mark("deja vu"),
    mark("shield"),
)
"""The prompts, as mails name them."""
_ALWAYS = (
    mark("orders react kind play min 3 use avoid cancel | stand any  (while you are away)"),
    "orders flips action draw hand | draws mill; orders none; resign",
)


def order_help(prompt: str | None) -> str:
    """Return the orders for a prompt, or all of them."""
    if prompt is None:
        lines = [line for part in HELP.values() for line in part]
    else:
        lines = HELP.get(prompt, [mark("choose s6 | choose a-04 a-12 | choose none  (ids of what you choose)")])
    return "\n".join(map(say, dict.fromkeys([*lines, *_ALWAYS])))


_SHORT = (
    mark("You command a space station. Bring the life of the enemy commander to 0."),
    mark("First put one card of your hand face down into each row of your station, and choose a commander."),
    mark(
        "Your turn: draw, act, discard, attack. A card in row draw draws one, in row action gives 2 actions, in row hand holds 3."
    ),
    mark("In the action phase you play cards for their cost; once a turn you may add a card to your station, or move one."),
    mark("New ships do not move, but attack in their zone. Only what was in the enemy zone before this turn hits the station."),
    mark("Damage to a station flips its face-down cards; the attacker picks them. What finds none costs the commander a life."),
    mark("Cards of cost 0 may be played at any time, also to answer what the other player did."),
)


def short_rules() -> str:
    """Return the rules in a few sentences, one a line."""
    return "\n".join(map(say, _SHORT))


def word_help(verb: str) -> str:
    """Return the lines of the grammar on an order word."""
    return lines_on(order_help(None), [verb])
