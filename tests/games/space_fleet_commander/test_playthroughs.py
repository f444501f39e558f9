"""Recorded matches replay to their outcome with `evolve`, and play again to the same events with `decide`."""

from __future__ import annotations

import pytest

from gamesvc.games import records
from gamesvc.games.space_fleet_commander import GAME
from tests.games.space_fleet_commander.record import FOLDER, PLANS

FILES = sorted(FOLDER.glob("*.json"))


def test_every_plan_is_recorded():
    assert {path.stem for path in FILES} == {plan.name for plan in PLANS}
    assert len(PLANS) >= 12


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_playthrough(path):
    record = records.load(path.read_text(encoding="utf-8"))
    timeline = records.check_replay(GAME, record)
    assert not GAME.faults(timeline.state)
    records.check_again(GAME, record)


def test_the_records_reach_every_ending_and_every_option():
    loaded = [records.load(path.read_text(encoding="utf-8")) for path in FILES]
    reasons = {row["reason"] for one in loaded for row in one.outcome.detail.get("seats", ())} | {
        one.outcome.reason for one in loaded
    }
    assert reasons >= {"emperor", "time", "cornered", "stuck", "resigned", "destroyed", "all_finished"}
    for name, schema in GAME.manifest.options["properties"].items():
        values = set(schema.get("enum", (False, True)))
        assert {one.options[name] for one in loaded} == values, name
    types = {event.type for one in loaded for event in one.events}
    assert types >= {"hospital_used", "hit_redirected", "repair_due", "hull_added", "die_removed", "die_adjusted", "upgrade_set"}
