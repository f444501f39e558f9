"""Attacks by mail that no other test makes, and their results."""

from __future__ import annotations

import encodings
import logging
import random
from datetime import timedelta
from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils import timezone

from accounts.addresses import add_verified_address
from accounts.signing_in.adapter import AccountAdapter
from gamesvc.errors import TooMany
from gamesvc.matches import retention
from gamesvc.matches.lobby import invitations, opening
from notifications.inbound import addresses, pipeline, store
from notifications.inbound.proving.authentication import FAIL, Verdict
from notifications.models import InboundMail, MailStatus, Outbox
from notifications.parsing.cutting import Cut
from notifications.sending import delivery
from tests.mailing import mailing, verify  # noqa: F401
from tests.notifications.inbound.test_pipeline import letters, to  # noqa: F401

pytestmark = pytest.mark.django_db


def put(to, text, seconds):  # noqa: F811
    """Store a mail received this many seconds ago."""
    moment = timezone.now() - timedelta(seconds=seconds)
    raw = f"From: anna@players.example\r\nTo: {to}\r\nMessage-ID: <{uuid4()}@x.example>\r\n\r\n{text}\r\n".encode()
    row = addresses.resolve(to)
    return store.store(Cut(raw), address=row, envelope_from="anna@players.example", received_at=moment)


def test_mails_that_cross_are_worked_on_as_they_came(to, letters, mailing, anna):  # noqa: F811
    """Whichever worker is faster, and whichever hint comes first."""
    second = put(to, "second", 10)
    first = put(to, "first", 20)
    other = addresses.make("turn", key=uuid4(), user=anna, topic="another", expires_at=timezone.now() + timedelta(days=1))
    third = put(other, "elsewhere", 5)
    assert pipeline.work([second]) == 0
    [claimed] = store.claim(1)
    assert claimed.pk == first
    assert pipeline.work([second, third]) == 1  # the first is still being processed; another match does not wait for it
    assert pipeline.work_on(claimed)
    pipeline.work([second])
    assert [letter.text for letter in letters] == ["elsewhere", "first", "second"]


def test_a_random_order_of_workers_keeps_the_order_of_arrival(to, letters, mailing):  # noqa: F811
    rng = random.Random(2)
    ids = [put(to, f"mail {minute}", 60 * (20 - minute)) for minute in rng.sample(range(20), 20)]
    while InboundMail.objects.filter(status=MailStatus.WAITING).exists():
        pipeline.work(rng.sample(ids, 5))
    assert [letter.text for letter in letters] == [f"mail {minute}" for minute in range(20)]


def test_a_forged_sender_hears_nothing(to, letters, mailing, monkeypatch):  # noqa: F811
    """Backscatter: the owner of a forged address gets no mail from us."""
    monkeypatch.setattr("notifications.inbound.proving.trust.authenticate", lambda *_, **__: Verdict(FAIL, strict=True))
    mailing.write("move A1", to=to)
    mailing.write("move A1", to=to, sender="victim@elsewhere.example")
    mailing.work()
    assert [mail.error for mail in InboundMail.objects.all()] == ["spoofed", "spoofed"]
    assert letters == []
    assert mailing.sink.messages == []


def test_a_stranger_with_the_token_is_asked_about_at_the_owners_address(to, letters, mailing):  # noqa: F811
    mailing.write("move A1", to=to, sender="friend@elsewhere.example")
    mailing.work()
    assert letters == []
    assert mailing.sink.to("friend@elsewhere.example") == []
    assert "move A1" in mailing.last("anna@players.example").text


def test_revoked_addresses_are_dead_at_every_door(to, letters, mailing, anna):  # noqa: F811
    addresses.revoke_all(user=anna)
    assert addresses.resolve(to) is None


@pytest.mark.parametrize(
    "fields",
    [
        "Content-Type: text/plain; charset=idna",
        "Content-Type: text/plain; charset=undefined",
        "Content-Type: text/plain; charset=punycode",
        "Content-Type: text/plain; charset=a\x00b",
        "Content-Type: text/plain; charset*=utf-8''utf-8",
        "Content-Type: text/plain; charset*=\x00''utf-8",
        "Content-Type: text/plain; name*=idna''%ff",
        "Content-Type: text/plain; name*=a\x00b''%ff",
        "Content-Disposition: inline; filename*=undefined''%ff",
    ],
)
def test_a_charset_that_the_library_fails_at_is_decided_at_once(to, letters, mailing, fields):  # noqa: F811
    head = f"From: anna@players.example\r\nTo: {to}\r\nMIME-Version: 1.0\r\n{fields}\r\nContent-Transfer-Encoding: 8bit\r\n\r\n"
    mailing.deliver(head.encode() + b"move \xe4\r\n", to=to)
    mailing.work()
    mail = InboundMail.objects.get()
    assert mail.attempts == 1
    assert mail.status == (MailStatus.DONE if letters else MailStatus.REFUSED)
    assert len(letters) + len(mailing.sink.messages) == 1, "it is worked on, or its writer is told"


def test_unknown_charsets_are_not_kept_in_memory(to, letters, mailing):  # noqa: F811
    def names():
        return len(vars(encodings)["_cache"])

    mailing.write("move A1", to=to)
    mailing.work()
    before = names()
    parts = "".join(
        f"--b\r\nContent-Type: text/plain; charset=unknown-{at}\r\n\r\nmove A1\r\n--b\r\nContent-Type: image/png\r\n\r\nx\r\n"
        for at in range(40)
    )
    head = f"From: anna@players.example\r\nTo: {to}\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n"
    mailing.deliver(f"{head}{parts}--b--\r\n".encode(), to=to)
    mailing.work()
    assert len(letters) == 2
    assert names() - before < 5


@pytest.mark.parametrize(
    "message_id",
    ["<a@b>\r\n Bcc: victim@elsewhere.example", "<a\tb@c>", "<a@b>\u2028Bcc: x@y", "<" + "x" * 900 + "@y>", "no id at all"],
)
def test_nothing_of_a_message_id_becomes_a_header(to, mailing, message_id, anna):  # noqa: F811
    raw = f"From: anna@players.example\r\nTo: {to}\r\nMessage-ID: {message_id}\r\n\r\nmove A1\r\n".encode()
    store.store(Cut(raw), address=addresses.resolve(to), envelope_from="anna@players.example", received_at=timezone.now())
    mail = mailing.newest
    Outbox.objects.create(kind="mail_failed", user=anna, payload={"mail": str(mail.pk)})
    InboundMail.objects.update(status=MailStatus.FAILED)
    delivery.sweep()
    [answer] = mailing.sink.messages
    assert answer.message["Bcc"] is None
    assert answer.message["In-Reply-To"] in (None, "<a@b>")


@pytest.mark.parametrize(
    ("domain", "mailbox", "own", "peoples"),
    [
        (
            "reply.games.example",
            "",
            ["play@games.example", "turn+x@reply.games.example", "x@reply.games.example"],
            ["x@games.example"],
        ),
        (
            "games.example",
            "play",
            ["play@games.example", "Play+x@Games.example", "play=x@games.example"],
            ["player@games.example"],
        ),
        (
            "gmail.example",
            "club",
            ["club@gmail.example", "club+x@gmail.example"],
            ["anna@gmail.example", "clubber@gmail.example"],
        ),
        ("", "", ["play@games.example"], ["anna@games.example"]),
    ],
)
def test_our_own_addresses_are_nobodys_account_and_their_neighbours_are_peoples(settings, domain, mailbox, own, peoples):
    settings.DEFAULT_FROM_EMAIL = "Games <play@games.example>"
    settings.MAIL_DOMAIN, settings.REPLY_DOMAIN, settings.REPLY_MAILBOX = "games.example", domain, mailbox
    for address in own:
        with pytest.raises(ValidationError, match="belongs to this service"):
            AccountAdapter().clean_email(address)
    for address in peoples:
        assert AccountAdapter().clean_email(address) == address


@pytest.mark.parametrize("domain", ["games.example", "gmail.example"])
def test_who_shares_the_domain_of_our_mailbox_can_answer(letters, mailing, anna, settings, domain):  # noqa: F811
    settings.REPLY_DOMAIN, settings.REPLY_MAILBOX = domain, "play"
    add_verified_address(anna, f"anna@{domain}")
    address = addresses.make("turn", key=uuid4(), user=anna, topic="m", expires_at=timezone.now() + timedelta(days=1))
    mailing.write("move A1", to=address, sender=f"anna@{domain}")
    mailing.write("move B2", to=address, sender=f"play+x@{domain}")
    mailing.work()
    assert [letter.text for letter in letters] == ["move A1"]
    assert sorted(InboundMail.objects.values_list("error", flat=True)) == ["", "our_own"]


def test_an_address_is_not_bombed_with_invitations(toy, anna, player, mailing):  # noqa: F811
    match = opening.create_match(by=anna, game=toy, entry="invited")
    for _ in range(5):
        invitations.invite(by=anna, match=match, address="victim@elsewhere.example")
    for _ in range(95):
        with pytest.raises(TooMany):
            invitations.invite(by=anna, match=match, address="Victim@elsewhere.example")
    mailing.work()
    assert len(mailing.sink.to("victim@elsewhere.example")) == 5


def test_link_scanners_confirm_nothing(to, letters, mailing, client):  # noqa: F811
    mailing.write("move A1", to=to, sender="friend@elsewhere.example")
    mailing.work()
    token = addresses.token_of(str(mailing.last("anna@players.example").message["Reply-To"]))
    for method in ("get", "head"):
        assert getattr(client, method)(f"/mail/confirm/{token}").status_code == 200
    pipeline.work()
    assert letters == []
    assert Client(enforce_csrf_checks=True).post(f"/mail/confirm/{token}").status_code == 200
    pipeline.work()
    assert len(letters) == 1


def test_no_log_holds_what_makes_an_address_work(to, letters, mailing, caplog):  # noqa: F811
    caplog.set_level(logging.DEBUG)
    mailing.write("move A1", to=to)
    mailing.write("move A1", to=to, sender="friend@elsewhere.example")
    mailing.write("move A1", to=to, Auto_Submitted="auto-replied")
    mailing.work()
    token = addresses.token_of(to)
    assert caplog.records
    assert token not in caplog.text.lower()
    assert "move A1" not in caplog.text


def test_the_raw_mail_of_an_attack_is_kept_for_a_month_and_no_longer(to, letters, mailing):  # noqa: F811
    put(to, "<script>alert(1)</script>", 31 * 86_400)
    pipeline.work()
    retention.forget()
    assert InboundMail.objects.count() == 0
