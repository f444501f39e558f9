"""The cards, commanders and keywords of the game, for mails and lists of cards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gamesvc.games.kernel.game import Data
from gamesvc.games.kernel.telling import Entry, by_kind, rule
from gamesvc.games.space_war.data import CARDS, COMMANDERS, Card
from gamesvc.language import mark, say

_KEYWORDS: Mapping[str, tuple[str, str]] = {
    "slow": (mark("Slow"), mark("Each turn it either moves, or attacks and uses abilities.")),
    "fast": (mark("Fast"), mark("It may move in the turn it enters play; a missile may also strike from home.")),
    "pierce": (mark("Pierce"), mark("Damage goes through shields; what they do not absorb reaches the station.")),
    "shield": (mark("Shields"), mark("The station can be attacked only when all its shields are destroyed.")),
    "cannon": (mark("Cannon"), mark("It attacks what is in its own zone, never the station.")),
    "delayed": (mark("Delayed"), mark("Its text counts only from the start of its owner's next turn.")),
    "barrier": (mark("Barrier"), mark("The match waits for the other player's answer before it takes effect.")),
}
_WORDS: Mapping[str, tuple[str, str, str]] = {
    "response": (
        mark("Response"),
        "counter",
        mark("Cancels what it answers, also after the other player went on. The cost of that stays paid."),
    ),
    "ability": (mark("Ability"), "Ability", mark("Used in the attack phase instead of attacking.")),
    "paralyzed": (mark("Paralyzed"), "aralyze", mark("Cannot move, attack or use abilities until repaired.")),
}
"""Words that texts of cards use: name, the part of an English text that shows one, and the meaning."""


_RULES = (
    ("goal", mark("How to win"), mark("Bring the life of the enemy commander to 0.")),
    (
        "station",
        mark("Station"),
        mark(
            "Each point of damage flips one of its face-down cards; the attacker names the slots. What finds none costs the"
            " commander a life. A turn gives a card for each card in row draw, 2 actions for each in row action; the hand holds 3"
            " for each in row hand. Flipped cards still count, and their owner may play them."
        ),
    ),
    (
        "zones",
        mark("Zones"),
        mark(
            "A card attacks what is in its own zone, also in its first turn. A ship hits the station only if it was in the enemy"
            " zone before this turn, and while no shield protects it."
        ),
    ),
    (
        "reactions",
        mark("Open items"),
        mark("Acts that the other player may still answer with a card of cost 0. A response takes the match back to the item."),
    ),
)


def reference(seen: Data) -> tuple[Entry, ...]:
    """Return all commanders, cards and keywords, with the ids that the view shows in hand and in play."""
    shown = by_kind(_in_sight(seen))
    faces = [
        Entry(card.id, card.name, say(card.type), numbers(card), text_of(card), shown.get(card.id, ()))
        for card in (*COMMANDERS.values(), *CARDS.values())
    ]
    rules = [rule(of, say(name), say(text)) for of, name, text in _RULES]
    return (*rules, *faces, *_keywords([{**COMMANDERS, **CARDS}[card] for card in shown]))


def text_of(card: Card) -> str:
    """Return the text of a card; empty if its figures say all."""
    return say(card.text) if card.text else ""


def numbers(card: Card) -> str:
    """Return the figures of a card as printed: `cost 3, attack 2, defense 4`."""
    if card.type == "commander":
        return say("life {life}", life=card.life)
    parts = [say("cost {cost}", cost="X" if card.cost is None else card.cost)]
    if card.type in ("spaceship", "missile") or card.attack is not None:
        parts.append(say("attack {attack}", attack="X" if card.attack is None else card.attack))
    if card.defense is not None:
        parts.append(say("defense {defense}", defense=card.defense))
    return ", ".join(parts)


def _in_sight(seen: Data) -> Iterator[tuple[str, str]]:
    """Yield the id and the kind of all cards in the viewer's hand, then of all that are offered to the viewer or in play."""
    if seen["you"] is not None:
        for card in seen["sides"][seen["you"]]["hand"]:
            yield card["id"], card["card"]
        if not seen["sides"][seen["you"]]["commander"]:
            yield from ((commander, commander) for commander in seen["sides"][seen["you"]]["pool"])
    for card in (*seen["pieces"], *seen["limbo"]):
        yield card["id"], card["card"]
    for side in seen["sides"]:
        if side["commander"]:
            yield side["commander"], side["commander"]
        yield from ((card["id"], card["card"]) for card in side["station"] if "card" in card)


def _keywords(cards: list[Card]) -> Iterator[Entry]:
    for keyword, (name, text) in _KEYWORDS.items():
        yield _word(keyword, name, text, any(keyword in card.keywords for card in cards))
    for word, (name, sign, text) in _WORDS.items():
        yield _word(word, name, text, any(sign in card.text for card in cards))


def _word(word: str, name: str, text: str, shown: bool) -> Entry:
    return Entry(f"word_{word}", say(name), say("keyword"), "", say(text), (f"word_{word}",) if shown else ())
