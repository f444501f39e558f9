"""How a match ends, and who ranks where."""

from __future__ import annotations

from gamesvc.games.kernel.game import Outcome
from gamesvc.games.space_war.state import State


def outcome(state: State) -> Outcome | None:
    """One winner, one loser; scores are 1 and 0."""
    if state.winner is None:
        return None
    life = [side.life for side in state.sides]
    return Outcome(
        state.reason,
        ((state.winner,), (1 - state.winner,)),
        tuple(int(seat == state.winner) for seat in (0, 1)),
        {"life": life, "turns": state.turn},
    )
