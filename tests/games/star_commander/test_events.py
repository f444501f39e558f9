"""Typed events of Star Commander: what the tests of all games leave open."""

from __future__ import annotations

import ast
import inspect

import pytest

from gamesvc.games import records
from gamesvc.games.kernel.game import Event
from gamesvc.games.star_commander import GAME
from gamesvc.games.star_commander.events import KINDS, cards, course, plays
from gamesvc.games.star_commander.secrecy import redact, staleness
from tests.games.star_commander.test_playthroughs import FILES


def test_events_are_hidden_under_names_that_exist() -> None:
    cases = {
        node.value.value
        for node in ast.walk(ast.parse(inspect.getsource(redact)))
        if isinstance(node, ast.MatchValue) and isinstance(node.value, ast.Constant)
    }
    assert len(cases) > 10
    assert cases | redact._TELLING | staleness._NEW | staleness._HARMLESS <= set(KINDS)


def test_an_event_of_an_unknown_type_is_an_error() -> None:
    recorded = records.load(FILES[0].read_text(encoding="utf-8")).events
    setup = next(event for event in recorded if event.type == course.GameSetUp.TYPE)
    state = GAME.evolve(None, setup)
    for wrong in (Event("supernova_seen", {"seat": 0}, 2), setup):
        with pytest.raises(KeyError):
            GAME.evolve(state, wrong)


ASSIGNED = {"seat": 0, "cell": "0,0", "turn": 3, "shots": [], "more": False, "auto": False}
PASSED = {"seats": [1], "auto": False, "closed": False}
ENTERED = {"phase": "combat", "window": "after_assign", "priority": 0}
OFFERED = {"offer": 1, "seat": 0, "to": 1, "give": {}, "want": {}, "cards": []}


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        (plays.DamageAssigned, ASSIGNED),
        (plays.DamageAssigned, {**ASSIGNED, "passes": False}),
        (plays.DamageAssigned, {**ASSIGNED, "passes": True, "stays": True}),
        (plays.PriorityPassed, PASSED),
        (plays.PriorityPassed, {**PASSED, "early": True, "sealed": True, "play": {"name": "activate", "source": "v1"}}),
        (plays.PriorityPassed, {**PASSED, "rest": True}),
        (course.PhaseEntered, ENTERED),
        (course.PhaseEntered, {**ENTERED, "passed": []}),
        (plays.TradeOffered, OFFERED),
        (plays.TradeOffered, {**OFFERED, "note": ""}),
        (cards.HandShown, {"seat": 0, "to": None, "cards": []}),
    ],
)
def test_what_is_missing_stays_missing_and_what_is_empty_stays_there(kind: type, data: dict[str, object]) -> None:
    assert kind.of(data).as_json() == data
