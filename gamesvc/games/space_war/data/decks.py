"""Decks as an option: the id of a preset, or a deck list as text with one card per line (`3 Luck`)."""

from __future__ import annotations

import re
from collections import Counter

from gamesvc.games.kernel.game import Data, Refused
from gamesvc.games.kernel.notation import suggest
from gamesvc.games.kernel.wording import counted
from gamesvc.games.space_war.data import CARDS, COMMANDERS, DECKS, LIMITS, Deck
from gamesvc.language import mark, say

DECK = "\n".join(
    f"3 {card}"
    for card in (
        *("luck", "fate", "cancel", "target_missed", "avoid"),
        *("battlestar", "titan", "hunter", "stormfalcon", "the_gladiator", "the_liberator", "repair_ship"),
        *("explosive_missile", "fast_missile", "energy_shield", "scout", "excellent_work", "perfect_plan"),
    )
)
"""An example of a constructed deck, with many responses."""


def _folded(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.casefold().replace("é", "e").replace("à", "a"))


_BY_NAME = {_folded(name): card.id for card in CARDS.values() for name in (card.id, card.name)}


_NO_CARD = mark("{entry!r} is not a card of The Space War.{known}")
_NO_DECK = mark(
    "{entry!r} is not a card of The Space War. A deck is {decks}, or a list with one card a line, such as: 3 Luck.{known}"
)


def read_deck(text: str, parameter: str = "decks") -> Deck:
    """Return the deck that a text describes. Raises `Refused` (`bad_deck`) with the fault."""
    if text in DECKS:
        return DECKS[text]
    preset = {_folded(name): deck.id for deck in DECKS.values() for name in (deck.id, deck.name)}
    if _folded(text) in preset:
        return DECKS[preset[_folded(text)]]
    entries = [line.strip() for line in re.split(r"[\n;,]", text) if line.strip()]
    counts: Counter[str] = Counter()
    for entry in entries:
        found = re.fullmatch(r"(?:(\d{1,2})\s*[x*]?\s+)?(.+?)(?:\s+[x*]\s*(\d{1,2}))?", entry)
        name = found.group(2) if found else entry
        card = _BY_NAME.get(_folded(name))
        if found is None or card is None:
            known = suggest(name, [one.name for one in CARDS.values()])
            unknown = _NO_CARD if len(entries) > 1 else _NO_DECK
            detail = say(unknown, entry=entry, decks=", ".join(DECKS), known=known)
            raise Refused("bad_deck", detail, parameter)
        counts[card] += int(found.group(1) or found.group(3) or 1)
    _check(counts, parameter)
    return Deck("constructed", "Constructed", dict(sorted(counts.items())), tuple(COMMANDERS))


def _check(counts: Counter[str], parameter: str) -> None:
    total = sum(counts.values())
    low, high = LIMITS["constructed_min"], LIMITS["constructed_max"]
    for card, count in counts.items():
        most = LIMITS["constructed_copies_exception"].get(card, LIMITS["constructed_copies"])
        if not 1 <= count <= most:
            raise Refused(
                "bad_deck",
                say("The deck has {count} of {name}; 1 to {most} are allowed.", count=count, name=CARDS[card].name, most=most),
                parameter,
            )
    if not low <= total <= high:
        raise Refused(
            "bad_deck",
            say(
                "The deck has {cards}; a constructed deck has {low} to {high}.", cards=counted(total, "card"), low=low, high=high
            ),
            parameter,
        )


def read_decks(options: Data) -> list[Deck]:
    """Return the decks of both seats."""
    decks = options["decks"]
    return [read_deck(text, f"decks.{at}") for at, text in enumerate(decks)]


def pool_of(deck: Deck, option: str) -> list[str]:
    """Return the ids of the commanders a seat may choose from; all of them for a constructed deck."""
    return sorted(COMMANDERS) if option == "any" or deck.id == "constructed" else list(deck.commanders)


def deck_cards(deck: Deck) -> list[str]:
    return [card for card, count in deck.cards.items() for _ in range(count)]
