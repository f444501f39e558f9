"""Every target of a picture can be tapped: none lies under another one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gamesvc.games import catalog
from gamesvc.games.kernel.game import Caption
from gamesvc.games.kernel.targets import Picture
from gamesvc.games.protocol import Session
from gamesvc.games.secrecy import Broken
from gamesvc.games.stratastar.data import CARD_NAMES
from gamesvc.games.tapping import check_reach, check_taps


def begun(game_id: str) -> Session:
    session = Session(catalog.game(game_id))
    session.answer({"op": "new", "seats": 2, "seed": "reached"})
    return session


def test_self_play_refuses_a_target_that_another_covers():
    session = begun("stratastar")
    state, game = session.timeline.state, session.timeline.game
    seat = game.awaited(state)[0].seat
    assert check_taps(game, state, seat, "here") > 0

    def covered(view, caption):
        drawn = game.picture(view, caption)
        x, y, width, height = drawn.boxes["cell:A1"]
        return Picture(drawn, {**drawn.boxes, "deck": (x + width / 2, y, width, height)}, drawn.board, drawn.tabs)

    with pytest.raises(Broken, match="no tap reaches cell:A1"):
        check_taps(replace(game, picture=covered), state, seat, "here")


@pytest.mark.parametrize("kinds", range(1, len(CARD_NAMES) + 1))
def test_each_card_of_a_hand_of_many_kinds_can_be_tapped(kinds):
    session = begun("stratastar")
    game = session.timeline.game
    view = game.view(session.timeline.state, 0) | {"hand": [card for card in list(CARD_NAMES)[:kinds] for _ in range(2)]}
    drawn = game.picture(view, Caption(header=False))
    check_reach(drawn, "here")
    assert sum(name.startswith("hand:") for name in drawn.boxes) == kinds
    assert max(y + height for _, y, _, height in drawn.boxes.values()) < float(drawn.split('height="')[1].split('"')[0]) + 84
