"""A match that went back again and again, each time behind the snapshot before: loading it folds no event twice."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from accounts.models import User
from events import snapshot_table
from events.store import StoredEvent
from gamesvc.games import catalog
from gamesvc.matches.access.selectors import access_match
from gamesvc.matches.lobby import forks, opening
from gamesvc.matches.models import Match
from gamesvc.matches.record import loading, snapshots
from gamesvc.matches.record.rows.reckoning import Reckoning
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.undo import stepping

pytestmark = pytest.mark.django_db(transaction=True)

STEPS = 60
APART = 8
"""Versions between two snapshots, and those over which each step goes."""


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Yield the numbers of events that loads have read. Without a bound some would never end."""
    counts: list[int] = []
    store_read = STORE.read

    def counted(stream: uuid.UUID, after: int = 0, until: int | None = None) -> list[StoredEvent]:
        found = store_read(stream, after, until)
        counts.append(len(found))
        assert sum(counts) < 40 * STEPS, "the same events are read again and again"
        return found

    monkeypatch.setattr(STORE, "read", counted)
    yield counts
    monkeypatch.undo()


@pytest.fixture
def board(monkeypatch: pytest.MonkeyPatch, read: list[int], anna: User, ben: User) -> Match:
    """Return an analysis board on which each step went back to another version, behind the snapshot before it."""
    for module, name, number in ((snapshots, "TAIL", 3), (snapshots, "STRETCH", APART), (snapshot_table, "STRETCH", APART)):
        monkeypatch.setattr(module, name, number)
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game="stratastar"))
    version = loading.load(match.id, match.game).viewer_version(0)
    made = forks.fork(access=access_match(user=anna, ident=str(match.pk)), version=version, board=True)
    access = access_match(user=anna, ident=str(made.pk))
    first = loading.load(made.id, made.game).version
    for _ in range(STEPS):
        read.clear()
        now = loading.load(made.id, made.game).version
        stepping.go_to(access=access, to=max(first, now + 1 - APART), channel="web", command_id=uuid.uuid4())
    return made


def test_no_event_is_read_twice_for_a_load(board: Match, read: list[int]) -> None:
    game = catalog.game(board.game)
    end = loading.load(board.id, board.game).version
    for version in (end, end - 1, end - APART):
        read.clear()
        loading.forget_all()
        loading.load_at(game, board.id, version)
        assert sum(read) <= version


def test_states_and_clocks_are_those_of_the_whole_record(board: Match, read: list[int]) -> None:
    game = catalog.game(board.game)
    read.clear()
    stored = STORE.read(board.id)
    for version in range(stored[-1].version - 3 * APART, stored[-1].version + 1):
        read.clear()
        whole: Any = loading.fresh(game, board.id)
        whole.fold(stored[:version], [loading.lift(game, one) for one in stored[:version]])
        loaded = loading.load_at(game, board.id, version)
        assert loaded.timeline.state == whole.timeline.state
        assert loaded.account.as_json() == whole.account.as_json()


def test_figures_of_a_match_are_reckoned_without_reading_it_for_each_rewind(board: Match, read: list[int]) -> None:
    game = catalog.game(board.game)
    stored = STORE.read(board.id)
    half = len(stored) // 2
    reckoning = Reckoning(loading.load_at(game, board.id, half))
    read.clear()
    reckoning.fold(stored[half:])
    assert reckoning.loaded.timeline.state == loading.load(board.id, board.game).timeline.state
    assert sum(read) <= len(stored)


def test_little_of_what_a_load_has_needed_is_remembered(board: Match, read: list[int]) -> None:
    read.clear()
    loading.forget_all()
    loaded = loading.load(board.id, board.game)
    assert loaded.timeline.kept.keys() <= loaded.game.marks(loaded.timeline.state)
