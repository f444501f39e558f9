"""Deadlines in calendars: one entry per seat, moved and cancelled under the same UID, by mail and in the feed."""

from __future__ import annotations

import uuid
from datetime import timedelta

import icalendar
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Question
from notifications.models import CalendarEntry, CalendarFeed
from notifications.sending import calendar
from notifications.tasks import send_due
from tests.mailing import mailing, verify  # noqa: F401
from tests.matches.playing import act

pytestmark = pytest.mark.django_db


@pytest.fixture
def duel(toy, anna, ben, mailing):  # noqa: F811
    verify(anna, ben)
    match = opening.create_match(by=anna, game=toy)
    match = opening.join_match(by=ben, match=match)
    send_due()
    return match


def events(text):
    found = icalendar.Calendar.from_ical(text)
    assert found["METHOD"] == "PUBLISH"
    assert found["VERSION"] == "2.0"
    return {str(event["UID"]): event for event in found.walk("VEVENT")}


def file_of(mail):
    [part] = [part for part in mail.message.walk() if part.get_content_type() == "text/calendar"]
    assert part.get_filename() == "deadline.ics"
    assert part.get_param("method") == "PUBLISH"
    return part.get_content()


def feed(client, user):
    address = calendar.address(user) or calendar.renew_address(user)
    answer = client.get(address.removeprefix("http://localhost:8000"))
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/calendar")
    assert "no-store" in answer["Cache-Control"]
    return events(answer.content)


def test_a_turn_mail_brings_its_deadline(duel, mailing):  # noqa: F811
    question = Question.objects.get(match=duel)
    [mail] = [mail for mail in mailing.sink.to("anna@players.example") if mail.message["X-Game-Reason"] == "your-turn"]
    [event] = events(file_of(mail)).values()
    assert event["DTSTART"].dt == question.due_at.replace(microsecond=0)
    assert (str(event["STATUS"]), int(event["SEQUENCE"])) == ("CONFIRMED", 0)
    assert str(event["SUMMARY"]) == f"Toy #{duel.number}: your move"
    assert str(event["URL"]).endswith(f"/matches/{duel.number}/")
    assert "DTEND" not in event


def test_moving_answering_and_asking_again_are_changes_of_one_entry(duel, anna, client):
    [(uid, first)] = feed(client, anna).items()
    [(_, again)] = feed(client, anna).items()
    assert first.to_ical() == again.to_ical(), "looking changes nothing"
    Question.objects.update(due_at=timezone.now() + timedelta(days=9))
    [(same, moved)] = feed(client, anna).items()
    assert (same, int(moved["SEQUENCE"]), str(moved["STATUS"])) == (uid, 1, "CONFIRMED")
    rows = list(Question.objects.values())
    Question.objects.all().delete()
    [(same, done)] = feed(client, anna).items()
    assert (same, int(done["SEQUENCE"]), str(done["STATUS"])) == (uid, 2, "CANCELLED")
    Question.objects.create(**{**rows[0], "id": uuid.uuid4()})
    [(same, back)] = feed(client, anna).items()
    assert (same, int(back["SEQUENCE"]), str(back["STATUS"])) == (uid, 3, "CONFIRMED")


def test_the_next_mail_moves_the_entry_of_the_last_turn(duel, mailing, client, anna):  # noqa: F811
    [first] = feed(client, anna)
    act(duel, 0)
    act(duel, 1)
    send_due()
    mail = [mail for mail in mailing.sink.to("anna@players.example") if mail.message["X-Game-Reason"] == "your-turn"][-1]
    told = events(file_of(mail))
    [(uid, event)] = told.items()
    assert (uid, str(event["STATUS"]), int(event["SEQUENCE"])) == (first, "CONFIRMED", 1)
    [alarm] = event.walk("VALARM")
    assert (str(alarm["ACTION"]), alarm["TRIGGER"].dt) == ("DISPLAY", timedelta(hours=-2))


def test_a_receipt_cancels_what_the_orders_did(duel, mailing):  # noqa: F811
    [mail] = [mail for mail in mailing.sink.to("anna@players.example") if mail.message["X-Game-Reason"] == "your-turn"]
    mailing.write("draw\nEND\n", to=str(mail.message["Reply-To"]))
    mailing.work()
    [event] = events(file_of(mailing.receipt())).values()
    assert str(event["STATUS"]) == "CANCELLED"


def test_many_new_deadlines_are_published_with_as_many_statements_as_one(duel, toy, anna, ben, client):
    """A calendar program asks for them, and after a vacation all have moved."""
    calendar.renew_address(anna)
    costs = []
    for number in (0, 3):
        for _ in range(number):
            opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))
        CalendarEntry.objects.all().delete()
        with CaptureQueriesContext(connection) as asked:
            found = feed(client, anna)
        costs.append((len(found) - number, len(asked)))
    assert costs[0] == costs[1]


def test_players_see_only_their_own_deadlines(duel, anna, ben, client):
    assert len(feed(client, anna)) == 1
    assert feed(client, ben) == {}
    act(duel, 0)
    assert [str(event["STATUS"]) for event in feed(client, anna).values()] == ["CANCELLED"]
    assert [str(event["STATUS"]) for event in feed(client, ben).values()] == ["CONFIRMED"]


def test_an_address_can_be_withdrawn_and_renewed(duel, anna, client):
    first = calendar.renew_address(anna).removeprefix("http://localhost:8000")
    assert client.get(first).status_code == 200
    second = calendar.renew_address(anna).removeprefix("http://localhost:8000")
    assert client.get(first).status_code == 404
    assert client.get(second).status_code == 200
    assert calendar.withdraw_address(anna)
    assert client.get(second).status_code == 404
    assert not calendar.withdraw_address(anna)


@pytest.mark.parametrize("secret", ["x", "0" * 64, "", "é" * 40])
def test_guessed_addresses_lead_nowhere(anna, client, secret):
    calendar.renew_address(anna)
    identity = CalendarFeed.objects.get().pk.hex
    for guess in (secret, identity, identity + "0" * 32):
        assert client.get(f"/calendar/{guess}.ics").status_code == 404


def test_an_inactive_account_has_no_feed(anna, client):
    address = calendar.renew_address(anna).removeprefix("http://localhost:8000")
    type(anna).objects.update(is_active=False)
    assert client.get(address).status_code == 404
