"""An outage of the service: the heartbeat notices it, deadlines move by events, and nobody times out because of it."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, time, timedelta
from time import sleep

import psycopg
import pytest
import time_machine
from django.db import OperationalError, connection
from django.utils import timezone

from accounts import absences
from gamesvc.games.kernel.game import Refused
from gamesvc.matches import checks, errors
from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Heartbeat, Outage, UndoRequest
from gamesvc.matches.play import turns
from gamesvc.matches.record import availability, loading
from gamesvc.matches.record.append import Actor
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.timekeeping import deadlines, outages, timeout_sweep
from gamesvc.matches.undo import undoing
from tests.matches.playing import act, sends
from tests.matches.test_deadlines import CONSIDERATE, check_store

pytestmark = pytest.mark.django_db
MONDAY = datetime(2026, 6, 1, 10, 0, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture
def clock():
    with time_machine.travel(MONDAY, tick=False) as travel:
        yield travel


@pytest.fixture
def match(toy, anna, ben, clock):
    return opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, hours=12))


def beat_for(clock, length):
    """Let the service work for a while."""
    for _ in range(int(length / timedelta(seconds=30))):
        clock.shift(timedelta(seconds=30))
        outages.watch()


def types(match):
    return [one.type for one in STORE.read(match.id)]


def test_after_a_days_outage_nobody_is_timed_out_for_it(match, clock):
    outages.watch()
    began = timezone.now()
    due = match.questions.get().due_at
    clock.shift(DAY)
    assert timeout_sweep.sweep() == 0, "no sweep fires before the outage is settled"
    assert outages.watch() == 1
    [outage] = Outage.objects.all()
    assert (outage.started_at, outage.ended_at) == (began, began + DAY)
    assert outage.settled_at
    assert match.questions.get().due_at == due + DAY
    assert timeout_sweep.sweep() == 0
    told = STORE.read(match.id)[-2:]
    assert [one.type for one in told] == ["match.outage", "match.deadline_set"]
    assert told[0].data == {"from": "2026-06-01T10:00:00.000000Z", "until": "2026-06-02T10:00:00.000000Z"}
    assert told[1].data["cause"] == "outage"
    assert told[1].data["because"]["outage"] == told[0].data
    check_store(match)
    assert outages.watch() == 0
    clock.move_to(due + DAY)
    Heartbeat.objects.update(beat_at=timezone.now())
    assert timeout_sweep.sweep() == 1


@pytest.mark.parametrize("after", range(10))
def test_an_outage_that_ends_while_a_sweep_looks_times_nobody_out(match, clock, after):
    outages.watch()
    clock.shift(DAY)
    asked = []

    def beating(execute, sql, *given):
        found = execute(sql, *given)
        asked.append(sql)
        if len(asked) == after + 1:
            availability.beat()
        return found

    with connection.execute_wrapper(beating):
        assert timeout_sweep.sweep() == 0
    assert "match.timed_out" not in types(match)
    assert outages.watch() == 1


def test_an_outage_lasts_until_the_database_answers(match, clock):
    outages.watch()
    due = match.questions.get().due_at
    clock.move_to(due - timedelta(seconds=2))
    Heartbeat.objects.update(beat_at=timezone.now())
    clock.shift(timedelta(seconds=100))

    def hanging(execute, sql, *given):
        found = execute(sql, *given)
        if "FOR UPDATE" in sql and "heartbeat" in sql:
            clock.shift(timedelta(seconds=30))
        return found

    with connection.execute_wrapper(hanging):
        outages.watch()
    assert timeout_sweep.sweep() == 0
    outages.watch()
    assert match.questions.get().due_at == due + timedelta(seconds=130)
    assert timeout_sweep.sweep() == 0, "two seconds are left to answer"


def test_a_full_disk_is_an_outage(match, clock, caplog):
    """The database goes on to change rows in place, among them that of the beat."""
    outages.watch()
    due = match.questions.get().due_at

    def full(execute, sql, *given):
        if "INSERT" in sql or "generate_series" in sql:
            try:
                raise psycopg.errors.DiskFull("could not extend file: No space left on device")
            except psycopg.Error as fault:
                raise OperationalError(str(fault)) from fault
        return execute(sql, *given)

    with connection.execute_wrapper(full):
        beat_for(clock, DAY)
        availability.keep_alive()
    assert timeout_sweep.sweep() == 0
    assert outages.watch() == 1
    assert match.questions.get().due_at == due + DAY
    assert "could not extend file" in caplog.text


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("table", ["matches_match", "matches_question", "events_event", "notifications_outbox", "accounts_user"])
def test_a_table_that_another_session_has_locked_is_an_outage(toy, anna, ben, clock, table):
    """As by a change of its structure: nobody can answer, while the row of the beat can be changed."""
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, hours=1))
    outages.watch()
    due = match.questions.get().due_at
    with psycopg.connect(**{**connection.get_connection_params(), "cursor_factory": None}) as other:
        other.execute(f"LOCK TABLE {table} IN SHARE MODE")
        beat_for(clock, timedelta(minutes=10))
        availability.keep_alive()
    assert timeout_sweep.sweep() == 0
    assert outages.watch() == 1
    assert match.questions.get().due_at == due + timedelta(minutes=10)
    assert timeout_sweep.sweep() == 0


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "column", ["matches_match.watch_delay", "matches_seat.press_seen_at", "notifications_outbox.error", "accounts_user.timezone"]
)
def test_tables_of_another_version_are_an_outage(toy, anna, ben, clock, column):
    """As between the two halves of an update: nobody can answer, while the row of the beat can be changed."""
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, hours=1))
    outages.watch()
    due = match.questions.get().due_at
    table, name = column.split(".")
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER TABLE {table} RENAME COLUMN {name} TO another")
        try:
            beat_for(clock, timedelta(minutes=10))
            availability.keep_alive()
        finally:
            cursor.execute(f"ALTER TABLE {table} RENAME COLUMN another TO {name}")
    assert timeout_sweep.sweep() == 0
    assert outages.watch() == 1
    assert match.questions.get().due_at == due + timedelta(minutes=10)
    assert timeout_sweep.sweep() == 0


def test_an_outage_after_the_clock_was_set_back_is_noticed(match, clock, settings):
    outages.watch()
    clock.shift(DAY)
    outages.watch()
    clock.shift(timedelta(minutes=1) - DAY)
    back = timezone.now()
    outages.watch()
    assert Heartbeat.objects.get().beat_at > timezone.now(), "perhaps another machine's clock is ahead, and it goes on to beat"
    settings.HEARTBEAT_GAP_SECONDS = 0.01
    sleep(0.02)
    outages.watch()
    assert Heartbeat.objects.get().beat_at == timezone.now()
    settings.HEARTBEAT_GAP_SECONDS = 60
    clock.shift(timedelta(hours=3))
    outages.watch()
    assert Outage.objects.filter(started_at=back, ended_at=back + timedelta(hours=3)).exists()


def test_what_is_due_long_after_an_outage_stands_and_what_is_due_shortly_after_is_moved(match, toy, anna, ben, clock):
    late = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, hours=240))
    outages.watch()
    clock.shift(timedelta(hours=11, minutes=30))
    outages.watch()
    assert match.questions.get().due_at == MONDAY + timedelta(hours=23, minutes=30), "it had half an hour left"
    assert late.questions.get().due_at == MONDAY + timedelta(hours=240)
    assert "match.outage" not in types(late)


def test_moving_is_done_once_however_often_it_is_tried(match, clock):
    outages.watch()
    clock.shift(DAY)
    outages.watch()
    due = match.questions.get().due_at
    outage = Outage.objects.get()
    for _ in range(2):
        Outage.objects.update(settled_at=None, claimed_until=None)
        assert outages.settle(outage, float("inf")) == 0
    assert match.questions.get().due_at == due
    assert types(match).count("match.outage") == 1


def test_a_short_stillness_is_no_outage(match, clock):
    outages.watch()
    beat_for(clock, timedelta(minutes=5))
    clock.shift(timedelta(seconds=50))
    outages.watch()
    assert not Outage.objects.exists()


def test_a_command_that_comes_before_the_outage_is_settled_still_counts(match, clock):
    outages.watch()
    clock.shift(DAY)
    act(match, 0)
    assert match.questions.get().seat == 1
    clock.shift(timedelta(hours=13))
    Heartbeat.objects.update(beat_at=timezone.now())
    with pytest.raises(Refused) as refused:
        act(match, 1)
    assert refused.value.code == "too_late"


def test_an_undo_that_comes_before_the_outage_is_settled_still_counts(toy, anna, ben, clock):
    match = opening.create_match(by=anna, game=toy, hours=12, options={"points": 9})
    match = opening.join_match(by=ben, match=match)
    outages.watch()
    act(match, 0, {"name": "play", "card": loading.load(match.id, toy).timeline.state.hands[0][0]})

    def undo():
        loaded = loading.load(match.id, toy)
        return undoing.undo(
            match=match,
            sender=sends(match, 0),
            expected_version=loaded.viewer_version(0),
            command_id=uuid.uuid4(),
        )

    clock.shift(DAY)
    assert undoing.offer(loading.load(match.id, toy), match, 0).how == "free"
    assert undo().done
    act(match, 0, {"name": "draw"})
    assert not undo().done
    assert UndoRequest.objects.get().until > timezone.now(), "who is asked has time to answer"


def test_an_outage_over_a_night_that_does_not_count_moves_to_time_that_does(toy, anna, ben, clock):
    absences.set_quiet_hours(user=anna, start=time(22), end=time(6))
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, clock=CONSIDERATE))
    outages.watch()
    # Twenty-four hours from 10:00 UTC without Anna's night (20:00 to 04:00 UTC) end at 18:00 on Tuesday.
    assert match.questions.get().due_at == datetime(2026, 6, 2, 18, tzinfo=UTC)
    clock.shift(timedelta(hours=30))
    outages.watch()
    # From Monday 10:00 to Tuesday 16:00 nothing counted; from there 4 hours, 16 on Wednesday, and 4 on Thursday from 04:00.
    assert match.questions.get().due_at == datetime(2026, 6, 4, 8, tzinfo=UTC)
    check_store(match)


def test_a_fixed_time_moves_by_the_outage(toy, anna, ben, clock):
    policy = {"adjudication": {"at": ["14:00"], "zone": "UTC"}}
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, clock=policy))
    outages.watch()
    clock.shift(timedelta(hours=6))
    outages.watch()
    assert match.questions.get().due_at == datetime(2026, 6, 1, 20, tzinfo=UTC)
    check_store(match)


def test_a_paused_match_loses_nothing_to_an_outage(match, clock):
    outages.watch()
    deadlines.pause(match=match, mandate=deadlines.Mandate(Actor("host")))
    clock.shift(DAY)
    assert outages.watch() == 0
    assert match.questions.get().due_at is None


def test_a_match_that_cannot_be_moved_stops_no_other(match, toy, anna, ben, clock, monkeypatch):
    other = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, hours=12))
    outages.watch()
    clock.shift(DAY)
    real = outages.outlast_outage

    def broken(*, match, **more):
        if match.pk == other.pk:
            raise RuntimeError("poisoned")
        return real(match=match, **more)

    monkeypatch.setattr(outages, "outlast_outage", broken)
    assert outages.watch() == 1
    assert availability.proven_until() is not None
    assert timeout_sweep.sweep() == 0, "its deadline waits until it is moved"
    assert Outage.objects.get().failed == {str(other.pk): 1}


def fail(times, monkeypatch):
    """Let moving a match fail this many times."""
    real, left = outages.outlast_outage, [times]

    def broken(**more):
        if left[0]:
            left[0] -= 1
            raise errors.Busy
        return real(**more)

    monkeypatch.setattr(outages, "outlast_outage", broken)


def test_a_match_that_could_not_be_moved_at_once_is_moved_later(match, clock, monkeypatch, caplog):
    outages.watch()
    due = match.questions.get().due_at
    clock.shift(DAY)
    fail(2, monkeypatch)
    for _ in range(2):
        assert outages.watch() == 0
        assert timeout_sweep.sweep() == 0
        assert availability.forgives(due, match.pk)
    assert len([one for one in caplog.records if one.levelname == "ERROR"]) == 1, "told once"
    assert outages.watch() == 1
    assert match.questions.get().due_at == due + DAY
    assert Outage.objects.get().failed == {}
    assert not availability.forgives(due, match.pk)
    check_store(match)


def test_until_its_match_is_moved_a_player_may_answer(match, clock, monkeypatch):
    outages.watch()
    clock.shift(DAY)
    fail(1, monkeypatch)
    outages.watch()
    act(match, 0)
    assert outages.watch() == 0, "nothing of it is left to move"
    assert Outage.objects.get().failed == {}


def test_a_match_that_cannot_be_moved_at_all_has_its_rows_moved(match, clock, monkeypatch):
    outages.watch()
    due = match.questions.get().due_at
    clock.shift(DAY)
    monkeypatch.setattr(outages, "TRIES", 3)
    fail(3, monkeypatch)
    for _ in range(3):
        outages.watch()
    assert Outage.objects.get().failed == {}
    assert match.questions.get().due_at == due + DAY
    assert timeout_sweep.sweep() == 0


def second_by_second(monkeypatch, lasts):
    """Let each match that is moved take a second, and a beat last so many of them."""
    seconds, real = [1000.0], outages.outlast_outage

    def dear(**more):
        seconds[0] += 1.0
        return real(**more)

    monkeypatch.setattr(outages, "outlast_outage", dear)
    monkeypatch.setattr(outages.time, "monotonic", lambda: seconds[0])
    monkeypatch.setattr(outages, "BATCH", 1)
    monkeypatch.setattr(outages, "SETTLING_LASTS", lasts)


def test_matches_that_are_moved_already_do_not_use_up_the_time_of_the_others(toy, anna, ben, clock, monkeypatch, many_matches):
    """After an outage of a minute, what was due in it or in the hour behind it is still due in that hour."""
    matches = [opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, hours=1)) for _ in range(7)]
    beat_for(clock, timedelta(minutes=10))
    due = {match.pk: match.questions.get().due_at for match in matches}
    clock.shift(timedelta(minutes=2))
    second_by_second(monkeypatch, lasts=2.5)
    assert [outages.watch() for _ in range(4)] == [3, 3, 1, 0]
    assert availability.proven_until() is not None
    outage = Outage.objects.get()
    assert outage.failed == {}
    for match in matches:
        assert match.questions.get().due_at == due[match.pk] + timedelta(minutes=2)


def fail_for_ever(matches, monkeypatch):
    real, broken = outages.outlast_outage, {match.pk for match in matches}

    def moved(*, match, **more):
        if match.pk in broken:
            raise RuntimeError("poisoned")
        return real(match=match, **more)

    monkeypatch.setattr(outages, "outlast_outage", moved)


def test_matches_that_cannot_be_moved_do_not_use_up_the_time_of_the_others(toy, anna, ben, clock, monkeypatch, many_matches):
    matches = [opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, hours=12)) for _ in range(3)]
    *bad, good = sorted(matches, key=lambda match: match.pk)
    fail_for_ever(bad, monkeypatch)
    outages.watch()
    clock.shift(DAY)
    second_by_second(monkeypatch, lasts=1.5)
    assert [outages.watch() for _ in range(3)].count(1) == 1
    assert availability.proven_until() is not None
    assert Outage.objects.get().failed.keys() == {str(match.pk) for match in bad}
    assert "match.outage" in types(good)


def test_an_outage_that_few_matches_could_not_outlast_holds_up_no_later_one(toy, anna, ben, clock, monkeypatch, many_matches):
    matches = [opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, hours=12)) for _ in range(3)]
    outages.watch()
    fail_for_ever(matches[:2], monkeypatch)
    now = timezone.now()
    failed = {str(match.pk): 1 for match in matches[:2]}
    Outage.objects.create(started_at=now - 2 * DAY, ended_at=now - DAY, settled_at=now, failed=failed)
    Outage.objects.create(started_at=now - timedelta(hours=1), ended_at=now + timedelta(hours=12))
    matches[0].questions.all().delete(), matches[1].questions.all().delete()
    second_by_second(monkeypatch, lasts=0.5)
    assert outages.watch() == 1
    assert availability.proven_until() is not None


def test_outages_share_the_time_of_a_beat(toy, anna, ben, clock, monkeypatch, many_matches):
    matches = [opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, hours=1)) for _ in range(3)]
    outages.watch()
    due = min(match.questions.get().due_at for match in matches)
    for minutes in (20, 10):
        Outage.objects.create(started_at=due - timedelta(minutes=minutes), ended_at=due - timedelta(minutes=minutes - 5))
    second_by_second(monkeypatch, lasts=1.5)
    assert [outages.watch() for _ in range(4)] == [2, 2, 2, 0]


def test_an_outage_of_which_only_failures_are_kept_is_listed_anew(toy, anna, ben, clock):
    """An earlier version kept nothing else before the outage was settled."""
    matches = [opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, hours=1)) for _ in range(3)]
    outages.watch()
    began = min(match.questions.get().due_at for match in matches) - timedelta(minutes=20)
    failed = {str(matches[1].pk): 1}
    Outage.objects.create(started_at=began, ended_at=began + timedelta(minutes=5), failed=failed)
    assert outages.watch() == 3


def test_a_busy_sweep_does_not_hide_that_the_doors_are_shut(toy, anna, ben, clock, door, many_matches):
    """Every half minute a deadline is due, for ten minutes in which nobody could meet it."""
    matches = [opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, hours=12)) for _ in range(20)]
    outages.watch()
    began = timezone.now()
    for at, one in enumerate(matches):
        one.questions.update(due_at=began + timedelta(seconds=5 + 30 * at))
    door.shut()
    for _ in range(120):
        clock.shift(timedelta(seconds=5))
        outages.watch()
        assert timeout_sweep.sweep() == 0
    assert Heartbeat.objects.get().beat_at == began
    door.open()
    outages.watch()
    [outage] = Outage.objects.all()
    assert (outage.started_at, outage.ended_at) == (began, timezone.now())


def test_a_deadline_does_not_fire_before_it_is_known_that_it_could_be_met(match, clock, door):
    """The addresses close five seconds before it: it is not known yet whether that will be an outage."""
    due = match.questions.get().due_at
    clock.move_to(due - timedelta(seconds=5))
    outages.watch()
    door.shut()
    clock.move_to(due + timedelta(seconds=1))
    outages.watch()
    assert timeout_sweep.sweep() == 0
    clock.shift(timedelta(seconds=20))
    door.open()
    assert timeout_sweep.sweep() == 1, "a short stillness is no outage"


def test_a_sweep_looks_at_the_doors_itself_so_that_nothing_is_late(match, clock, door):
    due = match.questions.get().due_at
    clock.move_to(due - timedelta(seconds=4))
    outages.watch()
    clock.move_to(due + timedelta(milliseconds=1))
    assert timeout_sweep.sweep() == 1
    assert Heartbeat.objects.get().beat_at == timezone.now()


def test_what_was_taken_in_time_goes_before_the_sweep(match, clock, settings):
    settings.DEADLINE_MARGIN_SECONDS = 0.5
    due = match.questions.get().due_at
    clock.move_to(due + timedelta(milliseconds=400))
    assert timeout_sweep.sweep() == 0
    loaded = loading.load(match.id, match.game)
    turns.submit(
        match=match,
        sender=sends(match, 0, due - timedelta(milliseconds=100)),
        command={"name": "draw"},
        expected_version=loaded.viewer_version(0),
        command_id=uuid.uuid4(),
    )
    assert "match.timed_out" not in types(match)


def test_after_the_margin_it_fires_as_of_the_deadline(match, clock, settings):
    settings.DEADLINE_MARGIN_SECONDS = 0.5
    due = match.questions.get().due_at
    clock.move_to(due + timedelta(milliseconds=500))
    assert timeout_sweep.sweep() == 1
    drawn = next(one for one in STORE.read(match.id) if one.type == "toy.drew")
    assert datetime.fromisoformat(drawn.meta["received_at"]) == due


def test_a_server_that_does_not_watch_its_doors_is_warned(settings):
    settings.HEARTBEAT_PROBES = []
    [warning] = checks.doors_are_watched(None)
    assert warning.id == "matches.W001"
    settings.HEARTBEAT_PROBES = ["tcp://127.0.0.1:8024"]
    assert checks.doors_are_watched(None) == []


def test_without_an_answer_from_every_door_nothing_beats(clock, door, settings):
    outages.watch()
    assert Heartbeat.objects.get().beat_at == MONDAY
    door.shut()
    clock.shift(timedelta(seconds=10))
    outages.watch()
    assert Heartbeat.objects.get().beat_at == MONDAY
    settings.HEARTBEAT_PROBES = [f"http://127.0.0.1:{door.port}/healthz"]
    outages.watch()
    assert Heartbeat.objects.get().beat_at == MONDAY
    clock.shift(timedelta(seconds=60))
    assert availability.proven_until() is None, "while the doors are shut, no deadline fires"


def test_a_service_that_has_never_beaten_fires_its_deadlines(match, clock):
    clock.shift(DAY)
    assert availability.proven_until() == timezone.now()
    assert timeout_sweep.sweep() == 1
