"""Matches that cannot go on, as after a restore without a key: no sweep stops at one, and many delay no others."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.conf import settings
from django.db import OperationalError, connection
from django.utils import timezone

from gamesvc.matches import backoff, tasks
from gamesvc.matches.lobby import opening, substitutes
from gamesvc.matches.mail_orders import held_orders
from gamesvc.matches.models import HeldOrders, Match, Question, UndoRequest
from gamesvc.matches.play import bots
from gamesvc.matches.record import availability, loading, snapshot_renewal
from gamesvc.matches.record.append import Actor
from gamesvc.matches.undo import undoing
from gamesvc.time_limits import TimeIsUp
from tests.matches.playing import act
from tests.matches.test_undo import undo

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _rested():
    backoff.forget_all()


def poison(*matches):
    Match.objects.filter(pk__in=[match.pk for match in matches]).update(key_id="gone")


def against_bot(anna, number):
    """Return a match with a bot to move, asked this many minutes ago, whose hint was lost."""
    match = opening.create_match(by=anna, game="toy", bots={0: "greedy"}, take_seat=False)
    match = opening.join_match(by=anna, match=match)
    Question.objects.filter(match=match).update(asked_at=timezone.now() - timedelta(minutes=number))
    return match


def version(match):
    return Match.objects.get(pk=match.pk).version


def test_bots_play_on_beside_a_match_that_cannot(toy, anna, monkeypatch, many_matches):
    monkeypatch.setattr(tasks, "BOTS_AT_ONCE", 2)
    *bad, good = [against_bot(anna, number) for number in (9, 8, 7, 1)]
    poison(*bad)
    before = version(good)
    assert tasks.sweep_bots() > 0
    assert version(good) > before


def test_bots_of_one_user_that_wait_long_hide_none_of_another(toy, anna, ben, many_matches):
    for number in (9, 8, 7):
        against_bot(anna, number)
    match = against_bot(ben, 1)
    assert (ben.pk, match.pk) in bots.forgotten(2)
    assert len(bots.forgotten(9)) == 4


def test_a_sweep_over_dear_matches_ends_before_its_task_is_stopped(monkeypatch):
    seconds, done = [0.0], []
    monkeypatch.setattr(backoff.time, "monotonic", lambda: seconds[0])

    def dear(item):
        done.append(item)
        seconds[0] += 10
        return 1

    assert backoff.each("the match", range(200), dear, limit=200) == len(done) == 4


def test_ratings_do_not_wait_for_statistics_that_are_far_behind(monkeypatch):
    seconds, rated = [0.0], []

    def count():
        seconds[0] += 8
        return 500

    def rate():
        rated.append(seconds[0])
        return 1 if len(rated) == 1 else 0

    monkeypatch.setattr(tasks.time, "monotonic", lambda: seconds[0])
    monkeypatch.setattr(tasks.totals, "follow", count)
    monkeypatch.setattr(tasks.ratings, "follow", rate)
    assert tasks.follow_statistics() == 4 * 500 + 1
    assert rated == [8, 16]
    assert seconds[0] < 60


def test_a_match_that_takes_all_the_time_of_a_task_stops_only_one_sweep():
    done = []

    def dear(item):
        if item == "dear":
            raise TimeIsUp
        done.append(item)
        return 1

    with pytest.raises(TimeIsUp):
        backoff.each("the match", ["dear", "other"], dear, limit=9)
    backoff.each("the match", ["dear", "other"], dear, limit=9)
    assert done == ["other"]


def test_a_match_whose_bot_failed_rests_and_is_tried_again(toy, anna, caplog):
    match = against_bot(anna, 1)
    sealed = match.key_id
    poison(match)
    assert [tasks.sweep_bots() for _ in range(3)] == [0, 0, 0]
    assert str(match.pk) in caplog.text
    assert len([one for one in caplog.records if one.name == backoff.__name__]) == 1
    Match.objects.filter(pk=match.pk).update(key_id=sealed)
    with time_machine.travel(timezone.now() + backoff.FIRST_REST, tick=True):
        assert tasks.sweep_bots() > 0


def test_a_database_that_is_away_is_no_fault_of_a_match(toy, anna, monkeypatch):
    match = against_bot(anna, 1)
    before = version(match)
    with monkeypatch.context() as patch:

        def away(*_a, **_k):
            raise OperationalError

        patch.setattr(bots, "play", away)
        patch.setattr(connection, "is_usable", lambda: False)
        with pytest.raises(OperationalError):
            tasks.sweep_bots()
    assert tasks.sweep_bots() > 0
    assert version(match) > before


def test_open_matches_lapse_beside_one_that_cannot(toy, anna):
    *bad, good = [opening.create_match(by=anna, game="toy") for _ in range(4)]
    poison(*bad)
    over = timezone.now() - timedelta(days=settings.MATCH_LAPSES_AFTER_DAYS + 1)
    Match.objects.filter(pk__in=[one.pk for one in bad]).update(created_at=over - timedelta(days=1))
    Match.objects.filter(pk=good.pk).update(created_at=over)
    assert opening.lapse_matches(limit=2) == 1
    assert Match.objects.get(pk=good.pk).status == Match.Status.LAPSED
    assert {Match.objects.get(pk=one.pk).status for one in bad} == {Match.Status.OPEN}


def unreadable(monkeypatch, *matches):
    """Make matches unloadable for today's code."""
    real, bad = loading.load, {match.pk for match in matches}

    def load(match_id, *more, **options):
        if match_id in bad:
            raise KeyError("an event of no known type")
        return real(match_id, *more, **options)

    monkeypatch.setattr(loading, "load", load)


def test_undo_requests_lapse_beside_one_that_cannot(toy, anna, ben, monkeypatch):
    matches = [opening.join_match(by=ben, match=opening.create_match(by=anna, game="toy")) for _ in range(4)]
    for at, match in enumerate(matches):
        act(match, 0, {"name": "draw"})
        undo(match, 0)
        UndoRequest.objects.filter(match=match).update(until=timezone.now() - timedelta(minutes=9 - at))
    unreadable(monkeypatch, *matches[:3])
    assert undoing.lapse_requests(limit=2) == 1
    assert UndoRequest.objects.get(match=matches[3]).settled_at is not None


def test_held_orders_go_on_beside_some_that_cannot(toy, anna, ben, monkeypatch):
    matches = [opening.join_match(by=ben, match=opening.create_match(by=anna, game="toy")) for _ in range(4)]
    for at, match in enumerate(matches):
        lines = [{"number": 1, "text": "draw", "argument": "", "mail": ""}]
        common = {"seat": 0, "user": anna, "question": "", "first": 1, "lines": lines, "version": version(match)}
        HeldOrders.objects.create(
            match=match,
            mail=match.pk,
            kept_at=version(match),
            counts_at=timezone.now(),
            until=HeldOrders.Until.WINDOW,
            created_at=timezone.now() - timedelta(minutes=9 - at),
            **common,
        )
    unreadable(monkeypatch, *matches[:3])
    assert held_orders.sweep(limit=2) == 1
    assert HeldOrders.objects.get(match=matches[3]).state == HeldOrders.State.DONE


def test_seats_go_to_bots_beside_some_that_cannot(toy, anna, ben, monkeypatch):
    matches = [opening.join_match(by=ben, match=opening.create_match(by=anna, game="toy")) for _ in range(4)]
    for at, match in enumerate(matches):
        substitutes.vacate(match=match, seat=1, actor=Actor("seat", 1))
        since = timezone.now() - timedelta(days=settings.SUBSTITUTE_DAYS + 1, minutes=9 - at)
        match.seats.filter(index=1).update(vacated_at=since)
    availability.beat()
    unreadable(monkeypatch, *matches[:3])
    assert substitutes.sweep(limit=2) == 1
    assert matches[3].seats.get(index=1).bot


def test_snapshots_are_made_beside_some_that_cannot(toy, anna, monkeypatch):
    matches = [opening.create_match(by=anna, game="toy") for _ in range(4)]
    monkeypatch.setattr(snapshot_renewal, "without_snapshot", lambda limit: [(one.pk, "toy") for one in matches][:limit])
    real, bad = loading.load_at, {one.pk for one in matches[:3]}
    saved = []
    monkeypatch.setattr(loading, "save_snapshot", lambda loaded: saved.append(loaded.match_id))
    monkeypatch.setattr(loading, "load_at", lambda game, pk, at: 1 / 0 if pk in bad else real(game, pk, at))
    assert tasks.renew_snapshots(limit=2) == 1
    assert saved == [matches[3].pk]
