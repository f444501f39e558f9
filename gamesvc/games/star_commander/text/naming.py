"""Names and words that sentences share. Cards, vessels and systems keep their names in every language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from gamesvc.games.kernel.game import Data
from gamesvc.games.kernel.wording import Speaker
from gamesvc.games.star_commander.data import CATALOGS
from gamesvc.language import mark, say, say_many

NAMES = {card.id: card.name for catalog in CATALOGS.values() for card in catalog.cards.values()}
PHASES = {
    "ready": mark("Ready phase"),
    "command": mark("Command phase"),
    "combat": mark("Combat phase"),
    "end": mark("End phase"),
}
WINDOW_WORDS = {
    "stack": mark("the stack"),
    "after_initiate": mark("the beginning of the combat"),
    "after_assign": mark("the assigned damage"),
    "after_resolve": mark("the damage dealt"),
    "after_retreat": mark("the retreats"),
}
REASONS = {
    "deck_empty": mark("a domain deck is empty"),
    "homeworld_captured": mark("a Homeworld was captured"),
    "last_seat": mark("one seat is left"),
    "turn_limit": mark("the turn limit is reached"),
}


def card_name(card: str | None) -> str:
    if card is None:
        return say("a card")
    return NAMES.get(card, card.replace("_", " "))


def several(cards: Iterable[str]) -> str:
    """Return card names with counts in a form that needs no plurals: `2 x Corvette, Scout`."""
    counts = Counter(card_name(card) for card in cards)
    return ", ".join(name if count == 1 else f"{count} x {name}" for name, count in counts.items()) or say("nothing")


def left(number: int) -> str:
    if not number:
        return say("none are left")
    return say_many("{number} is left", "{number} are left", number)


def place(value: str) -> str:
    """Return what an id in an order stands for: `vessel v3`, `system 2,1`, `card c12`, `item 4`."""
    if "," in value:
        return say("system {cell}", cell=value)
    if value[:1] not in ("v", "c", "s") or not value[1:].isdecimal():
        return value.replace("_", " ")
    if value.startswith("v"):
        return say("vessel {id}", id=value)
    return say("card {id}", id=value) if value.startswith("c") else say("item {id}", id=value[1:])


class Teller(Speaker):
    """The names of the players from one viewer's point of view."""

    def of(self, seat: int | None, thing: str) -> str:
        """Return something with its owner: `your Scout v3`, `Ann's Scout v3`."""
        if seat is None or seat < 0:
            return say("nobody's {thing}", thing=thing)
        return self.says("{whose} {thing}", whom=seat, thing=thing)


Tell = Callable[[Teller, Data], str]
"""The sentence about an event."""
