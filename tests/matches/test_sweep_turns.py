"""Whose turn it is in the sweeps of a worker: dear matches of one user do not hold up those of others."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from gamesvc.matches.lobby import opening, substitutes
from gamesvc.matches.mail_orders import held_orders
from gamesvc.matches.models import HeldOrders, Match, PauseWish, Question, UndoRequest
from gamesvc.matches.play import conditional_orders, standing_orders
from gamesvc.matches.record.append import Actor
from gamesvc.matches.timekeeping import pauses, timeout_sweep
from gamesvc.matches.undo import undoing
from tests.matches.playing import act
from tests.matches.test_undo import undo

pytestmark = pytest.mark.django_db
BATCH = 5


@pytest.fixture
def due(toy, settings):
    """Open a match of two players, due some seconds ago."""
    settings.MATCHES_PER_MINUTE = 100

    def make(creator, other, seconds):
        match = opening.join_match(by=other, match=opening.create_match(by=creator, game=toy))
        match.questions.update(due_at=timezone.now() - timedelta(seconds=seconds))
        return match.pk

    return make


@pytest.fixture
def order(monkeypatch):
    """The matches whose questions are closed, in order, each after a second on a clock of its own."""
    seen, fire, clock = [], timeout_sweep._fire, [1000.0]

    def fired(claim, *rest):
        seen.append(claim.match_id)
        clock[0] += 1.0
        return fire(claim, *rest)

    monkeypatch.setattr(timeout_sweep, "_fire", fired)
    monkeypatch.setattr(timeout_sweep.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(timeout_sweep, "BATCH", BATCH)
    return seen


def test_a_stranger_waits_for_few_of_the_matches_of_one_user(due, order, anna, ben, player):
    for seconds in (*range(40, 50), *range(20, 30)):
        due(anna, ben, seconds)
    stranger = due(player("cleo"), player("dora"), 35)
    timeout_sweep.sweep()
    assert order.index(stranger) <= 3
    timeout_sweep.sweep()
    assert len(order) == len(set(order)) == 21


def test_users_whose_matches_are_due_at_once_take_turns(due, order, anna, ben, player):
    cleo = player("cleo")
    mine = [due(anna, ben, 20 + at) for at in range(3)]
    other = due(cleo, ben, 40)
    timeout_sweep.sweep()
    assert order.index(other) <= 1
    assert set(order) == {*mine, other}


def test_what_a_batch_leaves_is_free_at_once(due, order, anna, ben, monkeypatch):
    for seconds in range(20, 24):
        due(anna, ben, seconds)
    monkeypatch.setattr(timeout_sweep, "SWEEP_LASTS", 1.5)
    timeout_sweep.sweep()
    assert len(order) == 3  # a batch lasts two seconds
    assert Question.objects.filter(due_at__lt=timezone.now(), claimed_until__gt=timezone.now()).count() == 0


@pytest.mark.parametrize("dear", [conditional_orders, held_orders])
def test_orders_of_one_user_hold_up_no_others(due, monkeypatch, anna, ben, player, dear):
    own = [due(anna, ben, -3600) for _ in range(6)]
    cleo = player("cleo")
    strange = due(cleo, ben, -3600)
    for each in (*own, strange):
        match = Match.objects.get(pk=each)
        if dear is conditional_orders:
            drawn = {"event": {"type": "drew", "data": {"seat": 0}}}
            standing_orders.lay_by(match=match, seat=0, user=match.creator, condition=drawn, commands=[{"name": "draw"}])
        else:
            numbers = {"first": 1, "version": 1, "kept_at": 1, "lines": [], "counts_at": timezone.now()}
            until = HeldOrders.Until.WINDOW
            HeldOrders.objects.create(match=match, seat=0, user=match.creator, mail=each, until=until, **numbers)
        act(match, 0, {"name": "draw"})
    seen, clock = [], [1000.0]

    def looked(item):
        seen.append(item if dear is conditional_orders else HeldOrders.objects.get(pk=item).match_id)
        clock[0] += 1.0
        return 0

    monkeypatch.setattr(dear, "play" if dear is conditional_orders else "_go_on", looked)
    monkeypatch.setattr(timeout_sweep.time, "monotonic", lambda: clock[0])
    dear.sweep()
    assert seen.index(strange) <= 1
    assert sorted(seen) == sorted([*own, strange])


@pytest.fixture
def rare(toy, anna, ben, player, settings):
    """Four matches that anna opened, and a later one of another user."""
    settings.MATCHES_PER_MINUTE = 100
    cleo = player("cleo")
    hosts = [anna] * 4 + [cleo]
    return [opening.join_match(by=ben, match=opening.create_match(by=host, game=toy)) for host in hosts]


def test_a_free_seat_does_not_wait_for_all_those_of_one_host(rare, settings):
    for at, match in enumerate(rare):
        substitutes.vacate(match=match, seat=1, actor=Actor("seat", 1))
        since = timezone.now() - timedelta(days=settings.SUBSTITUTE_DAYS + 1, minutes=9 - at)
        match.seats.filter(index=1).update(vacated_at=since)
    assert substitutes.sweep(limit=2) == 2
    assert rare[-1].seats.get(index=1).bot


def test_an_agreed_pause_does_not_wait_for_all_those_in_matches_of_one_host(rare):
    for match in rare:
        PauseWish.objects.bulk_create(PauseWish(match=match, seat=seat) for seat in (0, 1))
    assert pauses.sweep(limit=2) == 2
    rare[-1].refresh_from_db()
    assert rare[-1].paused_at is not None


def test_a_request_to_undo_does_not_wait_for_all_those_in_matches_of_one_host(rare):
    for at, match in enumerate(rare):
        act(match, 0, {"name": "draw"})
        undo(match, 0)
        UndoRequest.objects.filter(match=match).update(until=timezone.now() - timedelta(minutes=9 - at))
    assert undoing.lapse_requests(limit=2) == 2
    assert UndoRequest.objects.get(match=rare[-1]).settled_at is not None
