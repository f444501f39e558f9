"""A field that cannot be read is named to the reader, and nothing is done: it never counts as another value."""

from __future__ import annotations

import html

import pytest

from accounts.models import ApiToken
from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Match, Question, Seat
from notifications.models import Mute, Preference

pytestmark = pytest.mark.django_db


@pytest.fixture
def match(toy_offered, people):
    return opening.join_match(by=people[1], match=opening.create_match(by=people[0], game="toy"))


def told(answer):
    return html.unescape(answer.content.decode())


def test_a_key_that_would_expire_too_late_is_not_made_for_ever(clients):
    fields = {"act": "create", "name": "bot", "scopes": ["read"], "days": "99999"}
    assert "A key expires after 1 to 3650 days, or never." in told(clients[0].post("/profile/tokens", fields, follow=True))
    assert not ApiToken.objects.exists()


def test_an_unknown_act_makes_no_key(clients):
    page = clients[0].post("/profile/tokens", {"act": "rename", "name": "bot", "scopes": ["read"]}, follow=True)
    assert "Choose what to do with your keys." in told(page)
    assert not ApiToken.objects.exists()


def test_a_seat_that_is_no_number_is_not_any_seat(toy_offered, clients, people):
    match = opening.create_match(by=people[0], game="toy")
    page = clients[1].post(f"/matches/{match.number}/seats", {"act": "join", "seat": "second"}, follow=True)
    assert "Choose one of the seats on the page." in told(page)
    assert Seat.objects.filter(match=match, user=None).count() == 1


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("clock_quiet_hours", "8.5", "Enter how many quiet hours do not count, as a whole number."),
        ("clock_after", "2000", "Enter the number of timeouts in a row as a whole number."),
        ("clock_off", "someday", "Choose from the days of the week."),
        ("clock_turn", "3" * 41, "Write at most 40 characters in each field of the time control."),
        ("hours", "two days", "Choose how many hours players have to answer."),
        ("entry", "friends", "Choose who may join: anyone, or invited players."),
        ("timeouts", "-1", "Enter the number of timeouts as a whole number."),
        ("bot1", "deep blue", "Choose a bot for Blue ("),
    ],
)
def test_a_new_match_names_the_field_that_cannot_be_read(toy_offered, clients, field, value, sentence):
    answer = clients[0].post("/new/toy/", {"options.points": "3", "clock": "parts", "clock_turn": "3d", field: value})
    assert answer.status_code == 422
    assert sentence in told(answer)
    assert not Match.objects.exists()


def test_the_parts_of_a_clock_do_not_matter_beside_a_preset(toy_offered, clients):
    for fields in ({"clock": "working_days"}, {"hours": "48"}):
        answer = clients[0].post("/new/toy/", {"options.points": "3", **fields, "clock_quiet_hours": "many"})
        assert answer.status_code == 302


@pytest.mark.parametrize(
    ("address", "fields", "sentence"),
    [
        ("orders", {"orders": "draw", "_version": "new"}, "The page did not say which version it showed."),
        ("command", {"_form": "draw", "_version": ""}, "The page did not say which version it showed."),
        ("fork", {"version": "9" * 10, "kind": "board"}, "The page did not say which version it showed."),
        ("fork", {"version": "4", "kind": "board", "seat": "mine"}, "Choose one of the seats on the page."),
        ("undo", {"act": "undo", "_version": "last"}, "The page did not say which version it showed."),
        ("standing", {"cancel": "all"}, "There is no such conditional order. Load the page again."),
        ("press", {"to": "everybody", "text": "hello"}, "Choose whom to write to."),
    ],
)
def test_the_page_of_a_match_says_what_it_cannot_read(match, clients, address, fields, sentence):
    asked = list(Question.objects.values_list("pk", flat=True))
    assert sentence in told(clients[0].post(f"/matches/{match.number}/{address}", fields, follow=True))
    assert list(Question.objects.values_list("pk", flat=True)) == asked
    assert Match.objects.count() == 1


@pytest.mark.parametrize(
    ("address", "fields", "sentence"),
    [
        ("timing", {"batch_minutes": "soon"}, "Enter for how many minutes turn mails are collected, as a whole number."),
        ("timing", {"webhook": "always"}, "Choose when the webhook is used."),
        ("quiet-hours", {"start": "late", "end": "7:00"}, "Write the time like 22:00."),
        ("vacations", {"first": "2026-13-01", "last": ""}, "Write the day like 2026-12-24."),
        ("vacations", {"first": "20261224", "last": "2026-12-24"}, "Write the day like 2026-12-24."),
        ("vacations", {"act": "cancel", "absence": "all"}, "You have not announced such a vacation."),
        ("follow", {"act": "stop", "follow": "all"}, "You do not follow this."),
        ("mails", {"kinds": "carrier pigeon"}, "One of these kinds of mail no longer exists."),
        ("mails/again", {"suppression": "all"}, "Nothing was held back there."),
        ("tokens", {"act": "revoke", "token": "mine"}, "There is no such key."),
    ],
)
def test_the_profile_says_what_it_cannot_read(clients, address, fields, sentence):
    assert sentence in told(clients[0].post(f"/profile/{address}", fields, follow=True))
    assert not Preference.objects.exists()
    assert not Mute.objects.exists()


def test_operators_read_which_field_is_no_number(match, desk):
    page = f"/admin/matches/match/{match.pk}/act/"
    fields = {"act": "measure", "action": "extend", "code": "other", "reason": "more time", "seat": "0", "hours": "many"}
    assert "Enter the hours as a whole number." in told(desk.post(page, fields, follow=True))
    assert "Choose the seat to look behind." in told(
        desk.post(page, {"act": "look", "version": "1", "reason": "why"}, follow=True)
    )
