"""How often a match is handed on: changes of the awaited seats within each turn of the game.

A match is handed on when somebody is awaited who was not awaited just before. Seats that are asked at the same time count once,
however many they are, and one that answers before the others hands nothing on. A turn in which nobody but the next seat is
asked costs one.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from gamesvc.games.kernel.game import Game


@dataclass
class HandOvers:
    """Follows a match from outside; `per_turn` holds the hand-overs of each turn seen from its first state to its end."""

    per_turn: list[int] = field(default_factory=list)
    _turn: int | None = 0  # None: unknown, since the match went back
    _count: int | None = None  # of the turn under way; None where it is not counted
    _waiting: frozenset[int] = frozenset()

    def look(self, game: Game[Any], state: Any) -> bool:
        """Take note of a state in which the match waits. Returns whether a turn begins with it."""
        turn, waiting = game.turn(state), frozenset(one.seat for one in game.awaited(state))
        begins = self._turn is not None and turn > self._turn
        if begins:
            if self._count is not None:
                self.per_turn.append(self._count)
            self._count = 0
        elif turn != self._turn:
            self._count = None
        if self._count is not None and waiting - self._waiting:
            self._count += 1
        self._turn, self._waiting = turn, waiting
        return begins

    def go_back(self) -> None:
        """Leave out the turn under way: the match was taken back, which is no hand-over of the game."""
        self._turn = None


def figures(per_turn: Sequence[int]) -> dict[str, float | int | None]:
    """What is published of hand-overs: in how many turns they were counted, the median and the 90th percentile."""
    if not per_turn:
        return {"turns": 0, "median": None, "ninetieth": None}
    return {"turns": len(per_turn), "median": statistics.median(per_turn), "ninetieth": ninetieth(per_turn)}


def ninetieth(numbers: Iterable[int]) -> int:
    """The least number that nine of ten do not exceed."""
    ordered = sorted(numbers)
    return ordered[-(-9 * len(ordered) // 10) - 1]
