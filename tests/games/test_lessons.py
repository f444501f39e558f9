"""Each lesson can be played: its steps fulfil themselves, and other orders are refused with a reason."""

import pytest

from gamesvc.games import catalog, lessons
from gamesvc.games.kernel.game import Refused

TAUGHT = [game.id for game in catalog.games() if lessons.lesson(game.id) is not None]


def test_every_game_is_taught():
    assert set(TAUGHT) == {game.id for game in catalog.games()}


@pytest.mark.parametrize("game", TAUGHT)
def test_every_step_is_fulfilled_by_its_order(game):
    steps = lessons.lesson(game).steps
    assert 8 <= len(steps) <= 10
    for done, step in enumerate(steps):
        awaited = catalog.game(game).awaited(lessons.position(game, done).state)
        assert lessons.LEARNER in {one.seat for one in awaited}, step.title
        lessons.check(game, done, step.order)
    lessons.position(game, len(steps))


@pytest.mark.parametrize("game", TAUGHT)
def test_another_order_does_not_fulfil_a_step(game):
    with pytest.raises(Refused):
        lessons.check(game, 0, "gibberish")
    with pytest.raises(Refused) as refused:
        lessons.check(game, 0, "resign")
    assert refused.value.code == "another_order"
