"""Bots take turns at the workers: a match with only bots delays nobody, and does not go on for ever."""

from __future__ import annotations

import uuid

import pytest

from accounts.bots import bots as accounts
from accounts.models import User
from gamesvc import queues
from gamesvc.matches import hints, tasks
from gamesvc.matches.lobby import opening, substitutes
from gamesvc.matches.models import Match
from gamesvc.matches.play import bots
from gamesvc.matches.proof import audit, verification
from gamesvc.matches.record.append import Actor
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.sharing import Lately
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


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy this machine is, turns are counted and not timed."""
    monkeypatch.setattr(bots, "SECONDS_AT_ONCE", 3600.0)
    monkeypatch.setattr(bots, "SPENT", Lately(0.0))
    monkeypatch.setattr(bots, "MOST_LATELY", 3600.0)


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


def test_bots_in_a_rich_position_wait_in_line_after_each_turn(
    anna: User, waiting: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bots, "SECONDS_AT_ONCE", -1.0)
    match = of_bots(anna)
    for _ in range(3):
        assert waiting == [str(match.id)]
        assert tasks.play_bots(waiting.pop()) == 1


@pytest.mark.parametrize("opened_by", ["user", "bot account"])
def test_bots_of_a_user_for_whom_much_was_done_go_behind_those_of_others(
    anna: User, ben: User, monkeypatch: pytest.MonkeyPatch, opened_by: str
) -> None:
    """A turn in a rich position takes half a second: twenty such matches kept the bots of everyone silent for minutes."""
    first: list[uuid.UUID] = []
    later: list[uuid.UUID] = []
    monkeypatch.setattr(hints, "bots", lambda match_id, *_given: first.append(match_id))
    monkeypatch.setattr(hints, "bots_on", later.append)
    dear = of_bots(anna if opened_by == "user" else accounts.make(owner=anna, name="anna-bot"), entry="invited")
    other = of_bots(ben)
    bots.SPENT.add(anna.pk, 2 * bots.MOST_LATELY)
    assert [tasks.play_bots(str(match_id)) for match_id in first] == [0, bots.TURNS_AT_ONCE]
    assert later[0] == dear.id
    assert tasks.play_bots_on(str(dear.id)) == bots.TURNS_AT_ONCE
    assert bots.SPENT.above(ben.pk) > 0
    assert other.id in later


def test_what_was_done_for_a_user_is_forgotten_as_time_goes_by(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr("gamesvc.matches.sharing.time.monotonic", lambda: now[0])
    spent = Lately(seconds_a_minute=6.0)
    spent.add(1, 9.0)
    spent.add(2, 1.0)
    now[0] += 60
    assert (spent.above(1), spent.above(2), spent.above(3)) == (3.0, 0.0, 0.0)
    spent.add(1, 1.0)
    assert spent.above(1) == 4.0


def test_bots_that_play_behind_others_rest_when_they_have_played_enough_for_a_day(
    anna: User, ben: User, waiting: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two hundred endless matches of bots a day wrote almost three gigabytes a day for one user."""
    monkeypatch.setattr(bots, "BEHIND_A_DAY", 2)
    monkeypatch.setattr(bots, "FORGOTTEN_AFTER_SECONDS", -60)
    one, two, other = of_bots(anna), of_bots(anna), of_bots(ben)
    played = [tasks.play_bots_on(str(match.id)) for match in (one, two, one)]
    assert played == [bots.TURNS_AT_ONCE, bots.TURNS_AT_ONCE, 0]
    assert waiting.count(str(one.id)) == 2, "it is not put in line again"
    assert tasks.play_bots_on(str(other.id)) == bots.TURNS_AT_ONCE
    assert tasks.sweep_bots() == bots.TURNS_AT_ONCE, "a sweep goes on with the match of the other user only"
    assert tasks.play_bots(str(one.id)) == bots.TURNS_AT_ONCE, "bots for which a person may wait are not concerned"


def test_a_sweep_for_bots_goes_in_turns_between_users(
    anna: User, ben: User, waiting: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bots, "FORGOTTEN_AFTER_SECONDS", -60)
    many, other = [of_bots(anna) for _ in range(3)], of_bots(ben)
    before = {match.id: match.version for match in (*many, other)}
    monkeypatch.setattr(tasks, "BOTS_AT_ONCE", 2)
    tasks.sweep_bots()
    moved = [match.id for match in (*many, other) if Match.objects.get(pk=match.id).version > before[match.id]]
    assert moved == [many[0].id, other.id]


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
