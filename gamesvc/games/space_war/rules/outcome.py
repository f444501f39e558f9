"""The result of a match and the ranking."""

from __future__ import annotations

from gamesvc.games.kernel.game import Outcome
from gamesvc.games.space_war.state import State


def outcome(state: State) -> Outcome | None:
    """Return the outcome with one winner and one loser (scores 1 and 0); None while the match goes on."""
    if state.winner is None:
        return None
    life = [side.life for side in state.sides]
    return Outcome(
        state.reason,
        ((state.winner,), (1 - state.winner,)),
        tuple(int(seat == state.winner) for seat in (0, 1)),
        {"life": life, "turns": state.turn},
    )
