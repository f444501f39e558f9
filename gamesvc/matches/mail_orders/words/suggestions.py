"""Suggestions in refusals of orders: only what is legal now."""

from __future__ import annotations

import contextlib
import functools
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from gamesvc.games.kernel import forms, notation
from gamesvc.games.kernel.game import Command, Data, Form, Game, Refused
from gamesvc.games.kernel.timeline import check_command


def suggesting_legal(game: Game, legal: Callable[[], Sequence[Form]]) -> Game:
    """Return the game with a `parse` whose refusals suggest only what is legal now.

    `legal` returns the forms of the reader's seat; it is called at most once, and only for a refusal.
    """
    offered = functools.cache(legal)
    begun = functools.cache(lambda: _first_words(game, offered()))

    def parse(text: str, view: Data) -> Command:
        def stands(word: str, name: str) -> bool:
            first = next(iter(text.split()), "").casefold().rstrip(":.")
            if first == word.casefold() and name in begun():
                return True
            written = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", lambda _found: name, text, count=1, flags=re.IGNORECASE)
            return _is_legal(game, offered(), written, view)

        with notation.judged(stands):
            return game.parse(text, view)

    return replace(game, parse=parse)


def _first_words(game: Game, legal: Sequence[Form]) -> set[str]:
    """Return the words with which legal orders begin."""
    rng, words = random.Random(0), set()
    for form in legal:
        with contextlib.suppress(forms.Unfillable):
            words.add(game.render(forms.fill(form, rng)).split()[0])
    return words


def _is_legal(game: Game, legal: Sequence[Form], order: str, view: Data) -> bool:
    try:
        command = game.parse(order, view)
        check_command(game, command)
    except Refused:
        return False
    return forms.offered(legal, command)
