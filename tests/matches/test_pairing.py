"""Quick pairing: two users who want a match of the same game play each other."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import transaction

from accounts import blocks
from accounts.models import User
from gamesvc.games import catalog
from gamesvc.matches.access import daily_limits
from gamesvc.matches.lobby import opening, pairing
from gamesvc.matches.models import Match
from gamesvc.matches.record import loading
from tests.racing import at_once, impatient, is_waited_for

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _clean():
    loading.forget_all()


@pytest.mark.parametrize("game", [game.id for game in catalog.games()])
def test_two_who_look_for_a_match_play_each_other(game, anna, ben):
    waiting = pairing.pair(by=anna, game=game)
    assert waiting.status == Match.Status.OPEN
    found = pairing.pair(by=ben, game=game)
    assert found.pk == waiting.pk
    assert found.status == Match.Status.RUNNING
    assert {seat.user for seat in found.seats.all()} == {anna, ben}


@pytest.mark.django_db(transaction=True)
def test_two_who_look_at_the_same_moment_play_each_other(toy, player):
    pairs = [(player(f"early{number}"), player(f"late{number}")) for number in range(4)]
    for users in pairs:
        found = at_once(*[lambda user=user: pairing.pair(by=user, game="toy") for user in users])
        assert found[0].pk == found[1].pk
        assert Match.objects.get(pk=found[0].pk).status == Match.Status.RUNNING


@pytest.mark.django_db(transaction=True)
def test_nobody_waits_for_a_match_that_its_host_is_changing(toy, anna, ben):
    waiting = pairing.pair(by=anna, game="toy")
    with transaction.atomic():
        Match.objects.select_for_update(no_key=True).get(pk=waiting.pk)
        [found] = at_once(impatient(lambda: pairing.pair(by=ben, game="toy")))
    assert found.pk != waiting.pk
    assert (found.creator, found.status) == (ben, Match.Status.OPEN)


@pytest.mark.django_db(transaction=True)
def test_nobody_waits_behind_who_waits_for_a_request_of_their_own(toy, anna, ben):
    with ThreadPoolExecutor(1) as pool, transaction.atomic():
        User.lock(anna.pk)
        held = pool.submit(at_once, lambda: pairing.pair(by=anna, game="toy"))
        until = time.monotonic() + 10
        while not is_waited_for():
            assert time.monotonic() < until
            time.sleep(0.02)
        [found] = at_once(impatient(lambda: pairing.pair(by=ben, game="toy")))
        transaction.set_rollback(True)
    assert found.creator == ben
    assert held.result()[0].pk == found.pk


def test_who_waits_goes_on_waiting(toy, anna):
    first = pairing.pair(by=anna, game="toy")
    assert pairing.pair(by=anna, game="toy").pk == first.pk
    assert Match.objects.count() == 1


def test_the_oldest_match_comes_first(toy, anna, ben, player):
    for host in (anna, ben):
        opening.create_match(by=host, game="toy")
    assert pairing.pair(by=player("olga"), game="toy").creator == anna


@pytest.mark.parametrize(
    "terms",
    [
        {"hours": 24},
        {"clock": {"turn": "2d", "vacation": True}},
        {"entry": "invited"},
        {"anonymous": True},
        {"undo": "never"},
        {"press": "none"},
    ],
    ids=lambda terms: next(iter(terms)),
)
def test_other_terms_need_a_choice(toy, anna, ben, terms):
    other = opening.create_match(by=ben, game="toy", **terms)
    found = pairing.pair(by=anna, game="toy")
    assert found.pk != other.pk
    assert found.status == Match.Status.OPEN


def test_other_options_and_seats_need_a_choice(anna, ben):
    others = [
        opening.create_match(by=ben, game="stratastar", seats=3),
        opening.create_match(by=ben, game="stratastar", options={"disaster": False}),
        opening.create_match(by=ben, game="space_war"),
    ]
    assert pairing.pair(by=anna, game="stratastar").pk not in {other.pk for other in others}


def test_players_apart_are_not_paired(toy, anna, ben):
    opening.create_match(by=ben, game="toy")
    blocks.block(by=anna, name=ben.username)
    assert pairing.pair(by=anna, game="toy").creator == anna


def test_a_match_whose_host_does_not_play_needs_a_choice(toy, anna, ben):
    """They may rule on it: pause it, rewind it, replace its players."""
    hosted = opening.create_match(by=ben, game="toy", take_seat=False)
    assert pairing.pair(by=anna, game="toy").pk != hosted.pk


def test_a_match_that_cannot_be_joined_is_passed_over(toy, anna, ben):
    first = opening.create_match(by=ben, game="toy", take_seat=False)
    for _ in range(daily_limits.JOINS_PER_DAY):
        opening.join_match(by=anna, match=first)
        opening.leave_match(by=anna, match=first)
    opening.join_match(by=ben, match=first)
    second = opening.create_match(by=ben, game="toy")
    assert pairing.pair(by=anna, game="toy").pk == second.pk
