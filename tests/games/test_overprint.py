"""The overprint colour says what the viewer may do now: a picture for others, or of an earlier position, calls nobody."""

from __future__ import annotations

import random
import re

import pytest

from gamesvc.games import catalog
from gamesvc.games.kernel.game import Caption
from gamesvc.games.protocol import Session

CALL = re.compile(r'<rect(?=[^>]* width="7")[^>]*f-over')
"""The mark before the line at the foot."""


@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_only_who_is_awaited_is_called(game_id):
    game, rng, seats = catalog.game(game_id), random.Random(game_id), 1 if game_id == "space_fleet_commander" else 2
    session, called = Session(game), set()
    session.answer({"op": "new", "seats": seats, "seed": "overprint"})
    for _ in range(30):
        state = session.timeline.state
        awaited = {waiting.seat for waiting in game.awaited(state)}
        for viewer in (None, *range(seats)):
            view = game.view(state, viewer)
            called.add((viewer in awaited, CALL.search(game.picture(view, Caption(header=False))) is not None))
            past = game.picture(view, Caption(header=False, past=True))
            assert not CALL.search(past)
            if game_id == "space_fleet_commander":
                assert "s-over" not in past
        seat = min(awaited)
        command = game.bots["greedy"](game.view(state, seat), game.legal_commands(state, seat), rng)
        session.answer({"op": "command", "seat": seat, "command": command})
    assert called == {(True, True), (False, False)}
