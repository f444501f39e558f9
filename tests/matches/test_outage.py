"""The service was down: the heartbeat knows, deadlines move by it as events, and nobody is timed out for it."""

from __future__ import annotations

import socket
import uuid
from datetime import UTC, datetime, time, timedelta

import pytest
import time_machine
from django.utils import timezone

from accounts import absences
from gamesvc.games.kernel import Refused
from gamesvc.matches import clocks, deadlines, heartbeat, loading, lobby, outages, turns
from gamesvc.matches.loading import STORE
from gamesvc.matches.models import Heartbeat, Outage
from gamesvc.matches.recording import Actor
from gamesvc.matches.turns import Sender
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
    return lobby.join_match(by=ben, match=lobby.create_match(by=anna, game=toy, hours=12))


def beat_for(clock, length):
    """The service works for a while."""
    for _ in range(int(length / timedelta(seconds=30))):
        clock.shift(timedelta(seconds=30))
        outages.watch()


def draw(match, seat=0):
    loaded = loading.load(match.id, match.game)
    return turns.submit(
        match=match,
        sender=Sender(Actor("seat", seat), "api", timezone.now()),
        command={"name": "draw"},
        expected_version=loaded.viewer_version(seat),
        command_id=uuid.uuid4(),
    )


def types(match):
    return [one.type for one in STORE.read(match.id)]


def test_after_a_days_outage_nobody_is_timed_out_for_it(match, clock):
    outages.watch()
    began = timezone.now()
    due = match.questions.get().due_at
    clock.shift(DAY)
    assert clocks.sweep() == 0, "no sweep fires before the outage is settled"
    assert outages.watch() == 1
    [outage] = Outage.objects.all()
    assert (outage.started_at, outage.ended_at) == (began, began + DAY)
    assert outage.settled_at
    assert match.questions.get().due_at == due + DAY
    assert clocks.sweep() == 0
    told = STORE.read(match.id)[-2:]
    assert [one.type for one in told] == ["match.outage", "match.deadline_set"]
    assert told[0].data == {"from": "2026-06-01T10:00:00.000000Z", "until": "2026-06-02T10:00:00.000000Z"}
    assert told[1].data["cause"] == "outage"
    assert told[1].data["because"]["outage"] == told[0].data
    check_store(match)
    assert outages.watch() == 0
    clock.move_to(due + DAY)
    Heartbeat.objects.update(beat_at=timezone.now())
    assert clocks.sweep() == 1


def test_what_is_due_long_after_an_outage_stands_and_what_is_due_shortly_after_is_moved(match, toy, anna, ben, clock):
    late = lobby.join_match(by=ben, match=lobby.create_match(by=anna, game=toy, hours=240))
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
        assert outages.settle(outage) == 0
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
    draw(match)
    assert match.questions.get().seat == 1
    clock.shift(timedelta(hours=13))
    Heartbeat.objects.update(beat_at=timezone.now())
    with pytest.raises(Refused) as refused:
        draw(match, 1)
    assert refused.value.code == "too_late"


def test_an_outage_over_a_night_that_does_not_count_moves_to_time_that_does(toy, anna, ben, clock):
    absences.set_quiet_hours(user=anna, start=time(22), end=time(6))
    match = lobby.join_match(by=ben, match=lobby.create_match(by=anna, game=toy, clock=CONSIDERATE))
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
    match = lobby.join_match(by=ben, match=lobby.create_match(by=anna, game=toy, clock=policy))
    outages.watch()
    clock.shift(timedelta(hours=6))
    outages.watch()
    assert match.questions.get().due_at == datetime(2026, 6, 1, 20, tzinfo=UTC)
    check_store(match)


def test_a_paused_match_loses_nothing_to_an_outage(match, clock):
    outages.watch()
    deadlines.pause(match=match, by="host", actor=Actor("host"))
    clock.shift(DAY)
    assert outages.watch() == 0
    assert match.questions.get().paused


def test_a_match_that_cannot_be_moved_stops_no_other(match, toy, anna, ben, clock, monkeypatch):
    other = lobby.join_match(by=ben, match=lobby.create_match(by=anna, game=toy, hours=12))
    outages.watch()
    clock.shift(DAY)
    real = outages.outlast_outage

    def broken(*, match, **more):
        if match.pk == other.pk:
            raise RuntimeError("poisoned")
        return real(match=match, **more)

    monkeypatch.setattr(outages, "outlast_outage", broken)
    assert outages.watch() == 1
    assert heartbeat.may_fire()
    assert clocks.sweep() == 0, "its deadline waits as long as it would have been moved"


def test_without_an_answer_from_every_door_nothing_beats(clock, settings):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        settings.HEARTBEAT_PROBES = [f"tcp://127.0.0.1:{port}"]
        outages.watch()
        assert Heartbeat.objects.get().beat_at == MONDAY
    clock.shift(timedelta(seconds=10))
    outages.watch()
    assert Heartbeat.objects.get().beat_at == MONDAY
    settings.HEARTBEAT_PROBES = [f"http://127.0.0.1:{port}/healthz"]
    outages.watch()
    assert Heartbeat.objects.get().beat_at == MONDAY
    clock.shift(timedelta(seconds=60))
    assert not heartbeat.may_fire(), "while the doors are shut, no deadline fires"


def test_a_service_that_has_never_beaten_fires_its_deadlines(match, clock):
    clock.shift(DAY)
    assert heartbeat.may_fire()
    assert clocks.sweep() == 1
