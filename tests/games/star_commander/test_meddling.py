"""Matches in which seats act unasked at any moment: offers, early passes, standing orders, resigning."""

from __future__ import annotations

import json
import random

import pytest

from gamesvc.games.kernel import forms
from gamesvc.games.kernel.bots import play_random
from gamesvc.games.kernel.dice import Dice, KeyedSource, draw_key, seeded
from gamesvc.games.kernel.game import Event
from gamesvc.games.kernel.timeline import Timeline, check_options, replay
from gamesvc.games.star_commander import GAME
from gamesvc.games.star_commander.state import State

pytestmark = pytest.mark.long


def check_secrets(state: State, rng: random.Random) -> None:
    """Check that information hidden from a seat changes nothing for it while offers are open and orders are set."""
    for seat in range(len(state.seats)):
        other = GAME.redeal(state, seat, Dice(KeyedSource(draw_key(rng.randbytes(32), "", ()))))
        assert GAME.view(other, seat) == GAME.view(state, seat)
        assert GAME.legal_commands(other, seat) == GAME.legal_commands(state, seat)


def play(edition: str, seats: int, seed: str, resigning: float = 0.004, commands: int = 260) -> list[Event]:
    """Play at random; now and then any living seat does something aside. Checks every state."""
    rng, dice = random.Random(seed), seeded(seed)
    timeline: Timeline[State] = Timeline(GAME)
    begun = timeline.begin(check_options(GAME, {"edition": edition, "turn_limit": 40}, seats), seats, dice)
    timeline.follow(begun)
    log = list(begun.events)
    for _ in range(commands):
        state = timeline.state
        if GAME.outcome(state) is not None:
            break
        seat = rng.choice(GAME.awaited(state)).seat
        offered = GAME.legal_commands(state, seat)
        command = play_random(GAME.view(state, seat), offered, rng)
        if rng.random() < 0.35:
            seat = rng.choice([at for at, one in enumerate(state.seats) if one.alive])
            asides = [form for form in GAME.legal_commands(state, seat) if form.aside and form.name != "resign"]
            command = forms.fill(rng.choice(asides), rng)
        if rng.random() < resigning:
            seat, command = rng.choice([at for at, one in enumerate(state.seats) if one.alive]), {"name": "resign"}
        run = timeline.command(seat, dict(command), dice)
        timeline.follow(run)
        log += run.events
        assert not GAME.faults(timeline.state), (edition, seats, seed, timeline.version)
        if rng.random() < 0.05:
            check_secrets(timeline.state, rng)
        if GAME.outcome(timeline.state) is None:
            for awaited in GAME.awaited(timeline.state):
                assert any(not form.aside for form in GAME.legal_commands(timeline.state, awaited.seat))
    events = [Event(e.type, json.loads(json.dumps(e.data)), e.version, e.type_version, e.draws) for e in log]
    assert replay(GAME, events).state == timeline.state
    return events


@pytest.mark.parametrize("edition", ["classic", "revised"])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_meddling(edition: str, seats: int) -> None:
    for at in range(2):
        # Each step is checked during play, and the whole log by the replay.
        versions = [event.version for event in play(edition, seats, f"meddling {at}")]
        assert versions == list(range(1, len(versions) + 1))


def test_meddling_makes_trades_and_resigns() -> None:
    kinds = {event.type for at in range(3) for event in play("revised", 3, f"kinds {at}", resigning=0.01)}
    assert {"trade_offered", "trade_completed", "trade_declined", "standing_orders_set", "player_eliminated"} <= kinds
