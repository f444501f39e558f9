"""A match of a game that nobody plays: its first position, for what is told about the game apart from any match."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from gamesvc.games import catalog
from gamesvc.games.kernel.dice import seeded
from gamesvc.games.kernel.telling import Entry
from gamesvc.games.kernel.timeline import Timeline, check_options


@functools.cache
def reference(game_id: str) -> Sequence[Entry]:
    """Return every kind of card, unit and ability of a game with its default options."""
    game = catalog.game(game_id)
    seats = game.manifest.min_seats
    run = Timeline(game).begin(check_options(game, {}, seats), seats, seeded("specimen"))
    return tuple(game.reference(game.view(run.state, None)))
