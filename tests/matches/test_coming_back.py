"""A player who gives up a seat and takes it again gets their own clock back: leaving gains no time."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import time_machine

from accounts.models import User
from gamesvc.matches.lobby import follows, opening, substitutes
from gamesvc.matches.models import Match, Question
from gamesvc.matches.organising.measures import Measure, organise
from gamesvc.matches.proof import audit
from gamesvc.matches.record import availability, loading
from gamesvc.matches.timekeeping import timeout_sweep
from notifications.models import Outbox
from tests.matches.playing import act

pytestmark = pytest.mark.django_db(transaction=True)

DAY = timedelta(hours=24)


def opened(by: User, other: User, **clock: Any) -> Match:
    match = opening.create_match(by=by, game="stratastar", clock={"turn": "24h", **clock}, watch="all")
    return opening.join_match(by=other, match=match)


def asked(match: Match) -> Question:
    return Question.objects.get(match=match)


def left_and_came_back(match: Match, user: User, program: Callable[..., Any]) -> None:
    assert program(user).post(f"/matches/{match.number}/give-up/").status_code == 200
    answer = program(user).post(f"/matches/{match.number}/substitute/")
    assert answer.status_code == 200, answer.content


def player_of(match: Match) -> User:
    found = match.seats.get(index=asked(match).seat).user
    assert found is not None
    return found


def run_out(match: Match) -> None:
    with time_machine.travel(asked(match).due_at + timedelta(seconds=1), tick=False):
        availability.keep_alive()
        timeout_sweep.sweep()


def test_coming_back_brings_no_time(anna: User, ben: User, program: Callable[..., Any]) -> None:
    match = opened(anna, ben)
    due = asked(match).due_at
    for minutes in (50, 10):
        with time_machine.travel(due - timedelta(minutes=minutes), tick=False):
            left_and_came_back(match, player_of(match), program)
        assert asked(match).due_at == due
    assert audit.check_match(match.id) == []


def test_another_player_has_the_time_anew(
    anna: User, ben: User, player: Callable[..., User], program: Callable[..., Any]
) -> None:
    match, cora = opened(anna, ben), player("cora")
    due, gone = asked(match).due_at, player_of(match)
    with time_machine.travel(due - timedelta(minutes=10), tick=False):
        assert program(gone).post(f"/matches/{match.number}/give-up/").status_code == 200
        assert program(cora).post(f"/matches/{match.number}/substitute/").status_code == 200
        assert asked(match).due_at == due - timedelta(minutes=10) + DAY
        assert program(cora).post(f"/matches/{match.number}/give-up/").status_code == 200
        assert program(gone).post(f"/matches/{match.number}/substitute/").status_code == 200
    assert asked(match).due_at == due - timedelta(minutes=10) + DAY, "what the substitute has left"
    assert audit.check_match(match.id) == []


def test_coming_back_fills_no_bank(anna: User, ben: User, program: Callable[..., Any]) -> None:
    match = opened(anna, ben, turn="1h", bank={"start": "10h", "increment": "0h", "cap": "10h"})
    question = asked(match)
    with time_machine.travel(question.due_at - timedelta(hours=2), tick=False):
        left_and_came_back(match, player_of(match), program)
        loaded = loading.load(match.id, match.game)
        act(match, question.seat, loaded.game.default_command(loaded.timeline.state, question.seat))
        loaded = loading.load(match.id, match.game)
        assert loaded.account.bank(question.seat) == timedelta(hours=2)
    assert audit.check_match(match.id) == []


def test_coming_back_excuses_no_more_time_outs(anna: User, ben: User, program: Callable[..., Any]) -> None:
    match = opened(anna, ben, excused=1)
    seat = asked(match).seat
    run_out(match)
    due = asked(match).due_at
    with time_machine.travel(due - timedelta(minutes=10), tick=False):
        left_and_came_back(match, player_of(match), program)
    assert loading.load(match.id, match.game).account.excused == {seat: 1}
    assert asked(match).due_at == due
    run_out(match)
    assert asked(match).seat != seat or asked(match).due_at > due + DAY
    assert audit.check_match(match.id) == []


def test_a_substitute_runs_out_of_time_for_the_question_that_was_excused_before(
    anna: User, ben: User, player: Callable[..., User], program: Callable[..., Any]
) -> None:
    match, cora = opened(anna, ben, excused=1), player("cora")
    seat = asked(match).seat
    run_out(match)
    with time_machine.travel(asked(match).due_at - timedelta(minutes=10), tick=False):
        assert program(player_of(match)).post(f"/matches/{match.number}/give-up/").status_code == 200
        assert program(cora).post(f"/matches/{match.number}/substitute/").status_code == 200
    due = asked(match).due_at
    run_out(match)
    assert loading.load(match.id, match.game).account.excused == {seat: 1}
    assert asked(match).due_at == due + DAY, "a substitute has excuses of their own"
    run_out(match)
    assert asked(match).seat != seat
    assert audit.check_match(match.id) == []


@pytest.mark.parametrize("policy", ["lose", "bot"])
def test_nobody_leaves_while_their_time_runs_out_and_comes_back(
    anna: User, ben: User, program: Callable[..., Any], policy: str
) -> None:
    match = opened(anna, ben, timeout=policy)
    question, gone = asked(match), player_of(match)
    with time_machine.travel(question.due_at - timedelta(minutes=1), tick=False):
        assert program(gone).post(f"/matches/{match.number}/give-up/").status_code == 200
    run_out(match)
    answer = program(gone).post(f"/matches/{match.number}/substitute/")
    assert (answer.status_code, answer.json().get("code")) == (422, "time_ran_out")
    assert match.seats.get(index=question.seat).user is None


def test_who_left_comes_back_where_the_game_only_answers_for_the_seat(anna: User, ben: User, program: Callable[..., Any]) -> None:
    match = opened(anna, ben)
    question, gone = asked(match), player_of(match)
    assert program(gone).post(f"/matches/{match.number}/give-up/").status_code == 200
    run_out(match)
    assert program(gone).post(f"/matches/{match.number}/substitute/").status_code == 200
    assert match.seats.get(index=question.seat).user == gone


def test_what_an_organiser_rewound_keeps_nobody_from_coming_back(
    anna: User, ben: User, player: Callable[..., User], program: Callable[..., Any]
) -> None:
    match = opening.create_match(
        by=player("hosta"), game="stratastar", clock={"turn": "24h", "timeout": "lose"}, take_seat=False, watch="all"
    )
    match = opening.join_match(by=ben, match=opening.join_match(by=anna, match=match))
    gone = player_of(match)
    assert program(gone).post(f"/matches/{match.number}/give-up/").status_code == 200
    before = loading.load(match.id, match.game).version
    run_out(match)
    host = match.creator
    assert host is not None
    measure = Measure("rewind", "mistake", "They come back.", to=before)
    organise(by=host, match=match, measure=measure, command_id=uuid.uuid4())
    assert program(gone).post(f"/matches/{match.number}/substitute/").status_code == 200


def test_what_is_undone_gives_them_no_time_either(anna: User, ben: User, program: Callable[..., Any]) -> None:
    match = opened(anna, ben)
    question = asked(match)
    loaded = loading.load(match.id, match.game)
    assert loaded.account.seated == {}
    left_and_came_back(match, player_of(match), program)
    assert loading.load(match.id, match.game).account.seated == {}, "to the clocks they have never been away"
    assert asked(match).due_at == question.due_at


def test_a_seat_is_given_up_so_often_only(
    anna: User, ben: User, player: Callable[..., User], program: Callable[..., Any]
) -> None:
    """Each time all subscribers of the game are called by mail."""
    match, cora = opened(anna, ben), player("cora")
    follows.follow(by=cora, game="stratastar")
    for _ in range(substitutes.MOST_TENURES - 1):
        left_and_came_back(match, anna, program)
    assert program(anna).post(f"/matches/{match.number}/give-up/").status_code == 200
    answer = program(anna).post(f"/matches/{match.number}/substitute/")
    assert (answer.status_code, answer.json()["code"]) == (422, "too_often")
    assert Outbox.objects.filter(kind="seat_free", user=cora).count() == substitutes.MOST_TENURES
    assert program(cora).post(f"/matches/{match.number}/substitute/").status_code == 200
