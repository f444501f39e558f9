"""Typed events: every recorded event is read and written again unchanged, and `evolve` has a function for each type."""

from __future__ import annotations

from dataclasses import is_dataclass

import pytest

from gamesvc.games import records
from gamesvc.games.kernel.events import of_service
from gamesvc.games.kernel.typed import TypedEvent
from gamesvc.games.space_fleet_commander import GAME
from gamesvc.games.space_fleet_commander.events import KINDS, damage, opening, turns
from gamesvc.games.space_fleet_commander.rules.evolve import HANDLERS
from tests.games.golden.record import FOLDER as GOLDEN
from tests.games.golden.record import read
from tests.games.space_fleet_commander.record import FOLDER

RECORDED = {
    **{f"golden {path.stem}": read(path)["events"] for path in sorted((GOLDEN / GAME.id).glob("*.json"))},
    **{path.stem: records.load(path.read_text(encoding="utf-8")).events for path in sorted(FOLDER.glob("*.json"))},
}


def own(events):
    return [event for event in events if not of_service(event.type)]


@pytest.mark.parametrize("name", RECORDED)
def test_every_recorded_event_is_read_and_written_again_unchanged(name):
    events = own(RECORDED[name])
    assert events
    for event in events:
        again = KINDS[event.type].of(event.data).event(event.version)
        assert (again.type, again.data, again.type_version) == (event.type, event.data, event.type_version)


def test_every_type_is_recorded():
    assert {event.type for events in RECORDED.values() for event in own(events)} == KINDS.keys()


def test_every_class_with_a_type_is_among_the_kinds():
    classes = {value for module in (opening, turns, damage) for value in vars(module).values() if is_dataclass(value)}
    typed = {kind for kind in classes if issubclass(kind, TypedEvent) and hasattr(kind, "TYPE")}
    assert typed == set(KINDS.values())


def test_evolve_has_a_function_for_each_type():
    assert HANDLERS.keys() == set(KINDS.values())


def test_versions_are_those_of_the_game():
    assert {kind.TYPE: kind.VERSION for kind in KINDS.values() if kind.VERSION != 1} == GAME.type_versions
