"""Two of three players: neither throws the dice again over the head of a third, who has finished or whose seat is free."""

from __future__ import annotations

import random

import pytest

from gamesvc.matches.lobby import opening, substitutes
from gamesvc.matches.models import Match
from gamesvc.matches.record import loading
from tests.conftest import Program
from tests.matches.playing import act, log_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def cleo(player):
    return player("cleo")


def opened(game, *players, **more) -> Match:
    match = opening.create_match(by=players[0], game=game, seats=len(players), **more)
    for user in players[1:]:
        match = opening.join_match(by=user, match=match)
    return match


def moves(match, seat, rng) -> bool:
    """Let a seat play on its own sheet of a race. Return False once it is finished."""
    loaded = loading.load(match.id, match.game)
    game, state = loaded.game, loaded.timeline.state
    forms = [form for form in game.legal_commands(state, seat) if not form.aside]
    if forms:
        act(match, seat, dict(game.bots["greedy"](game.view(state, seat), forms, rng)))
    return bool(forms)


def rolls(match, seat, rng) -> None:
    """Let a seat play until it has rolled."""
    while True:
        before = loading.load(match.id, match.game).version
        assert moves(match, seat, rng)
        if any(event.draws for event in log_of(match) if event.version > before):
            return


def asks(user: Program, match) -> tuple[str, list[int], str]:
    told = user.get(f"/matches/{match.number}/undo/").json()
    return told["how"], told["asks"], told["code"]


def undo(user: Program, match):
    etag = user.get(f"/matches/{match.number}/view/").headers["ETag"]
    return user.post(f"/matches/{match.number}/undo/", etag=etag)


def answers(user: Program, match, accept=True) -> bool:
    answer = user.post(f"/matches/{match.number}/undo/answer/", {"accept": accept})
    assert answer.status_code == 200, answer.content
    return answer.json()["done"]


@pytest.mark.parametrize("way", ["played", "resigned"])
def test_a_player_who_has_finished_the_race_is_asked_before_a_roll_is_undone(anna, ben, cleo, program, way):
    """Their stars may still win: each throw that the others repeat is at their cost."""
    match, rng = opened("space_fleet_commander", anna, ben, cleo, options={"mode": "race"}), random.Random(1)
    if way == "resigned":
        act(match, 2, {"name": "resign"})
    while way == "played" and moves(match, 2, rng):
        pass
    rolls(match, 0, rng)
    assert asks(program(anna), match) == ("ask", [1, 2], "")
    assert undo(program(anna), match).json()["done"] is False
    assert answers(program(ben), match) is False
    version = loading.load(match.id, match.game).version
    assert answers(program(cleo), match) is True
    assert loading.load(match.id, match.game).version > version


def test_nobody_agrees_for_a_free_seat(anna, ben, cleo, program):
    match = opened("space_fleet_commander", anna, ben, cleo, options={"mode": "race"})
    rolls(match, 0, random.Random(1))
    assert asks(program(anna), match) == ("ask", [1, 2], "")
    substitutes.give_up(by=cleo, match=match, seat=2)
    assert asks(program(anna), match) == ("no", [], "draw_stays")
    assert undo(program(anna), match).json()["code"] == "draw_stays"
    substitutes.take_over(by=cleo, match=match)
    assert asks(program(anna), match) == ("ask", [1, 2], "")


def test_a_free_seat_keeps_nobody_from_undoing_what_told_nothing(anna, ben, cleo, program):
    match = opened("stratastar", anna, ben, cleo, undo="consent")
    [seat] = [one.seat for one in loading.load(match.id, match.game).awaited()]
    users = {0: anna, 1: ben, 2: cleo}
    assert moves(match, seat, random.Random(1))
    free, left = (other for other in users if other != seat)
    substitutes.give_up(by=users[free], match=match, seat=free)
    assert asks(program(users[seat]), match) == ("ask", [left], "")
    assert undo(program(users[seat]), match).json()["done"] is False
    assert answers(program(users[left]), match) is True
