"""Snapshots save time and nothing else: a match is the same with one, without one, and with a wrong one."""

from __future__ import annotations

import importlib
import uuid
from collections import OrderedDict
from pathlib import Path

import grimp
import pytest
from django.db import connection

from gamesvc.games import catalog
from gamesvc.matches import tasks
from gamesvc.matches.access.selectors import access_match
from gamesvc.matches.clock import account
from gamesvc.matches.lobby import forks, opening
from gamesvc.matches.play import turns
from gamesvc.matches.record import loading, snapshot_renewal, snapshots
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.undo import undoing
from tests.matches.playing import sends
from tests.matches.test_turns import act, play_out

pytestmark = pytest.mark.django_db


@pytest.fixture
def duel(toy, anna, ben, monkeypatch):
    monkeypatch.setattr(snapshots, "TAIL", 3)
    return opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, contribution_text="tea"))


def same(one, other):
    for name in ("head", "seen", "opened", "holders", "contributions", "started_at", "ended"):
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
    read = STORE.read
    monkeypatch.setattr(STORE, "read", lambda stream, after=0, until=None: reads.append(after) or read(stream, after, until))
    found = loading.load(duel.id, duel.game)
    assert reads == [whole.version]
    same(found, expected)


@pytest.mark.django_db(transaction=True)
def test_of_two_processes_that_follow_a_match_one_saves_each_snapshot(duel, monkeypatch):
    saved, versions, memories = [], set(), [OrderedDict(), OrderedDict()]
    put = snapshots.put
    monkeypatch.setattr(
        snapshots, "put", lambda game, match, head, *rest: saved.append(head.version) or put(game, match, head, *rest)
    )
    for turn in range(12):
        monkeypatch.setattr(loading, "_remembered", memories[turn // 2 % 2])
        act(duel, turn % 2, {"name": "set_orders", "text": str(turn)})
        versions.add(loading.load(duel.id, duel.game).version)
    marks = {version - version % 4 for version in versions}
    assert len(saved) == len(set(saved))
    assert {version - version % 4 for version in saved} >= marks - {min(marks)}
    loading.forget_all()
    found = loading.load(duel.id, duel.game)
    assert found.version - found.snapshot_version < 4


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


def kept(match):
    with connection.cursor() as cursor:
        cursor.execute("SELECT version, fingerprint FROM events_snapshot WHERE stream = %s ORDER BY version", [match.id])
        return cursor.fetchall()


def test_after_a_release_snapshots_are_made_anew_in_the_background(duel, monkeypatch):
    for turn in range(4):
        act(duel, turn % 2, {"name": "set_orders", "text": f"{turn}"})
        act(duel, turn % 2, {"name": "draw"})
    monkeypatch.setattr(snapshots, "STRETCH", 4)
    monkeypatch.setattr(loading, "connection", Outside())
    loading.save_snapshot(loading.load(duel.id, duel.game))
    assert snapshot_renewal.without_snapshot(10) == []
    before = loading.load(duel.id, duel.game)
    monkeypatch.setattr(snapshots, "fingerprint", lambda game_id: f"the new code of {game_id}")
    loading.forget_all()
    assert snapshot_renewal.without_snapshot(10) == [(duel.id, "toy")]
    assert tasks.renew_snapshots() == 1
    assert snapshot_renewal.without_snapshot(10) == []
    assert {fingerprint for _, fingerprint in kept(duel)} == {"the new code of toy"}
    assert len(kept(duel)) > 1, "some for looking back, and the newest"
    same(loading.load(duel.id, duel.game), before)
    for version in range(6, before.version):
        assert loading.load_at(before.game, duel.id, version).version == version


NO_FOLD = {
    "gamesvc.errors",
    "gamesvc.json_types",
    "gamesvc.language",
    *(f"gamesvc.games.kernel.{name}" for name in ("forms", "targets", "telling", "vocabulary", "wording")),
}
"""Modules that a fold imports, but that only word refusals, forms and what is told of a position."""


def test_whatever_folds_events_is_part_of_the_fingerprint():
    """Otherwise a snapshot that older code folded would count as current after a release."""
    graph = grimp.build_graph("gamesvc", cache_dir=None)
    for game_id in catalog.OFFERED:
        fold = f"gamesvc.games.{game_id}.rules.evolve"
        imported = {fold, *graph.find_upstream_modules(fold)} - NO_FOLD
        assert len(imported) > 15
        files = {Path(importlib.import_module(name).__file__ or "") for name in imported}
        assert files <= set(snapshots.folding(game_id)), f"{game_id}: files that fold events and are not covered"


FORMATS = {(3, 8): "account contributions draws ended hands holders opened seen started_at"}
"""What a snapshot holds beside the state, by the formats `snapshots.CONTENTS` and `account.FORMAT`; raise one for each change."""


def test_a_snapshot_of_another_format_is_not_current(duel, monkeypatch):
    """Otherwise it would count as the newest one for ever, unreadable, and each look back would fold the whole match."""
    written = {}
    put = snapshots.put
    monkeypatch.setattr(snapshots, "put", lambda *given: written.update(given[3]) or put(*given))
    for turn in range(4):
        act(duel, turn % 2, {"name": "draw"})
    loading.save_snapshot(loading.load(duel.id, duel.game))
    assert {(snapshots.CONTENTS, account.FORMAT): " ".join(sorted(written))} == FORMATS
    assert snapshot_renewal.without_snapshot(10) == []
    try:
        for module, name in ((account, "FORMAT"), (snapshots, "CONTENTS")):
            monkeypatch.setattr(module, name, getattr(module, name) + 1)
            snapshots.fingerprint.cache_clear()
            assert snapshot_renewal.without_snapshot(10) == [(duel.id, "toy")]
            loading.save_snapshot(loading.load_at(loading.load(duel.id, duel.game).game, duel.id, 2**31 - 1))
            assert snapshot_renewal.without_snapshot(10) == []
    finally:
        monkeypatch.undo()
        snapshots.fingerprint.cache_clear()


def test_the_first_position_is_found_without_the_events_before_it(duel, monkeypatch):
    """Seats may change often before the start; no look back may read all that again."""
    act(duel, 0, {"name": "draw"})
    loading.save_snapshot(loading.load(duel.id, duel.game))
    loading.forget_all()
    loaded = loading.load(duel.id, duel.game)
    [started] = [stored.version for stored in STORE.read(duel.id) if stored.type == "match.started"]
    assert loaded.started_at == started
    reads = []
    read = STORE.read
    monkeypatch.setattr(STORE, "read", lambda stream, after=0, until=None: reads.append(after) or read(stream, after, until))
    assert loading.first_playable(loaded) == loading.act_end(loaded, started)
    assert reads
    assert min(reads) >= started


def test_undos_behind_snapshots_are_each_looked_up_once(duel, monkeypatch):
    """Each undo asks for the clocks before it; asked for again in each older stretch, the work would double with each."""
    monkeypatch.setattr(snapshots, "STRETCH", 4)
    monkeypatch.setattr(loading, "connection", Outside())
    for _ in range(30):
        act(duel, 0, {"name": "play", "card": loading.load(duel.id, "toy").timeline.state.hands[0][0]})
        seen = loading.load(duel.id, duel.game).viewer_version(0)
        undoing.undo(match=duel, sender=sends(duel, 0), expected_version=seen, command_id=uuid.uuid4())
    end = loading.load(duel.id, duel.game)
    asked = []
    load_at = loading.load_at
    monkeypatch.setattr(loading, "load_at", lambda *given: asked.append(given[2]) or load_at(*given))
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM events_snapshot WHERE version %% 3 = 0", [])
    for version in range(10, end.version, 7):
        asked.clear()
        loading.load_at(end.game, duel.id, version)
        assert len(asked) == len(set(asked))


class Outside:
    """A stand-in for the connection: Django's tests run in a transaction, where nothing read is remembered."""

    in_atomic_block = False

    def __getattr__(self, name):
        return getattr(connection, name)


def test_one_match_that_cannot_be_read_keeps_no_other_waiting(duel, monkeypatch):
    monkeypatch.setattr(snapshot_renewal, "without_snapshot", lambda limit: [(duel.id, "no such game"), (duel.id, "toy")])
    assert tasks.renew_snapshots() == 1


def test_a_position_of_before_the_match_is_found_again_behind_later_ones(duel, anna):
    """A rewind to a state that marks one from before the fork began, when nothing marks that any more."""
    act(duel, 0, {"name": "play", "card": loading.load(duel.id, "toy").timeline.state.hands[0][0]})
    access = access_match(user=anna, ident=str(duel.pk))
    made = forks.fork(access=access, version=loading.load(duel.id, "toy").viewer_version(0), board=True)
    first = loading.load(made.id, "toy")
    [item] = first.timeline.state.items
    assert item.id < 0 or item.id < first.version
    for turn in (1, 0, 1):
        loaded = loading.load(made.id, "toy")
        act(made, turn, {"name": "play", "card": loaded.timeline.state.hands[turn][0]})
        if loading.load(made.id, "toy").ended:
            break
    loading.forget_all()
    loaded = loading.load(made.id, "toy")
    if not loaded.ended:
        run = loaded.timeline.rewind(first.version, turns.dice_for(made, loaded), cause="host")
        assert run.state.items == first.timeline.state.items
    timeline = loading.load_at(loaded.game, made.id, first.version).timeline
    assert timeline.at(int(item.id)).hands[0] == loading.state_at(loaded.game, duel.id, 6).hands[0]
