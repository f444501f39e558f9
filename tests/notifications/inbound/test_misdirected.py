"""A player's own signed mail, sent by others to a leaked reply address: it is held, and the player is asked."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace
from uuid import uuid4

import pytest
from django.utils import timezone

from notifications.inbound import addresses, purposes
from notifications.inbound.proving import names
from notifications.inbound.purposes import Handled
from notifications.models import InboundMail, MailStatus
from tests.mailing import mailing, verify  # noqa: F401
from tests.notifications.inbound.signing import signed
from tests.notifications.inbound.test_slow_names import Resolver

pytestmark = pytest.mark.django_db


@pytest.fixture
def letters(monkeypatch, settings, mailing):  # noqa: F811
    """The texts that reach the handler, with signatures checked here."""
    settings.INBOUND_AUTH = "own"
    resolver = Resolver("players.example")
    monkeypatch.setattr(names, "resolve", resolver.resolve)
    monkeypatch.setattr(names, "time", SimpleNamespace(monotonic=lambda: resolver.now))
    got = []
    monkeypatch.setattr(purposes, "_handlers", {})
    purposes.register("turn", lambda letter: got.append(letter.text) or Handled({}))
    return got


@pytest.fixture
def to(anna, letters):
    verify(anna)
    return address_of(anna)


def address_of(user):
    return addresses.make("turn", key=uuid4(), user=user, topic=str(uuid4()), expires_at=timezone.now() + timedelta(days=1))


def mail(*headers: str) -> bytes:
    """Return a mail of anna's with these headers, signed by her domain."""
    lines = ["From: Anna <anna@players.example>", *headers, "Subject: Re", f"Message-ID: <{uuid4()}@players.example>"]
    return signed("\r\n".join([*lines, "", "move A1", ""]).encode(), "players.example")


def outcome(mailing, raw, to, before=b""):  # noqa: F811
    mailing.deliver(before + raw, to=to)
    mailing.work()
    return mailing.newest.status, mailing.newest.error.partition(":")[0]


def asked(mailing):  # noqa: F811
    return [notice for notice in mailing.sink.to("anna@players.example") if "Are these orders yours?" in notice.subject]


@pytest.mark.parametrize(
    "headers",
    [
        ["To: {to}"],
        ["To: <{TO}>"],
        ['To: "Stones #42" <{to}>'],
        ["To: =?utf-8?q?Spiel_=C3=BC?=\r\n <{to}>"],
        ["To: friend@elsewhere.example, {to}"],
        ["To: {to}", "Cc: friend@elsewhere.example"],
        ["To: {plus}"],
    ],
)
def test_what_mail_programs_write_when_they_answer_is_worked_on(mailing, to, letters, headers):  # noqa: F811
    plus = f"play+{addresses.token_of(to)}@reply.games.example"
    raw = mail(*(line.format(to=to, TO=to.upper(), plus=plus) for line in headers))
    assert outcome(mailing, raw, to) == (MailStatus.DONE, "")
    assert letters == ["move A1"]
    assert asked(mailing) == []


@pytest.mark.parametrize(
    ("headers", "before"),
    [
        (["To: friend@elsewhere.example"], ""),
        (["To: friend@elsewhere.example"], "Delivered-To: {to}\r\n"),
        (["To: friend@elsewhere.example"], "X-Original-To: {to}\r\nCc: {to}\r\n"),
        (["To: friend@elsewhere.example"], "To: {to}\r\n"),
        (["To: friend@elsewhere.example", "Cc: {to}"], ""),
        (["To: {other}"], ""),
        (["To: undisclosed-recipients:;"], ""),
        ([], ""),
    ],
)
def test_what_names_another_receiver_is_held_and_worked_on_once_confirmed(mailing, to, letters, anna, client, headers, before):  # noqa: F811
    other = address_of(anna)
    raw = mail(*(line.format(to=to, other=other) for line in headers))
    # Two To lines are an authentication failure of their own; either way the mail is held.
    status, reason = outcome(mailing, raw, to, before.format(to=to).encode())
    assert status == MailStatus.HELD
    assert reason in ("misdirected", "unproved")
    assert letters == []
    [question] = asked(mailing)
    assert "may have been passed on by others" in " ".join(question.text.split())
    link = next(word for word in question.text.split() if "/mail/confirm/" in word)
    assert client.post("/" + link.partition("//")[2].partition("/")[2]).status_code == 200
    mailing.work()
    assert letters == ["move A1"]
    assert not InboundMail.objects.filter(status=MailStatus.HELD).exists()
