"""Invitations answered by mail: with and without an account, forwarded, declined, processed twice."""

from __future__ import annotations

import pytest

from accounts.addresses import user_of_address, verified_addresses
from accounts.models import User
from gamesvc.matches.lobby import invitations, opening
from gamesvc.matches.models import Invitation, Match
from notifications.inbound import pipeline
from notifications.inbound.proving.authentication import NONE, Verdict
from notifications.models import InboundMail, MailStatus, Outbox
from tests.mailing import mailing, verify  # noqa: F401

pytestmark = pytest.mark.django_db
CARA = "cara@players.example"


@pytest.fixture
def match(toy, anna, mailing):  # noqa: F811
    verify(anna)
    return opening.create_match(by=anna, game=toy, entry="invited")


def asked(mailing, address):  # noqa: F811
    mailing.work()
    return next(mail for mail in reversed(mailing.sink.to(address)) if mail.message["X-Game-Reason"] == "invitation")


def flat(caught) -> str:
    return " ".join(caught.text.split())


def to(caught) -> str:
    return str(caught.message["Reply-To"])


def test_a_user_joins_by_one_word(match, anna, ben, mailing):  # noqa: F811
    verify(ben)
    invitations.invite(by=anna, match=match, username="ben")
    invitation = asked(mailing, "ben@players.example")
    assert "To take a seat, answer this mail" in flat(invitation)
    assert "join" in flat(invitation)
    mailing.write("join\n\nBen", to=to(invitation), sender="ben@players.example")
    mailing.work()
    match.refresh_from_db()
    assert match.status == Match.Status.RUNNING
    receipt = mailing.last("ben@players.example", "You have a seat")
    assert "You are ben and hold seat 2." in receipt.text
    assert receipt.message["Auto-Submitted"] == "auto-replied"
    assert receipt.message["Reply-To"] is None


def test_a_stranger_without_an_account_plays_without_ever_opening_a_page(match, anna, mailing):  # noqa: F811
    invitations.invite(by=anna, match=match, address=CARA)
    invitation = asked(mailing, CARA)
    mailing.write("join", to=to(invitation), sender=CARA)
    mailing.work()
    answer = mailing.last(CARA, "no seat yet")
    assert "join NAME" in answer.text
    for name, fault in (("root", "not"), ("ANNA", "exists"), ("c", "at least 2"), ("a/b", "letters")):
        mailing.write(f"join {name}", to=to(mailing.last(CARA)), sender=CARA)
        mailing.work()
        assert fault in flat(mailing.last(CARA, "no seat yet"))
    assert User.objects.count() == 1
    mailing.write("join cara", to=to(mailing.last(CARA)), sender=CARA)
    mailing.work()
    cara = User.objects.get(username="cara")
    assert verified_addresses(cara) == [CARA]
    assert not cara.has_usable_password()
    match.refresh_from_db()
    assert match.status == Match.Status.RUNNING
    assert "You are cara and hold seat 2." in flat(mailing.last(CARA, "You have a seat"))
    assert "cara@" not in "".join(mail.raw.decode() for mail in mailing.sink.to("anna@players.example"))


def test_a_forwarded_invitation_seats_nobody_else(match, anna, mailing, monkeypatch):  # noqa: F811
    """Dora got it from Cara: Dora's mail is held, and Cara is asked."""
    invitations.invite(by=anna, match=match, address=CARA)
    invitation = asked(mailing, CARA)
    mailing.write("join dora", to=to(invitation), sender="dora@players.example")
    mailing.work()
    assert mailing.newest.status == MailStatus.HELD
    assert mailing.sink.to("dora@players.example") == []
    question = mailing.last(CARA, "Are these orders yours?")
    assert "join dora" in question.text
    mailing.write("yes", to=to(question), sender=CARA)
    mailing.work()
    assert user_of_address(CARA).username == "dora"
    assert user_of_address("dora@players.example") is None


def test_what_is_not_proved_is_held(match, anna, mailing, monkeypatch):  # noqa: F811
    invitations.invite(by=anna, match=match, address=CARA)
    invitation = asked(mailing, CARA)
    monkeypatch.setattr("notifications.inbound.proving.trust.authenticate", lambda *_, **__: Verdict(NONE))
    mailing.write("join cara", to=to(invitation), sender=CARA)
    mailing.work()
    assert User.objects.count() == 1
    assert InboundMail.objects.get().status == MailStatus.HELD


def test_declining_by_mail(match, anna, ben, mailing):  # noqa: F811
    verify(ben)
    invitations.invite(by=anna, match=match, username="ben")
    invitation = asked(mailing, "ben@players.example")
    mailing.write("No.", to=to(invitation), sender="ben@players.example")
    mailing.work()
    assert Invitation.objects.get().declined_at is not None
    assert "You have declined" in mailing.last("ben@players.example").subject
    mailing.write("join", to=to(invitation), sender="ben@players.example")
    mailing.work()
    assert "does not exist or has been used" in flat(mailing.last("ben@players.example"))
    match.refresh_from_db()
    assert match.status == Match.Status.OPEN


def test_anything_else_is_answered_with_the_two_words(match, anna, ben, mailing):  # noqa: F811
    verify(ben)
    invitations.invite(by=anna, match=match, username="ben")
    mailing.write("What is this?", to=to(asked(mailing, "ben@players.example")), sender="ben@players.example")
    mailing.work()
    answer = mailing.last("ben@players.example", "could not be read")
    assert "join or decline" in answer.text
    mailing.write("join", to=to(answer), sender="ben@players.example")
    mailing.work()
    match.refresh_from_db()
    assert match.status == Match.Status.RUNNING


def test_a_worker_that_dies_makes_one_account_and_one_seat(match, anna, mailing, monkeypatch):  # noqa: F811
    invitations.invite(by=anna, match=match, address=CARA)
    invitation = asked(mailing, CARA)
    mailing.write("join cara", to=to(invitation), sender=CARA)
    with monkeypatch.context() as patch:

        def dies(*_a, **_k):
            raise MemoryError

        patch.setattr("notifications.inbound.store.settle", dies)
        pipeline.work()
    assert mailing.newest.status == MailStatus.WAITING
    InboundMail.objects.update(claimed_until=None)
    mailing.work()
    assert User.objects.filter(username="cara").count() == 1
    assert Outbox.objects.filter(kind="joined").count() == 1
    assert "You have a seat" in mailing.last(CARA, "seat").subject


def test_a_full_match_says_so(match, anna, ben, player, mailing):  # noqa: F811
    verify(ben)
    invitations.invite(by=anna, match=match, username="ben")
    invitation = asked(mailing, "ben@players.example")
    opening.join_match(by=player("cara"), match=match, link=match.link_token)
    mailing.write("join", to=to(invitation), sender="ben@players.example")
    mailing.work()
    assert "You have no seat" in mailing.last("ben@players.example", "no seat").subject
