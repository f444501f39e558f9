"""Redealing a whole position: the state and the earlier states that it marks."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping

from gamesvc.games.kernel import codec
from gamesvc.games.kernel.dice import Dice
from gamesvc.games.kernel.game import Game, S
from gamesvc.games.secrecy import words_in
from gamesvc.json_types import JsonObject


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


def renumber(game: Game, position: JsonObject, seat: int, dice: Dice, version: int) -> JsonObject:
    """Return the position with new ids for all cards that a seat's view does not name, of the same kind: `a-07` becomes `a-31`.

    A redeal gives ids other cards, but leaves them in their places. A seat that has once seen which card an id is, such as in a
    search of its pile, would find that card's real place.
    """
    state, _marked = codec.read_position(game, position, version, judge=False)
    hidden = sorted(set(game.ids(state)) - words_in(game.view(state, seat)))
    new: dict[str, str] = {}
    for _kind, ids in itertools.groupby(hidden, lambda one: one.rstrip("0123456789")):
        same = list(ids)
        new |= zip(same, dice.shuffle(same), strict=True)
    state, marked = codec.read_position(game, _renamed(position, new), version, judge=False)
    return codec.write_position(game, state, version, marked)


def _renamed(value: object, new: Mapping[str, str]) -> object:
    match value:
        case dict():
            return {new.get(key, key): _renamed(each, new) for key, each in value.items()}
        case list():
            return [_renamed(each, new) for each in value]
        case str():
            return new.get(value, value)
    return value
