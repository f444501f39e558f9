"""The viewer's hand, and help on cards."""

from __future__ import annotations

from collections.abc import Iterator

from gamesvc.games.kernel.game import Data
from gamesvc.games.kernel.telling import Explained, Held, pile
from gamesvc.games.kernel.wording import capital, seat_name
from gamesvc.games.space_war.data import CARDS, COMMANDERS, labelled, printed
from gamesvc.games.space_war.text.board import card_facts, card_line, lasting_lines
from gamesvc.games.space_war.text.reference import text_of
from gamesvc.language import say

DISCARD = "discard-"
"""The beginning of the id of a discard pile; the number of its seat follows."""


def hand(seen: Data) -> tuple[Held, ...] | None:
    """Return the viewer's cards."""
    if seen["you"] is None:
        return None
    return tuple(Held(one["id"], f"{one['id']} {card_line(one['card'])}") for one in seen["sides"][seen["you"]]["hand"])


def explain(seen: Data, of: str) -> Explained | None:
    """Return help on a card or a discard pile that the view shows by this id, or on a kind of card."""
    for side in seen["sides"]:
        if of == f"{DISCARD}{side['seat']}":
            name = say("Discard pile of {seat}", seat=seat_name(side["seat"], ()))
            return pile(name, [printed(card["card"]).name for card in side["discard"]])
    card = dict(_shown(seen)).get(of, of)
    if card not in CARDS and card not in COMMANDERS:
        return None
    face = printed(card)
    facts = say("commander, life {life}", life=face.life) if card in COMMANDERS else card_facts(card)
    lasting = [line for piece in seen["pieces"] if piece["id"] == of for line in lasting_lines(seen, piece)]
    now = [say("Now: {effect}.", effect=effect) for effect in lasting]
    return Explained(face.name, " ".join(filter(None, [f"{capital(facts)}.", text_of(face), *now])))


def _shown(seen: Data) -> Iterator[tuple[str, str]]:
    """Yield the id and the card of everything that the view shows face up."""
    for card in (*seen["pieces"], *seen["limbo"]):
        yield card["id"], card["card"]
    for side in seen["sides"]:
        for card in (*(side["hand"] or ()), *side["discard"], *(one for one in side["station"] if "card" in one)):
            yield card["id"], card["card"]
    yield from _offered(seen)


def _offered(seen: Data) -> Iterator[tuple[str, str]]:
    """Yield the id and the card of everything that the viewer is asked to choose from, such as cards found in a pile."""
    for prompt in seen["prompts"]:
        for option, words in zip(prompt.get("options", ()), prompt.get("labels", ()), strict=True):
            if (card := labelled(words)) is not None:
                yield option, card
