"""Typed events of The Space War: what the tests of all games leave open."""

from __future__ import annotations

import pytest

from gamesvc.games.kernel.game import Event
from gamesvc.games.space_war.events import KINDS, base, read_event
from gamesvc.games.space_war.events.answers import OrdersSet
from gamesvc.games.space_war.secrecy import redact
from gamesvc.games.space_war.text import narrate


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
