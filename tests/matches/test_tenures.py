"""Seat tenure: a player who has held a seat may take no other, and neither rules nor looks behind before the end."""

from __future__ import annotations

import importlib
import re
import uuid

import pytest
from django.apps import apps
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts import erasure
from gamesvc.games.kernel.game import Refused
from gamesvc.matches.access import tenures
from gamesvc.matches.access.selectors import access_match
from gamesvc.matches.errors import Forbidden
from gamesvc.matches.lobby import forks, invitations, opening, substitutes
from gamesvc.matches.mail_orders.joining import substitute_mail
from gamesvc.matches.models import Holding, Look, Match
from gamesvc.matches.organising import looks
from gamesvc.matches.record import loading
from notifications.inbound.purposes import Letter
from tests.matches.playing import act
from tests.web.page import names

pytestmark = pytest.mark.django_db


@pytest.fixture
def duel(toy, anna, ben):
    """A running match that anna hosts and plays in."""
    return opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, watch="all"))


@pytest.fixture
def operator(player):
    return player("operator", is_staff=True)


def give_up(program, user, match):
    answer = program(user).post(f"/matches/{match.number}/give-up/")
    assert answer.status_code == 200, answer.content


def take(program, user, match, seat=None, **more):
    return program(user).post(f"/matches/{match.number}/substitute/", {"seat": seat}, **more)


def rules(program, user, match, action="pause", **more):
    body = {"action": action, "code": "dispute", "reason": "I am losing", **more}
    powers = ("organise", "operate") if user.is_staff else ("organise",)
    return program(user, *powers).post(f"/matches/{match.number}/organise/", body)


# --- taking a seat ---


def test_a_player_who_gave_up_a_seat_gets_no_other_one(duel, anna, ben, program):
    give_up(program, anna, duel)
    give_up(program, ben, duel)
    answer = take(program, anna, duel, 1)
    assert (answer.status_code, answer.json()["code"]) == (422, "another_seat")
    assert "seat 0" in answer.json()["detail"]
    assert program(anna).get(f"/matches/{duel.number}/view/").json()["seat"] is None
    assert take(program, anna, duel).json()["your_seat"] == 0, "without a number it is their own"
    assert take(program, ben, duel, 1).json()["your_seat"] == 1


def test_a_seat_taken_by_another_leaves_the_former_player_none(duel, anna, ben, player, program):
    give_up(program, anna, duel)
    assert take(program, player("cleo"), duel, 0).status_code == 200
    give_up(program, ben, duel)
    for seat in (None, 1):
        assert take(program, anna, duel, seat).json()["code"] == "another_seat"


def test_the_page_offers_a_former_player_their_own_seat_alone(duel, anna, ben, program):
    give_up(program, anna, duel)
    give_up(program, ben, duel)
    client = Client()
    client.force_login(anna)
    page = client.get(f"/matches/{duel.number}/").content.decode()
    assert re.findall(r'name="seat" value="(\d)"><button[^>]*value="take"', page) == ["0"]
    taken = client.post(f"/matches/{duel.number}/absence", {"act": "take", "seat": "1"}, follow=True).content.decode()
    assert "You held seat 0" in taken
    assert not duel.seats.filter(user=anna).exists()


def test_no_mail_gives_a_former_player_another_seat(duel, anna, ben, program):
    give_up(program, anna, duel)
    give_up(program, ben, duel)
    payload = {"match": str(duel.id), "seat": 1}
    letter = Letter(uuid.uuid4(), anna, payload, "join", timezone.now(), "<join@players.example>")
    assert "You held seat 0" in substitute_mail.handle(letter).report["said"]
    assert not duel.seats.filter(user=anna).exists()


def test_an_organiser_who_replaces_a_player_gives_them_no_other_seat(toy, anna, ben, player, program):
    olga = player("olga")
    match = opening.create_match(by=olga, game=toy, take_seat=False)
    match = opening.join_match(by=ben, match=opening.join_match(by=anna, match=match))
    assert rules(program, olga, match, "replace", seat=0).status_code == 200
    assert rules(program, olga, match, "replace", seat=1).status_code == 200
    assert take(program, anna, match, 1).json()["code"] == "another_seat"
    assert take(program, anna, match, 0).json()["your_seat"] == 0


def test_an_organiser_who_removed_a_player_takes_no_seat(toy, anna, ben, player, program):
    """Else they would take the seat of a player who wins."""
    olga = player("olga")
    match = opening.create_match(by=olga, game=toy, take_seat=False)
    match = opening.join_match(by=ben, match=opening.join_match(by=anna, match=match))
    assert rules(program, olga, match, "replace", seat=0).status_code == 200
    give_up(program, ben, match)
    for seat in (0, 1, None):
        assert take(program, olga, match, seat).json()["code"] == "removed_a_player"
    assert take(program, player("cleo"), match, 0).status_code == 200


def test_an_organiser_takes_the_seat_of_a_bot_that_they_removed(toy, anna, ben, player, program):
    olga = player("olga")
    match = opening.create_match(by=olga, game=toy, take_seat=False, bots={0: "random"})
    match = opening.join_match(by=anna, match=match)
    assert rules(program, olga, match, "replace", seat=0).status_code == 200
    assert take(program, olga, match, 0).status_code == 200
    assert rules(program, olga, match).status_code == 403


def test_before_the_start_seats_are_changed_freely(toy, anna, ben, player, program):
    match = opening.create_match(by=anna, game=toy, take_seat=False, entry="invited")
    opening.join_match(by=anna, match=match, seat=0)
    opening.leave_match(by=anna, match=match)
    invitation, token = invitations.invite(by=anna, match=match, address="ben@work.example")
    invitations.accept_invitation(by=ben, token=token)
    opening.leave_match(by=ben, match=match)
    assert invitation.match == match
    opening.join_match(by=anna, match=match, seat=1)
    opening.join_match(by=ben, match=match, seat=0)
    assert loading.load(match.id, toy).started
    assert dict(Holding.objects.filter(match=match).values_list("user", "seat")) == {anna.pk: 1, ben.pk: 0}
    give_up(program, anna, match)
    assert take(program, anna, match).json()["your_seat"] == 1


def test_a_host_who_left_before_the_start_still_rules(toy, anna, ben, player, program):
    match = opening.create_match(by=anna, game=toy)
    opening.leave_match(by=anna, match=match)
    opening.join_match(by=ben, match=match)
    opening.join_match(by=player("cleo"), match=match)
    assert rules(program, anna, match).status_code == 200


@pytest.mark.parametrize("way", ["leave", "remove"])
def test_a_host_with_whom_others_sat_down_to_play_does_not_rule(toy, anna, ben, player, program, way):
    """Else they would leave for a friend in the last moment, and rewind or end the match for them."""
    match = opening.create_match(by=anna, game="stratastar", seats=3, watch="all")
    opening.join_match(by=ben, match=match)
    if way == "leave":
        opening.leave_match(by=anna, match=match)
    else:
        opening.remove_seat(by=anna, match=match, seat=0)
    opening.join_match(by=player("cleo"), match=match)
    opening.join_match(by=player("dora"), match=match)
    for action in ("pause", "abort", "rewind"):
        answer = rules(program, anna, match, action, to=1)
        assert answer.status_code == 403, answer.content
    assert program(anna).get(f"/matches/{match.number}/tenures/").status_code == 403
    assert rules(program, player("operator", is_staff=True), match).status_code == 200


@pytest.mark.parametrize("way", ["challenge", "rematch", "address"])
def test_a_host_who_invited_others_to_play_with_them_does_not_rule(toy, anna, ben, player, program, way, duel):
    """The invitation is accepted without another look at the match, in which a friend of the host has taken their seat."""
    if way == "challenge":
        asked = program(anna).post("/challenges/", {"opponent": "ben", "game": "toy"}).json()
        match = Match.objects.get(pk=asked["match"])
    elif way == "rematch":
        assert rules(program, player("operator", is_staff=True), duel, "abort").status_code == 200
        match = Match.objects.get(number=program(anna).post(f"/matches/{duel.number}/rematch/").json()["number"])
    else:
        match = opening.create_match(by=anna, game=toy, entry="invited")
        _invitation, token = invitations.invite(by=anna, match=match, address="ben@work.example")
    assert program(anna).post(f"/matches/{match.number}/leave/").status_code == 200
    opening.join_match(by=player("friend"), match=match, link=match.link_token)
    if way == "challenge":
        assert program(ben).post(f"/challenges/{asked['id']}/accept/", {}).status_code == 200
    elif way == "rematch":
        opening.join_match(by=ben, match=match)
    else:
        invitations.accept_invitation(by=ben, token=token)
    for action in ("pause", "abort", "replace"):
        answer = rules(program, anna, match, action, seat=1)
        assert answer.status_code == 403, answer.content


def test_a_fork_of_a_running_match_seats_its_players_where_they_know_the_hand(duel, anna, ben, program):
    act(duel, 0)
    access = access_match(user=anna, ident=str(duel.pk))
    fork = forks.fork(access=access, version=loading.load(duel.id, "toy").viewer_version(0), entry="public")
    opening.leave_match(by=anna, match=fork)
    with pytest.raises(Refused) as refused:
        opening.join_match(by=ben, match=fork, seat=0)
    assert refused.value.code == "another_seat"
    opening.join_match(by=ben, match=fork)
    assert fork.seats.get(user=ben).index == 1
    opening.join_match(by=anna, match=fork)
    give_up(program, anna, fork)
    give_up(program, ben, fork)
    assert take(program, ben, fork, 0).json()["code"] == "another_seat"


def test_an_operator_who_looked_behind_takes_no_seat(duel, anna, operator, program):
    looks.look_behind(by=operator, match=duel, seat=1, version=duel.version, reason="A complaint")
    give_up(program, anna, duel)
    answer = take(program, operator, duel, 0)
    assert (answer.status_code, answer.json()["code"]) == (422, "looked_behind")


def test_an_operator_who_looked_behind_takes_no_seat_in_a_sister_fork(duel, anna, operator, program):
    act(duel, 0)
    access = access_match(user=anna, ident=str(duel.pk))
    version = loading.load(duel.id, "toy").viewer_version(0)
    first, second = (forks.fork(access=access, version=version, entry="public") for _ in range(2))
    opening.join_match(by=access_match(user=anna, ident=str(duel.pk)).seats[1].user, match=first)
    first.refresh_from_db()
    looks.look_behind(by=operator, match=first, seat=0, version=first.version, reason="A complaint")
    opening.leave_match(by=anna, match=second)
    for seat in (0, 1):
        with pytest.raises(Refused) as refused:
            opening.join_match(by=operator, match=second, seat=seat)
        assert refused.value.code == "looked_behind"


@pytest.fixture
def fork_of(duel, anna):
    """Return a match forked from the running one, with the hand of its first seat."""
    act(duel, 0)
    access = access_match(user=anna, ident=str(duel.pk))
    version = loading.load(duel.id, "toy").viewer_version(0)
    return lambda: forks.fork(access=access, version=version, entry="public")


def test_an_operator_who_plays_in_a_fork_looks_behind_in_none_of_its_family(duel, fork_of, operator):
    fork, sister = fork_of(), fork_of()
    opening.join_match(by=operator, match=fork)
    for match in (duel, sister):
        match.refresh_from_db()
        with pytest.raises(Forbidden):
            looks.look_behind(by=operator, match=match, seat=0, version=match.version, reason="A complaint")
        assert match.pk in tenures.closed_to(operator)


def test_who_held_a_seat_of_a_fork_takes_no_other_one_of_its_family(duel, fork_of, anna, ben, player, program):
    cleo, fork = player("cleo"), fork_of()
    opening.leave_match(by=anna, match=fork)
    opening.join_match(by=cleo, match=fork, seat=0)
    give_up(program, ben, duel)
    with pytest.raises(Refused) as refused:
        substitutes.take_over(by=cleo, match=duel, seat=1)
    assert refused.value.code == "another_seat"


def test_after_an_erasure_nobody_is_linked_to_a_tenure(duel, anna, program):
    give_up(program, anna, duel)
    erasure.erase(anna)
    assert not Holding.objects.filter(user=anna).exists()
    assert Holding.objects.filter(match=duel).count() == 2


# --- ruling and looking behind ---


def test_a_host_who_gave_up_their_seat_does_not_rule(duel, anna, ben, program):
    before = loading.load(duel.id, "toy").viewer_version(None)
    give_up(program, anna, duel)
    version = loading.load(duel.id, "toy").version
    for action in ("pause", "resume", "extend", "replace", "rewind", "abort"):
        answer = rules(program, anna, duel, action, seat=1, hours=1, to=before)
        assert answer.status_code == 403, action
    client = program(anna)
    tag = client.get(f"/matches/{duel.number}/view/")["ETag"]
    body = {"to": before, "code": "dispute", "reason": "x"}
    assert client.post(f"/matches/{duel.number}/rewind/", body, etag=tag).status_code == 403
    assert client.get(f"/matches/{duel.number}/undo/").json()["may_rewind"] is False
    page = Client()
    page.force_login(anna)
    assert "/organise" not in page.get(f"/matches/{duel.number}/").content.decode()
    assert loading.load(duel.id, "toy").version == version


def test_an_operator_who_ever_played_neither_rules_nor_looks(duel, ben, program):
    ben.is_staff = True
    ben.save()
    give_up(program, ben, duel)
    version = loading.load(duel.id, "toy").version
    assert rules(program, ben, duel, "abort").status_code == 403
    with pytest.raises(Forbidden):
        looks.look_behind(by=ben, match=duel, seat=0, version=version, reason="curious")
    desk = Client()
    desk.force_login(ben)
    page = desk.get(reverse("admin:matches_match_change", args=[duel.pk])).content.decode()
    assert "You have played in this match" in page
    assert "Look behind</button>" not in page
    for fields in ({"act": "look", "seat": "0", "version": "3", "reason": "x"}, {"act": "verify"}):
        answer = desk.post(reverse("admin:matches_match_act", args=[duel.pk]), fields, follow=True).content.decode()
        assert 'class="error"' in answer
    assert not Look.objects.exists()


@pytest.mark.parametrize("board", [True, False])
def test_an_operator_who_plays_does_not_look_behind_what_was_made_from_the_match(duel, anna, ben, board):
    """The opponent's board, or fork, begins with the opponent's own hand."""
    ben.is_staff = True
    ben.save()
    act(duel, 0)
    access = access_match(user=anna, ident=str(duel.pk))
    made = forks.fork(access=access, version=loading.load(duel.id, "toy").viewer_version(0), board=board, bots={1: "random"})
    assert loading.load(made.id, "toy").started
    with pytest.raises(Forbidden):
        looks.look_behind(by=ben, match=made, seat=0, version=made.version, reason="curious")


def test_an_operator_who_has_looked_stays_out_after_a_player_is_erased(duel, anna, ben, operator, program):
    looks.look_behind(by=operator, match=duel, seat=1, version=duel.version, reason="A complaint of Anna")
    erasure.erase(anna)
    [look] = program(ben).get(f"/matches/{duel.number}/looks/").json()
    assert (look["by"], look["reason"]) == ("operator", "")
    assert take(program, operator, duel, 0).json()["code"] == "looked_behind"


def test_an_erased_host_and_a_new_account_are_strangers(duel, anna, player, program):
    """Second accounts cannot be detected, after an erasure or without one."""
    erasure.erase(anna)
    assert take(program, player("anna2"), duel, 0).status_code == 200


# --- the organiser's view of it ---


def test_the_organiser_sees_which_tenures_belong_to_one_player(toy, anna, ben, player, program):
    olga = player("olga")
    match = opening.create_match(by=olga, game=toy, take_seat=False, anonymous=True)
    match = opening.join_match(by=ben, match=opening.join_match(by=anna, match=match))
    give_up(program, anna, match)
    assert take(program, player("cleo"), match).status_code == 200
    assert rules(program, olga, match, "replace", seat=0).status_code == 200
    assert take(program, anna, match).status_code == 200
    answer = program(olga).get(f"/matches/{match.number}/tenures/")
    assert answer.status_code == 200, answer.content
    rows = answer.json()
    assert [(one["seat"], one["player"], one["holds"]) for one in rows] == [
        (0, 1, False),
        (1, 2, True),
        (0, 3, False),
        (0, 1, True),
    ]
    assert not names(answer.content.decode(), "anna")
    holders = {str(one) for one in Holding.objects.filter(match=match).values_list("holder", flat=True)}
    assert {one["holder"] for one in rows} == holders
    assert program(ben).get(f"/matches/{match.number}/tenures/").status_code == 403
    erasure.erase(anna)
    rows = program(olga).get(f"/matches/{match.number}/tenures/").json()
    assert [one["player"] for one in rows] == [None, 1, 2, None]


# --- existing databases ---


def migration():
    return importlib.import_module("gamesvc.matches.migrations.0014_tenures")


def test_the_migration_forgets_tenures_that_ended_before_the_start(toy, anna, ben):
    match = opening.create_match(by=anna, game=toy)
    left = Holding.objects.get(match=match)
    opening.leave_match(by=anna, match=match)
    opening.join_match(by=ben, match=match)
    Holding.objects.create(holder=left.holder, match=match, seat=0, user=anna)
    migration().forget_those_before_the_start(apps, connection.schema_editor())
    assert list(Holding.objects.filter(match=match).values_list("user", flat=True)) == [ben.pk]


def test_the_migration_links_tenures_by_what_the_database_still_knows(duel, anna, ben, program):
    program(anna).post(f"/matches/{duel.number}/press/", {"to": "all", "text": "Hello"})
    give_up(program, anna, duel)
    Holding.objects.filter(match=duel).update(user=None)
    migration().link_players(apps, connection.schema_editor())
    assert set(Holding.objects.filter(match=duel).values_list("seat", "user")) == {(0, anna.pk), (1, ben.pk)}
    substitutes.vacate(match=duel, seat=1, actor=substitutes.Actor("seat", 1))
    with pytest.raises(Refused) as refused:
        substitutes.take_over(by=anna, match=Match.objects.get(pk=duel.pk), seat=1)
    assert refused.value.code == "another_seat"


def test_a_chain_of_forks_costs_one_query_for_all_who_ask_for_a_seat(duel, anna, player, many_matches):
    carol, newest, counts = player("carol"), duel, set()
    for _ in range(4):
        for match in (duel, newest):
            with CaptureQueriesContext(connection) as queries:
                assert tenures.seats_held(carol, match) == set()
            counts.add(len(queries))
            assert tenures.seats_held(anna, match) == {0}
        access = access_match(user=anna, ident=str(newest.pk))
        fork = forks.fork(access=access, version=loading.load(newest.pk, newest.game).viewer_version(0), board=True)
        if newest is not duel:
            forks.close_board(access=access)
        newest = fork
    assert len(counts) == 1
