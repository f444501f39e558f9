"""The result of a match and the ranking."""

from __future__ import annotations

from gamesvc.games.kernel.game import Outcome
from gamesvc.games.star_commander.state import State


def outcome(state: State) -> Outcome | None:
    if state.result is None:
        return None
    return Outcome(state.result.reason, state.result.ranking, state.result.scores)
