"""Search in the rules and cards of all games, without an index: their texts are few and stay in memory."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from django.urls import reverse

from gamesvc.games import catalog, specimen
from gamesvc.games.kernel.game import Game
from gamesvc.language import say
from gamesvc.web.common import markdown

MOST_LETTERS = 60
MOST = 20
"""The number of places that are shown of one game."""
_AROUND = 90


@dataclass(frozen=True, slots=True)
class Place:
    """A section of the rules or a card that contains all words. `pieces`: its text near the first, each with True for a word."""

    address: str
    name: str
    kind: str
    pieces: tuple[tuple[str, bool], ...]
    english: bool


@dataclass(frozen=True, slots=True)
class Found:
    """The places in one game, the best first, and how many there are."""

    title: str
    places: Sequence[Place]
    all: int


def search(text: str, game: str = "") -> list[Found]:
    """Return where all words of a text occur, in each game or in one; a word counts also as a part of a longer one.

    Names that contain the words come first, then cards, then sections in the order of the rules.
    """
    words = text.casefold().split()
    if not words:
        return []
    found = []
    for engine in catalog.games():
        if game in ("", engine.id):
            places = [place for _named, place in sorted(_places(engine, words), key=lambda one: one[0])]
            found.append(Found(engine.manifest.title, places[:MOST], len(places)))
    return [one for one in found if one.places]


def _places(game: Game, words: Sequence[str]) -> Iterator[tuple[bool, Place]]:
    """Yield what contains all words, each with False if its name does: it sorts first."""
    cards, rules = reverse("web:cards", args=[game.id]), reverse("web:rules", args=[game.id])
    entries = (
        (f"{cards}#{entry.id}", entry.name, entry.kind, " · ".join(filter(None, (entry.numbers, entry.text))), False)
        for entry in specimen.reference(game.id)
    )
    sections = (
        (f"{rules}#{section.anchor}", section.heading, say("rules"), section.text, True)
        for section in markdown.sections(game.rules_help())
    )
    for address, name, kind, text, english in chain(entries, sections):
        if all(word in f"{name} {text}".casefold() for word in words):
            named = all(word in name.casefold() for word in words)
            yield not named, Place(address, name, kind, _pieces(text, words), english)


def _pieces(text: str, words: Sequence[str]) -> tuple[tuple[str, bool], ...]:
    """Return the text around the first of the words, cut between words and divided at each that is found."""
    pattern = re.compile("|".join(re.escape(word) for word in sorted(words, key=len, reverse=True)), re.IGNORECASE)
    first = pattern.search(text)
    at = first.start() if first is not None else 0
    start = text.rfind(" ", 0, at - _AROUND) + 1 if at > _AROUND else 0
    end = text.find(" ", at + 2 * _AROUND)
    end = len(text) if end < 0 else end
    shown = ("… " if start else "") + text[start:end] + (" …" if end < len(text) else "")
    pieces, done = [], 0
    for match in pattern.finditer(shown):
        pieces += [(shown[done : match.start()], False), (match[0], True)]
        done = match.end()
    return tuple(piece for piece in (*pieces, (shown[done:], False)) if piece[0])
