"""Help for writing orders at each prompt, and our own summary of the rules."""

from __future__ import annotations

import functools
from pathlib import Path

from gamesvc.games.space_war.data import CARDS, COMMANDERS, DECKS, Card


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
        "prepare CARD CARD CARD COMMANDER  (rows draw, action, hand)",
        "second player: prepare CARD CARD CARD CARD ROW COMMANDER",
    ],
    "review": ["stand  (let all stand, begin your turn)", "react 12 luck  (answer item 12)", "react sabotage  (play now)"],
    "barrier": ["stand  (it happens)", "react 12 luck  (answer item 12)"],
    "last_answer": ["stand  (the match ends)", "react 12 target_missed mode 1"],
    "upkeep": ["keep CARD CARD | keep none", "counters CARD 2  (for actions, before you pay)"],
    "action": [
        "play CARD [x 3] [mode 1] [on CARD] [row hand] [draw no]",
        "add CARD ROW | shift s2 ROW  (once a turn)",
        "commander [mode 1] [n 2] | counters CARD 2 | action CARD",
        "use CARD [on CARD]  (give up a duration)",
        "pause  (ask for reactions) | end phase",
    ],
    "discard": ["discard CARD CARD", "play CARD  (cost 0)"],
    "attack": [
        "move CARD",
        "attack CARD CARD | attack CARD station s1 s2 [shields CARD]",
        "ability CARD [mode 1] [on CARD] [slots s1] [row hand]",
        "collide CARD CARD | collide CARD station s1 s2 s3",
        "end turn [flip s1 s2 s3]",
    ],
    "draw": ["draw | mill"],
}


_ALWAYS = [
    "orders react kind play min 3 use avoid cancel | stand any | flips action draw hand | draws mill",
    "orders none | resign",
]


def order_help(prompt: str | None) -> str:
    """Return the orders for a prompt, or all of them."""
    if prompt is None:
        lines = [line for part in HELP.values() for line in part]
    else:
        lines = HELP.get(prompt, ["choose CARD or slot ... | choose none"])
    return "\n".join([*dict.fromkeys(lines), *_ALWAYS])
