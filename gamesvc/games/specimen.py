"""A game apart from any match: its introduction, and its cards in the first position of a match that nobody plays."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from gamesvc.games import catalog
from gamesvc.games.kernel.dice import seeded
from gamesvc.games.kernel.telling import Entry
from gamesvc.games.kernel.timeline import Timeline, check_options
from gamesvc.json_types import JsonMapping


def reference(game_id: str) -> Sequence[Entry]:
    """Return every kind of card, unit and ability of a game with its default options, in the language of the reader."""
    return catalog.game(game_id).reference(_view(game_id))


@functools.cache
def _view(game_id: str) -> JsonMapping:
    """Return the first position. It is kept, and not the words on it: they depend on their reader."""
    game = catalog.game(game_id)
    seats = game.manifest.min_seats
    run = Timeline(game).begin(check_options(game, {}, seats), seats, seeded("specimen"))
    return game.view(run.state, None)


def introduction(game_id: str) -> str:
    """Return the first section of a game's rules as Markdown, without its heading: the introduction for new players."""
    _before, _sign, section = catalog.game(game_id).rules_help().partition("\n## ")
    _heading, _break, text = section.partition("\n")
    return text.partition("\n## ")[0]
