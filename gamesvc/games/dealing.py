"""Redealing a whole position: the state and the earlier states that it marks.

`redeal` is for deals that a record holds and that anyone can repeat, so it must deal the same for ever. `deal` is for all others.
"""

from __future__ import annotations

from collections.abc import Callable

from gamesvc.games.kernel.dice import Dice
from gamesvc.games.kernel.game import Game, S


def redeal(game: Game[S], state: S, at: Callable[[int], S], seat: int, dice: Dice) -> tuple[S, dict[int, S]]:
    """Redeal everything hidden from a seat, also in the states that the game may go back to. `at` returns an earlier state."""
    redealt = game.redeal(state, seat, dice)
    kept: dict[int, S] = {}
    waiting = sorted(game.marks(redealt))
    while waiting:
        version = waiting.pop()
        kept[version] = game.redeal_marked(at(version), version, redealt, seat, dice)
        waiting += sorted(game.marks(kept[version]) - kept.keys() - set(waiting))
    return redealt, kept


def deal(game: Game[S], state: S, at: Callable[[int], S], seat: int, dice: Dice) -> tuple[S, dict[int, S]]:
    """Redeal everything hidden from a seat, as `redeal` does, and also the places of hidden things."""
    return game.scatter(*redeal(game, state, at, seat, dice), seat, dice)
