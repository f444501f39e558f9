"""Recorded matches replay to their recorded end, play again to the same events, and equal the output of `record`."""

from __future__ import annotations

import json

import pytest

from gamesvc.games import records
from gamesvc.games.stratastar import GAME
from tests.games.stratastar.record import FOLDER, PLANS, record

FILES = sorted(FOLDER.glob("*.json"))
EARLIER = sorted((FOLDER.parent / "earlier").glob("*.json"))
"""Matches recorded under earlier rules: their decisions stand, and their commands still give the same events."""


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_playthrough(path):
    played = records.load(path.read_text(encoding="utf-8"))
    timeline = records.check_replay(GAME, played)
    assert GAME.faults(timeline.state) == []
    records.check_again(GAME, played)


@pytest.mark.parametrize("path", EARLIER, ids=lambda path: path.stem)
def test_a_match_of_earlier_rules_plays_again(path):
    text = path.read_text(encoding="utf-8")
    assert json.loads(text)["rules"] != GAME.manifest.rules
    played = records.load(text)
    assert GAME.faults(records.check_replay(GAME, played).state) == []
    records.check_again(GAME, played)


def test_every_plan_is_recorded():
    assert {path.stem for path in FILES} == set(PLANS)
    reasons = {records.load(path.read_text(encoding="utf-8")).outcome.reason for path in FILES}
    assert reasons == {"worlds", "capture", "last_seat", "max_rounds"}


def test_recording_again_gives_the_same_file():
    assert record("rounds_shared") == (FOLDER / "rounds_shared.json").read_text(encoding="utf-8")
