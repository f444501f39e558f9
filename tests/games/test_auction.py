"""The laws that all games are tested by hold for a valid small game with all defaults."""

from __future__ import annotations

import random

import pytest

from gamesvc.games import records
from gamesvc.games.kernel.dice import seeded
from gamesvc.games.kernel.game import see_event
from gamesvc.games.kernel.timeline import Timeline
from gamesvc.games.selfplay import play
from tests.games.auction import GAME


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_whole_matches_obey_every_law_and_replay(seats: int) -> None:
    for seed in range(8):
        record = play(GAME, options={}, seats=seats, seed=f"auction {seed}", interrupt=0.3)
        again = records.load(records.dump(GAME, record))
        records.check_replay(GAME, again)
        records.check_again(GAME, again)


def opened() -> Timeline:
    timeline = Timeline(GAME)
    timeline.follow(timeline.begin({"coins": 9}, 3, seeded("auction")))
    return timeline


def bid(timeline: Timeline, seat: int, coins: int) -> list:
    run = timeline.command(seat, {"name": "bid", "lot": timeline.state.lots[0], "coins": coins}, seeded("auction"))
    timeline.follow(run)
    return run.events


def test_a_sealed_bid_outdates_no_other_bid_but_its_reveal_does() -> None:
    timeline, command = opened(), {"name": "bid", "lot": "map", "coins": 1}
    first = bid(timeline, 0, random.Random(1).randrange(9))
    seen = [see_event(GAME, event, 1) for event in first]
    assert [event.redacted for event in seen] == [True]
    assert not any(GAME.stale(command, event, 1) for event in seen)
    assert any(GAME.stale(command, see_event(GAME, event, 0), 0) for event in first), "one's own bid is read in full"
    bid(timeline, 1, 2)
    last = bid(timeline, 2, 3)
    assert [event.type for event in last] == ["bid", "sold"]
    assert any(GAME.stale(command, see_event(GAME, event, 1), 1) for event in last)
