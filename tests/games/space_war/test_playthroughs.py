"""Recorded matches: they replay to their result, play again to the same events, and cover every ending."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gamesvc.games import records
from gamesvc.games.space_war import GAME
from tests.games.space_war.record import RECIPES, depth, recorded


@pytest.mark.parametrize("path", list(recorded()), ids=lambda path: path.stem)
def test_playthrough(path):
    record = records.load(path.read_text(encoding="utf-8"))
    timeline = records.check_replay(GAME, record)
    assert not GAME.faults(timeline.state)
    records.check_again(GAME, record)


@pytest.mark.parametrize("path", sorted((Path(__file__).parent / "earlier").glob("*.json")), ids=lambda path: path.stem)
def test_a_match_of_earlier_rules_replays(path):
    """Settled items were dropped at an extra turn, which told their seat what had been let stand (1.1.1).

    A play at the present point left the items before it open (1.2.1). An order that let an item stand added events (1.2.2).
    """
    text = path.read_text(encoding="utf-8")
    assert json.loads(text)["rules"] != GAME.manifest.rules
    assert not GAME.faults(records.check_replay(GAME, records.load(text)).state)


def test_every_recipe_and_every_ending_is_recorded():
    loaded = [records.load(path.read_text(encoding="utf-8")) for path in recorded()]
    assert {path.stem for path in recorded()} == set(RECIPES)
    assert {record.outcome.reason for record in loaded} == {"commander", "resigned", "timed_out"}
    assert max(map(depth, loaded)) >= 4
    for option in ("commander_pool", "starter", "reaction_points"):
        assert len({record.options[option] for record in loaded}) == 2
    kinds = {event.type for record in loaded for event in record.events}
    assert {"match.rewound", "order_fired", "paused", "outcome_pending", "card_countered", "attack_failed"} <= kinds
