"""Mutated positions are refused with a reason or can be played on."""

from __future__ import annotations

import pytest

from gamesvc.games import catalog
from tests.games import mutants, positions

pytestmark = [pytest.mark.usefixtures("auction"), pytest.mark.long]


@pytest.mark.parametrize("game_id", [*catalog.OFFERED, "auction"])
def test_a_mutated_position_is_refused_or_playable(game_id: str) -> None:
    game = catalog.game(game_id)
    tally = mutants.stress(game, positions.corpus(game), 300, "suite", most=60)
    assert tally.mutated == 300
    assert tally.refused > 100, "mistakes must be found"
    assert tally.accepted > 10, "what is possible must be left possible"
