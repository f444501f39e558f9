"""The marks of every mail: text that no hop rewrites, list, kind, language; and what a question about held orders names."""

from __future__ import annotations

import re
from zoneinfo import ZoneInfo

import pytest

from gamesvc.matches.lobby import invitations, opening
from gamesvc.matches.models import Question
from notifications.inbound.proving.authentication import NONE, Verdict
from tests.mailing import mailing, verify  # noqa: F401
from tests.matches.test_replies import duel, reply_to, turn_mail  # noqa: F401

BERLIN = ZoneInfo("Europe/Berlin")  # the zone of the players in tests
pytestmark = pytest.mark.django_db


@pytest.fixture
def held(duel, mailing, monkeypatch):  # noqa: F811
    """Orders that did not come with proof, and the question about them."""
    monkeypatch.setattr("notifications.inbound.proving.trust.authenticate", lambda *_, **__: Verdict(NONE))
    mailing.write("draw", to=reply_to(turn_mail(mailing)), sender="zoe@other.example")
    mailing.work()
    return mailing.last(subject="Are these orders yours?")


def test_a_question_about_held_orders_names_match_sender_and_deadline(held, duel):  # noqa: F811
    assert held.subject == f"[Toy #{duel.number}] Are these orders yours?"
    assert f"Match: Toy #{duel.number}" in held.text
    assert "The mail came from: zoe@other.example" in held.text
    due = Question.objects.get(match=duel).deadline
    assert f"{due.astimezone(BERLIN):%H:%M %Z}" in re.search(r"Your deadline: (.*)", held.text)[1]
    assert held.message["List-Id"] == f"<match-{duel.number}.games.example>"
    assert held.message["From"] == f"Toy #{duel.number} <play@games.example>"


def test_text_is_printable_and_every_mail_names_its_kind(duel, mailing):  # noqa: F811
    mailing.write("draw\nhelp", to=reply_to(turn_mail(mailing)))
    mailing.work()
    for mail in mailing.sink.messages:
        texts = [part for part in mail.message.walk() if part.get_content_maintype() == "text"]
        assert {part["Content-Transfer-Encoding"] for part in texts} == {"quoted-printable"}
        assert mail.raw.isascii()
        assert max(map(len, mail.raw.split(b"\r\n"))) < 200
        assert mail.message["List-Id"] == f"<match-{duel.number}.games.example>"
        assert re.fullmatch(rf"[a-z_]+:match-{duel.number}:games\.example", mail.message["Feedback-ID"])
        assert 'lang="en"' in mail.html


def test_a_mail_is_in_the_language_that_it_says(toy, anna, ben, mailing):  # noqa: F811
    verify(anna, ben)
    ben.language = "de"
    ben.save()
    match = opening.create_match(by=anna, game=toy)
    invitations.invite(by=anna, match=match, username="ben")
    invitations.invite(by=anna, match=match, address="cara@players.example")
    mailing.work()
    assert '<html lang="de" ' in mailing.last("ben@players.example").html
    assert '<html lang="en" ' in mailing.last("cara@players.example").html
