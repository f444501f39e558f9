"""Mails that are refused for the words of other players: their receivers go on getting all others."""

from __future__ import annotations

import re
import smtplib
import uuid
from datetime import timedelta

import pytest
import time_machine
from anymail.signals import AnymailTrackingEvent, EventType, RejectReason, tracking
from django.utils import timezone

from gamesvc.matches.lobby import opening, press
from gamesvc.matches.notices import reply_addresses
from gamesvc.matches.organising import measures
from gamesvc.matches.organising.measures import Measure
from notifications import registry
from notifications.models import Bounce, Outbox
from notifications.returned import suppression
from tests.mailing import FIXTURES, mailing, verify  # noqa: F401

pytestmark = pytest.mark.django_db

WORDS = "XJS*C4JDBQADN1"


@pytest.fixture
def match(anna, ben, mailing):  # noqa: F811
    verify(anna, ben)
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game="stratastar"))
    mailing.work()
    return match


def say(match, ben, mailing):  # noqa: F811
    """Let ben write what the mail server of anna takes for spam. Return the mails that were sent."""
    before = len(mailing.sink.messages)
    press.say(match=match, by=ben, by_seat=1, to="all", text=WORDS, channel="web")
    mailing.work()
    return mailing.sink.messages[before:]


def test_a_message_that_is_refused_each_day_stops_no_other_mail(match, anna, ben, mailing):  # noqa: F811
    mailing.sink.refuse_mail = lambda raw: "554 5.7.1 message content rejected" if WORDS.encode() in raw else None
    start = timezone.now()
    for day in range(6):
        with time_machine.travel(start + timedelta(days=day), tick=True):
            say(match, ben, mailing)
    assert Bounce.objects.filter(kind="press", report="soft").count() == 6
    assert not suppression.unreachable([anna])


@pytest.mark.parametrize(
    ("status", "said", "stops"),
    [
        ("5.0.0", "550 This message contains a virus (Urlhaus.Malware.1)", False),
        ("5.7.1", "554 5.7.1 rejected", False),
        ("5.1.1", "550 5.1.1 <anna@players.example>: Recipient address rejected: User unknown", True),
        ("5.0.0", "550 Unrouteable address: no such user", True),
    ],
)
def test_a_report_about_a_message_counts_if_it_is_about_the_mailbox(match, anna, ben, mailing, status, said, stops):  # noqa: F811
    report = (FIXTURES.parent / "bounces" / "postfix_unknown_user.eml").read_text()
    for _ in range(2):
        (sent,) = say(match, ben, mailing)
        raw = re.sub(r"Status: .*", f"Status: {status}", report)
        raw = re.sub(r"smtp; 550(?s:.*?)\n\n", f"smtp; {said}\n\n", raw)
        raw = raw.replace("RETURN_PATH", sent.sender).replace("\n", "\r\n")
        with smtplib.SMTP("127.0.0.1", mailing.receiver.port, timeout=10) as client:
            client.sendmail("", [sent.sender], raw.encode())
    assert Bounce.objects.count() == 2
    assert bool(suppression.unreachable([anna])) == stops


def test_a_providers_filter_stops_no_further_messages(match, anna, ben, mailing):  # noqa: F811
    say(match, ben, mailing)
    row = Outbox.objects.get(kind="press")
    event = AnymailTrackingEvent(
        event_type=EventType.REJECTED,
        reject_reason=RejectReason.SPAM,
        description="Spam Content",
        recipient="anna@players.example",
        metadata={"delivery": str(row.id)},
    )
    tracking.send(sender=None, event=event, esp_name="Test")
    assert Bounce.objects.get().report == "soft"
    assert [sent.recipients for sent in say(match, ben, mailing)] == [("anna@players.example",)]


@pytest.fixture
def organised(toy, anna, ben, player, mailing):  # noqa: F811
    """A match in which the organiser has given anna more time, with a reason that a mail server takes for spam."""
    verify(anna, ben)
    olga = player("olga")
    match = opening.join_match(by=anna, match=opening.create_match(by=olga, game=toy, take_seat=False))
    match = opening.join_match(by=ben, match=match)
    mailing.work()
    measures.organise(by=olga, match=match, measure=Measure("extend", "dispute", WORDS, seat=0, hours=5), command_id=uuid.uuid4())
    return match


def test_an_organisers_reason_stands_in_no_mail_but_the_one_about_it(organised, anna, mailing):  # noqa: F811
    mailing.work()
    reply_addresses.renew(user=anna)
    Outbox.objects.create(kind="digest", user=anna)
    mailing.work()
    mailing.write("history 20", to=mailing.last(subject="Your turn").message["Reply-To"])
    mailing.work()
    sent = mailing.sink.to("anna@players.example")
    assert {"measure", "your-turn", "digest", "receipt"} <= {mail.message["X-Game-Reason"] for mail in sent}
    assert {mail.message["X-Game-Reason"] for mail in sent if WORDS in f"{mail.text}{mail.html}"} == {"measure"}
    assert {"measure", "match_ended"} <= set(registry.quoting())


def test_turn_mails_arrive_where_an_organisers_reason_is_refused(organised, anna, mailing):  # noqa: F811
    mailing.sink.refuse_mail = lambda raw: "554 5.7.1 message content rejected" if WORDS.encode() in raw else None
    mailing.work()
    reply_addresses.renew(user=anna)
    mailing.work()
    assert [row.status for row in Outbox.objects.filter(user=anna, kind="measure")] == ["failed"]
    assert {row.status for row in Outbox.objects.filter(user=anna, kind="your_turn")} == {"sent"}
    assert mailing.last().message["X-Game-Reason"] == "your-turn"
