"""Snapshots save time and nothing else: with, without and with a wrong one a match is the same."""

from __future__ import annotations

import pytest
from django.db import connection

from gamesvc.matches import loading, lobby, snapshots
from tests.matches.test_turns import act, play_out

pytestmark = pytest.mark.django_db


@pytest.fixture
def duel(toy, anna, ben, monkeypatch):
    monkeypatch.setattr(snapshots, "TAIL", 3)
    return lobby.join_match(by=ben, match=lobby.create_match(by=anna, game=toy, contribution_text="tea"))


def same(one, other):
    for name in ("head", "seen", "opened", "holders", "contributions", "started", "ended"):
        assert getattr(one, name) == getattr(other, name), name
    assert one.timeline.state == other.timeline.state
    assert one.timeline.draws == other.timeline.draws


def test_a_load_from_a_snapshot_is_the_same_and_reads_only_the_tail(duel, monkeypatch):
    act(duel, 0, {"name": "play", "card": loading.load(duel.id, "toy").timeline.state.hands[0][0]})
    whole = loading.load(duel.id, duel.game)
    loading.save_snapshot(whole)
    act(duel, 1, {"name": "draw"})
    expected = loading.load(duel.id, duel.game)
    loading.forget_all()
    reads = []
    read = loading.STORE.read
    monkeypatch.setattr(
        loading.STORE, "read", lambda stream, after=0, until=None: reads.append(after) or read(stream, after, until)
    )
    found = loading.load(duel.id, duel.game)
    assert reads == [whole.version]
    same(found, expected)


def test_a_reaction_goes_back_behind_the_snapshot(duel):
    act(duel, 0, {"name": "play", "card": loading.load(duel.id, "toy").timeline.state.hands[0][0]})
    loading.save_snapshot(loading.load(duel.id, duel.game))
    loading.forget_all()
    act(duel, 1, {"name": "counter", "item": 6})
    loading.forget_all()
    loaded = loading.load(duel.id, duel.game)
    assert loaded.timeline.state.points == (0, 0)
    assert loaded.went_back, "a new snapshot is due, so that the next load is as fast"


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE events_snapshot SET fingerprint = 'other code'",
        "UPDATE events_snapshot SET hash = sha256('other')",
        "UPDATE events_snapshot SET payload = 'rubbish'",
        "UPDATE events_snapshot SET payload = '{}'",
        'UPDATE events_snapshot SET payload = \'{"state": {"deck": 1}, "kept": []}\'',
    ],
)
def test_a_wrong_snapshot_is_ignored(duel, damage):
    act(duel, 0, {"name": "draw"})
    expected = loading.load(duel.id, duel.game)
    loading.save_snapshot(expected)
    with connection.cursor() as cursor:
        cursor.execute(damage)
        assert cursor.rowcount == 1
    loading.forget_all()
    same(loading.load(duel.id, duel.game), expected)


def test_any_version_is_found_again(duel):
    seen = {}
    for seat in (0, 1, 0):
        act(duel, seat, {"name": "draw"})
        loaded = loading.load(duel.id, duel.game)
        seen[loaded.version] = loaded.timeline.state
        loading.save_snapshot(loaded)
    play_out(duel)
    for version, state in seen.items():
        assert loading.load_at(loaded.game, duel.id, version).timeline.state == state
