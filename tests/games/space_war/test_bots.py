"""The bots, the exchanges that a turn costs, and the events that outdate a command."""

from __future__ import annotations

import random
import statistics

import pytest

from gamesvc.games import selfplay
from gamesvc.games.kernel.dice import seeded
from gamesvc.games.kernel.game import Event
from gamesvc.games.kernel.timeline import Timeline, check_options
from gamesvc.games.space_war import GAME
from tests.games.space_war.exchanges import simulate
from tests.games.space_war.test_properties import DECKS, options_of

pytestmark = pytest.mark.long


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
    assert won >= 20  # 0.8 of 24, with some margin
    assert reactions >= 5


@pytest.mark.parametrize("orders", [False, True])
def test_a_turn_costs_one_exchange(orders):
    for share in (0.05, 0.15):
        found = simulate(share, orders=orders, matches=3)
        assert found.median <= 1
        assert found.ninetieth <= 3


def waits(number: int, bots: tuple[str, str]) -> tuple[list[int], list[str]]:
    """Play a match. Returns the number of hand-overs per turn, and the trivial choices that a seat was awaited for."""
    rng, dice, timeline = random.Random(number), seeded(f"waits {number}"), Timeline(GAME)
    timeline.follow(timeline.begin(check_options(GAME, options_of(number), 2), 2, dice))
    per_turn, waited, last, sender = [0], [], -1, -1
    while timeline.state.phase != "over" and len(per_turn) < 40:
        state = timeline.state
        if state.turn > len(per_turn):
            per_turn.append(0)
        [question] = GAME.awaited(state)[:1]
        seat = question.seat
        if seat != last and state.turn:
            per_turn[-1] += 1
            if question.prompt in ("flips", "draw") and seat not in (state.active, sender):
                waited.append(question.prompt)
        last = sender = seat
        command = GAME.bots[bots[seat]](GAME.view(state, seat), GAME.legal_commands(state, seat), rng)
        timeline.follow(timeline.command(seat, dict(command), dice))
    return per_turn, waited


def test_hand_overs_per_turn_in_all_options():
    turns, waited = [], []
    for number in range(12):
        one, more = waits(number, ("greedy", "random") if number % 2 else ("greedy", "greedy"))
        turns += one
        waited += more
    assert statistics.median(turns) <= 1
    assert sorted(turns)[int(0.9 * (len(turns) - 1))] <= 3
    assert waited == [], "a preference decides what would be waited for"


def test_outdated_commands():
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
        assert any(GAME.stale(command, event, 0) for event in since) == stale, command


def test_revealing_events():
    told, quiet = ("cards_drawn", "station_flipped", "card_played"), ("moved", "orders_set", "phase_entered")
    for kind in (*told, *quiet):
        assert GAME.reveals(Event(kind, {})) == (kind in told)
