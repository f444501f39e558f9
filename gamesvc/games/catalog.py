"""The games on offer, by id. To add a game, add it here."""

from __future__ import annotations

import importlib

from gamesvc.games.kernel.game import Game, Refused
from gamesvc.language import say

OFFERED = ("stratastar", "space_fleet_commander", "star_commander", "space_war")


def game(game_id: str) -> Game:
    """Return the engine of a game, loading only its package. Raises `Refused` for an unknown id and lists the known ones."""
    if game_id not in OFFERED:
        detail = say("There is no game {game!r}. There are: {known}.", game=game_id, known=", ".join(OFFERED))
        raise Refused("unknown_game", detail, "game")
    engine: Game = importlib.import_module(f"gamesvc.games.{game_id}").GAME
    return engine


def games() -> tuple[Game, ...]:
    return tuple(game(game_id) for game_id in OFFERED)
