"""Recorded matches: they replay to their outcome, and play again event by event."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from gamesvc.games import records, selfplay
from gamesvc.games.star_commander import GAME
from tests.games.star_commander.record import MATCHES

FILES = sorted((Path(__file__).parent / "playthroughs").glob("*.json"))
EARLIER = sorted((Path(__file__).parent / "earlier").glob("*.json"))
"""Matches recorded under earlier rules: their decisions stand."""


def test_all_matches_are_there() -> None:
    assert {file.stem for file in FILES} == set(MATCHES)
    found = [records.load(file.read_text(encoding="utf-8")) for file in FILES]
    assert {(record.options["edition"], record.seats) for record in found} == {
        (edition, seats) for edition in ("classic", "revised") for seats in (2, 3, 4)
    }
    ends = {(record.options["edition"], record.outcome.reason) for record in found if record.outcome}
    assert ends >= {("revised", reason) for reason in ("deck_empty", "homeworld_captured", "turn_limit", "last_seat")}
    assert ends >= {("classic", reason) for reason in ("turn_limit", "last_seat")}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_playthrough(file: Path) -> None:
    record = records.load(file.read_text(encoding="utf-8"))
    timeline = records.check_replay(GAME, record)
    assert not GAME.faults(timeline.state)
    records.check_again(GAME, record)


@pytest.mark.parametrize("file", EARLIER, ids=lambda file: file.stem)
def test_a_match_of_earlier_rules_replays(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert json.loads(text)["rules"] != GAME.manifest.rules
    assert not GAME.faults(records.check_replay(GAME, records.load(text)).state)


@pytest.mark.long
@pytest.mark.parametrize(("edition", "seats"), [("classic", 2), ("classic", 3), ("revised", 2), ("revised", 4)])
def test_selfplay(edition: str, seats: int) -> None:
    for at in range(2):
        options = {"edition": edition, "turn_limit": 14}
        record = selfplay.play(GAME, options=options, seats=seats, seed=f"smoke {at}", check_every=2)
        assert record.outcome is not None
        assert sorted(itertools.chain(*record.outcome.ranking)) == list(range(seats))
