"""A database server takes over from another one, and has lost its last moments: what processes remember of them never was."""

from __future__ import annotations

from contextlib import closing

import pytest
from django.db import connection, transaction

from gamesvc.matches.record import loading
from tests.answers import API
from tests.matches.playing import act, duel

pytestmark = pytest.mark.django_db


@pytest.fixture
def running(toy, anna, ben):
    return duel(anna, ben)


def lose(match, *acts):
    """Let this process see acts that the database then loses. Return what it remembers of them."""
    before = transaction.savepoint()
    for seat, command in acts:
        act(match, seat, command)
    known = loading.load(match.id, match.game)
    transaction.savepoint_rollback(before)
    return known


def note(text):
    return {"name": "set_orders", "text": text}


def known_of(loaded):
    return loaded.head, loaded.timeline.state, loaded.seen, loaded.timeline.draws


def test_a_new_connection_ends_what_was_remembered(running, client, anna):
    client.force_login(anna)
    shown = client.get(f"{API}matches/{running.id}/view/").json()
    lose(running, (0, {"name": "draw"}))
    with closing(connection.copy()) as other:
        other.ensure_connection()
    assert client.get(f"{API}matches/{running.id}/view/").json() == shown


def test_an_act_is_taken_where_a_hidden_one_was_lost(running):
    lose(running, (1, note("lost")))
    act(running, 0, {"name": "draw"})
    kept = known_of(loading.load(running.id, running.game))
    loading.forget_all()
    assert kept == known_of(loading.load(running.id, running.game))


@pytest.mark.parametrize("many", [False, True])
def test_other_events_in_the_place_of_lost_ones_are_read_anew(running, many):
    lost = lose(running, (0, note("lost")))
    loading.forget_all()
    act(running, 0, note("kept"))
    act(running, 0, {"name": "draw"})
    loading.forget_all()
    expected = known_of(loading.load(running.id, running.game))
    loading.forget_all()
    loading.remember(lost)
    games = {running.id: running.game}
    loaded = loading.load_many(games)[running.id] if many else loading.load(running.id, running.game)
    assert known_of(loaded) == expected


def test_a_record_with_broken_links_is_read_all_the_same(running, monkeypatch):
    """It is for the audit to find that."""
    known = loading.load(running.id, running.game)
    act(running, 0, {"name": "draw"})
    expected = known_of(loading.load(running.id, running.game))
    monkeypatch.setattr(loading, "link", lambda before, digest: b"broken")
    for read in (
        lambda: loading.load(running.id, running.game),
        lambda: loading.load_beside(running.id, running.game, "SELECT 1", [])[0],
        lambda: loading.load_many({running.id: running.game})[running.id],
    ):
        loading.forget_all()
        loading.remember(known.copy())
        assert known_of(read()) == expected
