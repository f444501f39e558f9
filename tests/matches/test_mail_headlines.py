"""The headline and the subject of a receipt say what became of the mail."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from gamesvc.matches.lobby import opening
from tests.mailing import mailing, verify  # noqa: F401
from tests.matches.test_replies import duel, reply_to, turn_mail  # noqa: F401

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("text", "headline"),
    [
        ("draw", "1 order done"),
        ("draw\npress ben hello", "1 order done, message sent"),
        ("press ben hello", "Message sent"),
        ("press ben hello\npress all hi", "2 messages sent"),
        ("press all hi\nvacation DAY", "Message sent, vacation set"),
        ("vacation DAY..DAY", "Vacation set"),
        ("vacation", "Your vacations"),
        ("vacation off", "Your vacation was not set"),
        ("standing", "Your conditional orders"),
        ("pause match", "You vote to pause the match"),
        ("draw?", "No draw"),
        ("help", "Orders"),
        ("status", "Status"),
        ("status\nhand", "Status, Your hand"),
        ("history", "What happened"),
        ("board", "The board"),
        ("preview draw", "A preview of your orders"),
        ("preview draw\npress ben hello", "Message sent"),
        ("ready", "No orders are held"),
        ("wait\ndraw", "1 order kept"),
        ("counter 77", "Nothing was done: an order was refused"),
        ("fly to the moon", "Nothing was done: a line cannot be read"),
    ],
)
def test_a_receipt_has_a_true_headline(duel, mailing, text, headline):  # noqa: F811
    text = text.replace("DAY", f"{timezone.now() + timedelta(days=9):%Y-%m-%d}")
    mailing.write(f"{text}\nEND", to=reply_to(turn_mail(mailing)))
    mailing.work()
    receipt = mailing.receipt()
    assert receipt.subject == f"[Toy #{duel.number}] {headline}"
    assert headline in receipt.text
    assert headline in receipt.html


def test_who_resigns_is_asked_in_the_headline(anna, ben, mailing):  # noqa: F811
    verify(anna, ben)
    match = opening.create_match(by=anna, game="stratastar")
    opening.join_match(by=ben, match=match)
    mailing.work()
    mailing.write("resign", to=str(mailing.last().message["Reply-To"]))
    mailing.work()
    assert mailing.receipt().subject == f"[Stratastar #{match.number}] Confirm: resign?"
