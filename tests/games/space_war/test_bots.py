"""The bots, what a turn costs in exchanges, and what outdates a command."""

from __future__ import annotations

import pytest

from gamesvc.games import selfplay
from gamesvc.games.kernel import Event
from gamesvc.games.space_war import GAME
from gamesvc.games.space_war.exchanges import simulate
from tests.games.space_war.test_properties import DECKS


def test_greedy_beats_random_and_uses_reactions():
    won = reactions = 0
    for number in range(24):
        bots = ("greedy", "random") if number % 2 else ("random", "greedy")
        options = {"decks": [DECKS[number % 3], DECKS[number // 3 % 3]]}
        record = selfplay.play(GAME, options=options, seats=2, seed=f"greedy {number}", bots=bots, check_every=0)
        greedy = bots.index("greedy")
        assert record.outcome is not None
        won += record.outcome.ranking[0] == (greedy,)
        reactions += sum(seat == greedy and command["name"] == "react" for seat, command in record.commands)
    assert won >= 20  # 0.8 of 24, and a little
    assert reactions >= 5


@pytest.mark.parametrize("orders", [False, True])
def test_a_turn_costs_one_exchange(orders):
    for share in (0.05, 0.15):
        found = simulate(share, orders=orders, matches=3)
        assert found.median <= 1
        assert found.ninetieth <= 3


def test_what_outdates_a_command():
    played = [Event("card_played", {"seat": 1}, 5)]
    quiet = [Event("orders_set", {"seat": 0}, 5), Event("seat_prepared", {"seat": 1}, 6)]
    for command, since, stale in (
        ({"name": "react", "item": 3, "play": {}}, played, False),
        ({"name": "react", "play": {}}, played, True),
        ({"name": "let_stand"}, played, True),
        ({"name": "let_stand", "upto": 3}, played, False),
        ({"name": "set_orders", "orders": []}, played, False),
        ({"name": "choose", "prompt": 1, "picks": []}, played, False),
        ({"name": "play_card", "card": "a-01"}, played, True),
        ({"name": "play_card", "card": "a-01"}, quiet, False),
        ({"name": "prepare"}, quiet, False),
    ):
        assert GAME.stale(command, since, 0) == stale, command


def test_what_tells_somebody_something():
    told, quiet = ("cards_drawn", "station_flipped", "card_played"), ("moved", "orders_set", "phase_entered")
    for kind in (*told, *quiet):
        assert GAME.reveals(Event(kind, {})) == (kind in told)
