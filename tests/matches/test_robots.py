"""Bots take turns at the workers: a match with only bots delays nobody, and does not go on for ever."""

from __future__ import annotations

import uuid

import pytest

from accounts.models import User
from gamesvc import queues
from gamesvc.matches import hints, tasks
from gamesvc.matches.lobby import opening, substitutes
from gamesvc.matches.models import Match
from gamesvc.matches.play import bots
from gamesvc.matches.proof import audit, verification
from gamesvc.matches.record.append import Actor
from gamesvc.matches.record.stream import STORE
from tests.matches.exports import export_of
from tests.matches.playing import act

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def waiting(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The matches whose bots wait in line at the workers."""
    line: list[str] = []
    monkeypatch.setattr(hints, "bots", lambda match_id, *_given: line.append(str(match_id)))
    monkeypatch.setattr(hints, "bots_on", lambda match_id: line.append(str(match_id)))
    return line


def of_bots(host: User, bot: str = "random", **more: object) -> Match:
    """Return a match of bots only; between random ones this game does not end."""
    return opening.create_match(by=host, game="stratastar", take_seat=False, bots={0: bot, 1: bot}, **more)  # type: ignore[arg-type]


def test_bots_wait_in_line_once_however_many_turns_they_take(anna: User, waiting: list[str]) -> None:
    match = of_bots(anna)
    for _ in range(3):
        assert waiting == [str(match.id)]
        assert tasks.play_bots(waiting.pop()) == bots.TURNS_AT_ONCE


def test_a_match_of_bots_goes_behind_those_that_wait(anna: User, ben: User, waiting: list[str]) -> None:
    endless, other = of_bots(anna), of_bots(ben, "greedy")
    assert waiting == [str(endless.id), str(other.id)]
    tasks.play_bots(waiting.pop(0))
    assert waiting == [str(other.id), str(endless.id)]


def test_bots_that_go_on_wait_behind_those_for_whom_people_wait(anna: User, monkeypatch: pytest.MonkeyPatch) -> None:
    first: list[uuid.UUID] = []
    later: list[uuid.UUID] = []
    monkeypatch.setattr(hints, "bots", first.append)
    monkeypatch.setattr(hints, "bots_on", later.append)
    match = of_bots(anna)
    tasks.play_bots(str(match.id))
    tasks.play_bots_on(str(match.id))
    assert (first, later) == ([match.id], [match.id, match.id])
    assert queues.queue_of(tasks.play_bots.name) < queues.queue_of(tasks.play_bots_on.name)


def test_bots_for_which_a_person_may_wait_go_on_in_front_for_a_while(anna: User, monkeypatch: pytest.MonkeyPatch) -> None:
    match = opening.create_match(by=anna, game="stratastar", seats=3, bots={1: "random", 2: "random"})
    act(match, 0, {"name": "resign"})
    first: list[tuple[object, ...]] = []
    later: list[uuid.UUID] = []
    monkeypatch.setattr(hints, "bots", lambda *told: first.append(told))
    monkeypatch.setattr(hints, "bots_on", later.append)
    monkeypatch.setattr(bots, "MOST_IN_FRONT", 3 * bots.TURNS_AT_ONCE)
    tasks.play_bots(str(match.id))
    for _ in range(2):
        tasks.play_bots(str(match.id), first[-1][1])
    tasks.play_bots_on(str(match.id))
    assert first == [(match.id, bots.TURNS_AT_ONCE), (match.id, 2 * bots.TURNS_AT_ONCE)]
    assert later == [match.id, match.id]


def test_a_sweep_puts_no_bots_in_line_that_may_stand_there_already(
    anna: User, waiting: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bots, "FORGOTTEN_AFTER_SECONDS", -60)
    of_bots(anna)
    assert tasks.sweep_bots() == bots.TURNS_AT_ONCE
    assert len(waiting) == 1


def test_a_sweep_for_bots_ends_in_time(anna: User, ben: User, waiting: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bots, "FORGOTTEN_AFTER_SECONDS", -60)
    of_bots(anna), of_bots(ben)
    monkeypatch.setattr(tasks, "BOTS_SWEEP_LASTS", 0)
    assert tasks.sweep_bots() == 0


def test_bots_among_themselves_are_called_off_in_the_end(anna: User, waiting: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bots, "MOST_ALONE", 200)
    match = of_bots(anna)
    turns = 0
    while waiting:
        turns += 1
        assert turns < 50
        tasks.play_bots(waiting.pop())
    match.refresh_from_db()
    assert match.status == Match.Status.CANCELLED
    assert 200 <= match.version < 200 + 20 * bots.TURNS_AT_ONCE
    last = STORE.read(match.id)[-1]
    assert (last.type, last.data["reason"], last.meta["actor"]) == ("match.ended", "aborted", {"kind": "system"})
    assert audit.check_match(match.id) == []
    assert verification.verify(export_of(match)).ok


def test_only_what_bots_played_alone_counts(anna: User, ben: User, waiting: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game="stratastar"))
    monkeypatch.setattr(bots, "MOST_ALONE", 1)
    substitutes.vacate(match=match, seat=0, actor=Actor("seat", 0))
    substitutes.seat_bot(match=match, seat=0, actor=Actor("host"))
    bots.take_turns(match.id)
    match.refresh_from_db()
    assert match.status == Match.Status.RUNNING
    substitutes.vacate(match=match, seat=1, actor=Actor("seat", 1))
    substitutes.seat_bot(match=match, seat=1, actor=Actor("host"))
    left = STORE.last_of_type([match.id], "match.vacated")[match.id].version
    monkeypatch.setattr(bots, "MOST_ALONE", left + 1)
    for _ in range(40):
        bots.take_turns(match.id)
    match.refresh_from_db()
    assert match.status == Match.Status.CANCELLED
    assert match.version >= 2 * left + 1, "what people have played does not count"


def test_a_player_who_is_out_of_the_game_but_seated_keeps_no_bots_playing(
    anna: User, waiting: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bots, "MOST_ALONE", 200)
    match = opening.create_match(by=anna, game="stratastar", seats=3, bots={1: "random", 2: "random"})
    act(match, 0, {"name": "resign"})
    out_at = STORE.head(match.id).version
    for _ in range(50):
        bots.take_turns(match.id)
    match.refresh_from_db()
    assert match.status == Match.Status.CANCELLED
    assert match.version > out_at + 200, "what people have played does not count"
