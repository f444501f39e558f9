"""Hand-over counts: how often the awaited seats change within a turn of the game.

A hand-over happens when the match waits for a seat that it was not waiting for just before. Seats that become awaited at the same
time count once, and a seat that answers before the others causes no hand-over. A turn in which only the next seat acts counts
one.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from gamesvc.games.kernel.game import Game, S


@dataclass
class HandOvers:
    """An observer of a match. `per_turn` holds the hand-overs of each turn seen from its first state to its end."""

    per_turn: list[int] = field(default_factory=list)
    _turn: int | None = 0  # None: unknown, since the match went back
    _count: int | None = None  # of the current turn; None if it is not counted
    _waiting: frozenset[int] = frozenset()

    def look(self, game: Game[S], state: S) -> bool:
        """Record a state in which the match waits. Returns True if a turn begins with it."""
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
        """Drop the current turn: the match was rewound, which is not a hand-over of the game."""
        self._turn = None


def figures(per_turn: Sequence[int]) -> dict[str, float | int | None]:
    """Return the published figures: the number of turns counted, the median, and the 90th percentile."""
    if not per_turn:
        return {"turns": 0, "median": None, "ninetieth": None}
    return {"turns": len(per_turn), "median": statistics.median(per_turn), "ninetieth": ninetieth(per_turn)}


def ninetieth(numbers: Iterable[int]) -> int:
    """Return the smallest number that at least 90 percent do not exceed."""
    ordered = sorted(numbers)
    return ordered[-(-9 * len(ordered) // 10) - 1]
