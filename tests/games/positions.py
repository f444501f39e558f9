"""Real positions of every game."""

from __future__ import annotations

from typing import Any

from gamesvc.games.kernel.game import Game
from tests.games import mutants

MATCHES = {"stratastar": 2, "space_fleet_commander": 4, "star_commander": 2, "space_war": 3, "auction": 6}
_corpora: dict[str, list[mutants.Position]] = {}


def corpus(game: Game[Any]) -> list[mutants.Position]:
    """Return about 30 moments of a few matches, the same on every run."""
    if game.id not in _corpora:
        every = list(mutants.moments(game, "suite", share=0.05, matches=MATCHES[game.id]))
        _corpora[game.id] = every[:: max(1, len(every) // 30)] + every[-1:]
    return _corpora[game.id]
