"""Suggestions in refusals of orders: only what is legal now."""

from __future__ import annotations

import contextlib
import functools
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from gamesvc.games.kernel import forms, notation
from gamesvc.games.kernel.game import Command, Data, Form, Game, Refused, Viewer
from gamesvc.games.kernel.timeline import check_command, read_order
from gamesvc.json_types import JsonObject
from gamesvc.matches.record.loading import Loaded


def read_for(loaded: Loaded, viewer: Viewer, order: str, view: Data) -> JsonObject:
    """Return the command that an order of a seat means. Raises `Refused`, with suggestions that are legal now."""
    game = loaded.game
    if viewer is not None and loaded.started and not loaded.ended:
        seat = viewer
        game = suggesting_legal(game, lambda: loaded.game.legal_commands(loaded.timeline.state, seat))
    return dict(read_order(game, order, view))


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
