"""What stays of mails that are settled: enough to look into a complaint, and never so much that a few senders fill the disk."""

from __future__ import annotations

import random
from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from notifications.inbound import addresses, store
from notifications.inbound.doors import rates
from notifications.inbound.proving.authentication import NONE, PASS, Verdict
from notifications.models import InboundMail, MailStatus
from tests.mailing import fresh_id, mailing, verify  # noqa: F401
from tests.notifications.inbound.test_pipeline import letters, said, to  # noqa: F401

pytestmark = pytest.mark.django_db


def large(seed: int) -> str:
    """Return an order with 900 kB below it that nothing compresses."""
    return "move A1\nEND\n" + "".join(f"{line}\n" for line in random.Random(seed).randbytes(450_000).hex(" ", 30).split())


@pytest.mark.parametrize("status", [MailStatus.DONE, MailStatus.REFUSED])
def test_the_beginning_of_a_settled_mail_is_kept(to, mailing, letters, monkeypatch, status):  # noqa: F811
    said(monkeypatch, Verdict(PASS))
    marks = {"Precedence": "bulk"} if status == MailStatus.REFUSED else {}
    mailing.write(large(1), to=to, **marks)
    mailing.work()
    row = InboundMail.objects.get()
    assert row.status == status
    assert len(row.raw) <= store.KEPT_OF_DONE
    assert b"move A1" in bytes(row.raw)


def test_a_held_mail_is_kept_whole_as_long_as_it_can_be_confirmed(to, mailing, letters, monkeypatch, client):  # noqa: F811
    monkeypatch.setattr("notifications.inbound.held.QUESTIONS_A_DAY", 2)
    said(monkeypatch, Verdict(NONE))
    for seed in range(6):
        mailing.write(large(seed), to=to, message_id=fresh_id())
        mailing.work()
    kept = sorted(len(raw) for raw in InboundMail.objects.filter(status=MailStatus.HELD).values_list("raw", flat=True))
    assert [size > 900_000 for size in kept] == [False] * 3 + [True] * 3
    assert kept[2] <= store.KEPT_OF_DONE
    for asked in [mail for mail in mailing.sink.messages if "/mail/confirm/" in mail.text]:
        path = "/mail/confirm/" + asked.text.partition("/mail/confirm/")[2].split()[0]
        assert client.post(path).status_code == 200
    mailing.work()
    assert [letter.text for letter in letters] == ["move A1\nEND"] * 3
    assert all(len(raw) <= store.KEPT_OF_DONE for raw in InboundMail.objects.values_list("raw", flat=True))


def test_the_unproved_mails_to_all_addresses_of_a_player_are_limited_together(anna, settings, mailing):  # noqa: F811
    verify(anna)
    settings.INBOUND_MAILS_PER_ADDRESS, settings.INBOUND_MAILS_PER_USER = 2, 3
    expires_at = timezone.now() + timedelta(days=1)
    taken = 0
    for _ in range(10):
        address = addresses.resolve(addresses.make("turn", key=uuid4(), user=anna, topic="m", expires_at=expires_at))
        for _ in range(10):
            try:
                rates.check(address, "x@evil.example")
            except rates.TooMuchMail:
                break
            taken += 1
    assert taken == rates.FORGED * 3
