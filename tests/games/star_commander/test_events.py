"""Typed events: each recorded one is read and written again unchanged, and `evolve` knows each type."""

from __future__ import annotations

import ast
import inspect
import json
import typing
from pathlib import Path

import pytest

from gamesvc.games import records
from gamesvc.games.kernel.events import of_service
from gamesvc.games.kernel.game import Event
from gamesvc.games.star_commander import GAME
from gamesvc.games.star_commander.events import KINDS, cards, course, plays
from gamesvc.games.star_commander.rules.evolve import HANDLERS
from gamesvc.games.star_commander.secrecy import redact, staleness
from tests.games.golden.record import FOLDER, read
from tests.games.star_commander.test_playthroughs import EARLIER, FILES

GOLDEN = sorted((FOLDER / "star_commander").glob("*.json"))
MATCHES = [*FILES, *EARLIER, *GOLDEN]


def events_of(path: Path) -> list[Event]:
    whole = read(path)["events"] if path in GOLDEN else records.load(path.read_text(encoding="utf-8")).events
    return [event for event in whole if not of_service(event.type)]


@pytest.mark.parametrize("path", MATCHES, ids=lambda path: path.stem)
def test_every_recorded_event_is_read_and_written_again_unchanged(path: Path) -> None:
    for event in events_of(path):
        again = KINDS[event.type].of(event.data)
        assert json.dumps(again.as_json(), sort_keys=True) == json.dumps(event.data, sort_keys=True)
        assert again.event(event.version).type_version == event.type_version


def test_every_type_is_recorded() -> None:
    assert {event.type for path in MATCHES for event in events_of(path)} == set(KINDS)


def test_evolve_handles_every_type() -> None:
    # The set-up makes the state; all other events change it.
    assert {course.GameSetUp, *HANDLERS} == set(KINDS.values())
    assert course.GameSetUp not in HANDLERS


@pytest.mark.parametrize("kind", HANDLERS, ids=lambda kind: kind.TYPE)
def test_every_function_takes_the_events_it_is_called_with(kind: type) -> None:
    taken = typing.get_type_hints(HANDLERS[kind])["event"]
    assert any(issubclass(kind, wanted) for wanted in typing.get_args(taken) or (taken,))


def test_events_are_hidden_under_names_that_exist() -> None:
    cases = {
        node.value.value
        for node in ast.walk(ast.parse(inspect.getsource(redact)))
        if isinstance(node, ast.MatchValue) and isinstance(node.value, ast.Constant)
    }
    assert len(cases) > 10
    assert cases | redact._TELLING | staleness._NEW | staleness._HARMLESS <= set(KINDS)


def test_an_event_of_an_unknown_type_is_an_error() -> None:
    setup, *_ = events_of(FILES[0])
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
