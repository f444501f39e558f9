"""The rules in our own words, with a list of all cards to search in."""

from __future__ import annotations

import functools
from pathlib import Path

from gamesvc.games.space_war.data import CARDS, COMMANDERS, DECKS, Card


@functools.cache
def rules_help() -> str:
    """Help as Markdown; the card list comes from the same data that the rules use."""
    text = (Path(__file__).parent / "help.md").read_text(encoding="utf-8")
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
