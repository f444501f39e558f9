"""Leases: renewed while work goes on, short if the worker is gone, and never taken back from another worker."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import timedelta
from uuid import uuid4

import pytest
from django.apps import apps
from django.db import connection, transaction
from django.utils import timezone

from gamesvc.matches.timekeeping import outages, timeout_sweep
from notifications import leases
from notifications.inbound import addresses, store
from notifications.inbound.doors import imap
from notifications.models import MailStatus, Outbox, Status
from notifications.other_channels import transfers
from notifications.outbox import Notice, notify
from notifications.parsing.cutting import Cut
from notifications.sending import claims


def queue(user) -> None:
    with transaction.atomic():
        notify(Notice("your_turn", user.pk, due_at=timezone.now() - timedelta(seconds=1)))


def eventually(condition: Callable[[], object]) -> None:
    until = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


def until(row: Outbox):
    return Outbox.objects.values_list("claimed_until", flat=True).get(pk=row.pk)


def test_every_lease_is_short():
    assert timedelta(seconds=timeout_sweep.LEASE_SECONDS) <= timedelta(seconds=5)
    assert timedelta(seconds=5) >= outages.LEASE
    assert timedelta(seconds=claims.LEASE_SECONDS) <= timedelta(seconds=30)
    assert timedelta(seconds=store.LEASE_SECONDS) <= timedelta(seconds=30)
    assert timedelta(seconds=30) >= transfers.LEASE
    assert timedelta(seconds=30) >= imap.LEASE
    # A new table with leases belongs on this list.
    leased = {model.__name__ for model in apps.get_models() if any(f.name == "claimed_until" for f in model._meta.fields)}
    assert leased == {"Question", "Outage", "Outbox", "InboundMail", "Handover", "Mailbox", "WebhookDelivery"}


@pytest.mark.django_db(transaction=True)
def test_a_lease_goes_on_while_its_worker_does_and_its_row_can_still_be_settled(ann):
    queue(ann)
    [row] = claims.claim(5, lease_seconds=0)
    with leases.kept([row], Outbox, 0.3):
        first = until(row)
        eventually(lambda: until(row) > first)
        second = until(row)
        eventually(lambda: until(row) > second)
        assert claims.claim(5) == []
        assert claims.begin(row, lease_seconds=1)
        third = until(row)
        eventually(lambda: until(row) != third)
        assert claims.settle(row, Status.SENT)
    assert until(row) is None
    assert not [thread for thread in threading.enumerate() if thread.name == "lease"]


@pytest.mark.django_db(transaction=True)
def test_a_row_that_another_worker_has_is_not_taken_back(ann):
    queue(ann)
    [row] = claims.claim(5)
    theirs = timezone.now() + timedelta(days=1)
    Outbox.objects.update(claimed_until=theirs)
    turns = threading.Semaphore(0)
    with leases.kept([row], Outbox, 0.06), leases.repeating(turns.release, 0.06):
        for _ in range(5):
            assert turns.acquire(timeout=30)
    assert until(row) == theirs
    assert not claims.settle(row, Status.SENT)


@pytest.mark.django_db(transaction=True)
def test_a_transaction_of_the_worker_and_the_renewal_do_not_wait_for_each_other(ann):
    queue(ann)
    queue(ann)
    rows = claims.claim(5)
    turns = threading.Semaphore(0)
    with leases.kept(rows, Outbox, 0.06), leases.repeating(turns.release, 0.06):
        with transaction.atomic():
            assert claims.count(rows[0])
            for _ in range(3):
                assert turns.acquire(timeout=30)
            assert claims.count(rows[1])
            assert claims.settle(rows[0], Status.SENT)
        assert claims.settle(rows[1], Status.SENT)
    assert set(Outbox.objects.values_list("status", flat=True)) == {Status.SENT}


def waits(step: Callable[[], object]) -> str:
    """Return whether the commit of a step waits for the disk: on or off."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL synchronous_commit = on")
        assert step(), "the step did nothing"
        cursor.execute("SHOW synchronous_commit")
        return str(cursor.fetchone()[0])


def test_a_mail_is_not_handed_over_before_all_about_it_lasts(ann, settings):
    settings.REPLY_DOMAIN = "reply.example"
    queue(ann)
    rows = []
    assert waits(lambda: rows.extend(claims.claim(5)) or rows) == "off"
    [row] = rows
    assert waits(lambda: claims.count(row)) == "off"
    assert waits(lambda: addresses.make("turn", key=row.pk, user=ann, expires_at=timezone.now())) == "off"
    assert waits(lambda: claims.begin(row)) == "on", "from here on the mail server may have it, and an answer may come"
    assert waits(lambda: claims.settle_sent({row.pk: (row, timezone.now())})) == "on"


def test_what_a_mail_in_repeats_after_a_crash_does_not_wait_for_the_disk(ann, settings):
    settings.REPLY_DOMAIN = "reply.example"
    made = addresses.make("turn", key=uuid4(), user=ann, expires_at=timezone.now() + timedelta(days=1))
    address, cut = addresses.resolve(made), Cut(b"Subject: Re: Your turn\r\n\r\npass\r\n")
    store_it = lambda: store.store(cut, address=address, envelope_from="", received_at=timezone.now())  # noqa: E731
    assert waits(store_it) == "on", "its sender's server is told that it was taken"
    mails = []
    assert waits(lambda: mails.extend(store.claim(5)) or mails) == "off"
    [mail] = mails
    assert waits(lambda: store.begin(mail)) == "off"
    assert waits(lambda: store.settle(mail, MailStatus.DONE)) == "off"
