"""Typed events: each recorded one is read and written again unchanged, and `evolve` knows each type."""

from __future__ import annotations

import json
import typing

import pytest

from gamesvc.games import records
from gamesvc.games.kernel.events import of_service
from gamesvc.games.kernel.game import Event
from gamesvc.games.space_war.events import KINDS, base, read_event
from gamesvc.games.space_war.events.answers import OrdersSet
from gamesvc.games.space_war.events.course import GameCreated
from gamesvc.games.space_war.rules.evolve import HANDLERS
from gamesvc.games.space_war.secrecy import redact
from gamesvc.games.space_war.text import narrate
from tests.games.golden.record import FOLDER, read
from tests.games.space_war.record import recorded

GOLDEN = sorted((FOLDER / "space_war").glob("*.json"))
MATCHES = [*recorded(), *GOLDEN]


def events_of(path) -> list[Event]:
    whole = read(path)["events"] if path in GOLDEN else records.load(path.read_text(encoding="utf-8")).events
    return [event for event in whole if not of_service(event.type)]


@pytest.mark.parametrize("path", MATCHES, ids=lambda path: path.stem)
def test_every_recorded_event_is_read_and_written_again_unchanged(path):
    for event in events_of(path):
        kind = KINDS[event.type]
        again = kind.of(event.data)
        assert json.dumps(again.as_json(), sort_keys=True) == json.dumps(event.data, sort_keys=True)
        assert again.event(event.version).type_version == event.type_version


def test_every_type_is_recorded():
    assert {event.type for path in MATCHES for event in events_of(path)} == set(KINDS)


def test_evolve_handles_every_type():
    # The first event makes the state; all others change it.
    assert {GameCreated, *HANDLERS} == set(KINDS.values())
    assert GameCreated not in HANDLERS


@pytest.mark.parametrize("kind", HANDLERS, ids=lambda kind: kind.TYPE)
def test_every_handler_takes_the_events_it_is_called_with(kind):
    taken = typing.get_type_hints(HANDLERS[kind])["event"]
    assert any(issubclass(kind, wanted) for wanted in typing.get_args(taken) or (taken,))


def test_events_are_hidden_and_told_under_names_that_exist():
    named = {*redact._REDACT, *redact._TELLS_NOTHING, *redact._KEEPS, *narrate._SENTENCES}
    assert named <= set(KINDS)


def test_an_event_of_an_unknown_type_still_carries_the_agenda():
    told = read_event(Event("supernova_seen", {"todo": [{"op": "barrier"}], "stars": 3}, 1))
    assert type(told) is base.WarEvent
    assert told.todo == [{"op": "barrier"}]
    assert told.cmd is None


@pytest.mark.parametrize("draws", [{}, {"draws": None}, {"draws": "mill"}])
def test_a_missing_preference_for_draws_stays_missing(draws):
    data = {"seat": 0, "orders": [], "flip_preference": None, **draws}
    assert OrdersSet.of(data).as_json() == data
