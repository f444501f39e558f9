"""Which targets of a picture an event names: the log lights them."""

from __future__ import annotations

import random

import pytest

from gamesvc.games import catalog
from gamesvc.games.kernel.game import Caption
from gamesvc.games.kernel.targets import help_on, named, targets
from gamesvc.games.protocol import Session


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"seat": 0, "from": "E5", "to": "F5"}, ["cell:E5", "cell:F5"]),
        ({"seat": 1, "slot": "s1"}, ["slot:1:s1"]),
        ({"slot": "s1"}, ["slot:0:s1", "slot:1:s1"]),
        ({"hits": {"v7": {"amount": 2}}}, ["vessel:v7"]),
        ({"paid": ["move"], "space": "E55"}, []),
    ],
)
def test_a_target_is_named_by_its_id(data, expected):
    drawn = ["cell:E5", "cell:F5", "hand:move", "slot:0:s1", "slot:1:s1", "vessel:v7", "deck"]
    assert named(drawn, data) == expected


@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_events_of_every_game_name_what_the_board_shows(game_id):
    """Most of what happens on a board stands in its events under the ids of the targets."""
    game, rng = catalog.game(game_id), random.Random(game_id)
    session, lit = Session(game), set()
    session.answer({"op": "new", "seats": 1 if game_id == "space_fleet_commander" else 2, "seed": "named"})
    for _ in range(60):
        state = session.timeline.state
        if game.outcome(state) is not None:
            break
        seat = game.awaited(state)[0].seat
        command = game.bots["greedy"](game.view(state, seat), game.legal_commands(state, seat), rng)
        answer = session.answer({"op": "command", "seat": seat, "command": command})
        drawn = game.picture(game.view(session.timeline.state, 0), Caption(header=False)).boxes
        lit |= {event["type"] for event in answer["events"] if named(drawn, event["data"])}
    assert len(lit) >= 4, lit


@pytest.mark.parametrize("game_id", [game_id for game_id in catalog.OFFERED if game_id != "space_fleet_commander"])
def test_a_tap_on_a_discard_pile_opens_its_cards(game_id):
    """The pile is a target with a name of its own, and its help lists the cards that lie there."""
    game, rng = catalog.game(game_id), random.Random(game_id)
    session, opened = Session(game), set()
    session.answer({"op": "new", "seats": 2, "seed": "piles"})
    for _ in range(200):
        state = session.timeline.state
        if game.outcome(state) is not None:
            break
        seat = game.awaited(state)[0].seat
        view = game.view(state, seat)
        picture = game.picture(view, Caption(header=False))
        piles = [one for one in targets(game, view, picture, Caption()) if "discard" in one.id]
        assert piles
        assert len({one.name for one in piles}) == len(piles)
        opened |= {text for pile in piles for _name, text in [help_on(game, view, pile.id)]}
        session.answer(
            {"op": "command", "seat": seat, "command": game.bots["greedy"](view, game.legal_commands(state, seat), rng)}
        )
    assert "No card lies there." in opened
    assert any(text.startswith("From the top: ") for text in opened)
