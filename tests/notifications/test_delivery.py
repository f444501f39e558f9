"""Sending through real SMTP: exactly once, despite refusals, outages, deaths and competing senders."""

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
import time_machine
from anymail.exceptions import AnymailAPIError, AnymailRecipientsRefused
from django.conf import settings
from django.core.mail.backends.base import BaseEmailBackend
from django.db import DatabaseError, connection
from django.utils import timezone, translation

from accounts.models import User
from gamesvc.time_limits import TimeIsUp
from notifications.models import Outbox, Status
from notifications.outbox import Notice, notify
from notifications.registry import Message
from notifications.sending import claims, delivery, patience
from notifications.sending.delivery import Outcome
from notifications.tasks import send_due, send_soon
from tests.notifications.conftest import make_user
from tests.racing import at_once


def queue(user, kind="your_turn", **fields):
    notice = Notice(kind, user_id=user.pk, **fields)
    notify(notice)
    return notice.id


def row_of(identity):
    return Outbox.objects.get(pk=identity)


def later(**delta):
    return time_machine.travel(datetime.now(UTC) + timedelta(**delta), tick=True)


def test_a_due_notice_is_sent_and_marked(sink, turns, ann):
    identity = queue(ann)
    assert send_due() == 1
    row = row_of(identity)
    assert (row.status, row.attempts, row.error, row.claimed_until) == (Status.SENT, 1, "", None)
    assert row.sent_at is not None
    (caught,) = sink.messages
    assert caught.recipients == ("ann@players.example",)
    assert caught.message["Message-ID"] == row.message_id
    assert send_due() == 0
    assert len(sink.messages) == 1


def test_the_receivers_take_turns(sink, turns, ann, monkeypatch):
    monkeypatch.setattr(delivery, "BATCH", 3)
    for _ in range(40):
        queue(ann)
    other = make_user("cleo")
    queue(other)
    queue(other)
    assert send_due() == 42
    to = [caught.recipients[0].partition("@")[0] for caught in sink.messages]
    assert [at for at, name in enumerate(to) if name == "cleo"] == [1, 4]


def test_not_before_it_is_due(sink, turns, ann):
    identity = queue(ann, due_at=timezone.now() + timedelta(hours=1))
    assert send_due() == 0
    assert send_soon([str(identity)]) == 0
    with later(hours=2):
        assert send_due() == 1


def test_the_hint_sends_only_its_own(sink, turns, ann):
    first, second = queue(ann), queue(ann)
    assert send_soon([str(second)]) == 1
    assert (row_of(first).status, row_of(second).status) == (Status.QUEUED, Status.SENT)
    assert send_soon([str(second)]) == 0


def test_what_no_longer_holds_is_dropped(sink, turns, ann):
    identity = queue(ann)
    turns.still = False
    send_due()
    assert row_of(identity).status == Status.DROPPED
    assert sink.messages == []


def test_worded_in_the_receivers_language_and_zone(sink, turns, db, monkeypatch):
    bea = make_user("bea", language="de", timezone="Europe/Berlin")
    seen = []
    identity = queue(bea)

    def renderer(row):
        seen.append((translation.get_language(), timezone.get_current_timezone_name()))
        return Message("Am Zug", "Nimm Steine.")

    monkeypatch.setattr(turns, "message", None)
    monkeypatch.setattr(type(turns), "__call__", lambda self, row: renderer(row))
    send_due()
    assert row_of(identity).status == Status.SENT
    assert seen == [("de", "Europe/Berlin")]


def test_a_fault_in_one_wording_stops_no_other(sink, turns, ann):
    turns.fault = KeyError("seat")
    broken = queue(ann)
    assert send_due() == 0
    turns.fault = None
    good = queue(ann)
    assert send_due() == 1
    assert row_of(good).status == Status.SENT
    row = row_of(broken)
    assert (row.status, row.error) == (Status.QUEUED, "KeyError: 'seat'")
    with later(minutes=1):
        assert send_due() == 1
    assert (row_of(broken).status, row_of(broken).attempts) == (Status.SENT, 2)


def test_an_unknown_kind_waits_for_the_app_that_knows_it(sink, turns, ann):
    identity = queue(ann, kind="webhook")
    send_due()
    assert (row_of(identity).status, "webhook" in row_of(identity).error) == (Status.QUEUED, True)


def test_a_refused_receiver_fails_at_once_with_the_reason(sink, turns, ann):
    bob = make_user("bob")
    sink.refuse_recipient = lambda address: "550 5.1.1 no such user" if address.startswith("ann") else None
    refused, taken = queue(ann), queue(bob)
    assert send_due() == 1
    assert (row_of(refused).status, row_of(taken).status) == (Status.FAILED, Status.SENT)
    assert row_of(refused).error == "refused with 550: 5.1.1 no such user"


def test_a_refused_mail_fails_at_once(sink, turns, ann):
    sink.refuse_mail = lambda raw: "554 5.7.1 not wanted here"
    identity = queue(ann)
    send_due()
    assert (row_of(identity).status, row_of(identity).error) == (Status.FAILED, "refused with 554: 5.7.1 not wanted here")


@pytest.mark.parametrize("reply", ["451 4.3.0 try later", "421 4.7.0 too many of you", "530 5.7.0 sign in first"])
def test_a_refusal_for_now_is_tried_again(sink, turns, ann, reply):
    sink.refuse_recipient = lambda address: reply
    identity = queue(ann)
    assert send_due() == 0
    row = row_of(identity)
    assert (row.status, row.attempts, reply[:3] in row.error) == (Status.QUEUED, 1, True)
    assert send_due() == 0, "not before its pause is over"
    sink.refuse_recipient = lambda address: None
    with later(minutes=1):
        assert send_due() == 1


def test_server_down_then_up(sink, turns, ann):
    rows = [queue(ann) for _ in range(3)]
    sink.stop()
    assert send_due() == 0
    assert [row_of(identity).attempts for identity in rows] == [1, 0, 0], "one try tells enough of a server that is away"
    assert "cannot be reached" in row_of(rows[0]).error
    sink.start()
    assert send_due() == 2
    with later(minutes=1):
        assert send_due() == 1
    assert [row_of(identity).status for identity in rows] == [Status.SENT] * 3
    assert len(sink.messages) == 3


def test_a_server_that_answers_late_gets_a_mail_once(sink, turns, ann, settings):
    settings.EMAIL_TIMEOUT = 0.5
    sink.refuse_mail = lambda raw: time.sleep(1)
    identity = queue(ann)
    assert send_due() == 1
    assert row_of(identity).status == Status.SENT
    assert len(sink.messages) == 1


def test_a_server_that_takes_mails_without_an_answer_gets_few_copies(sink, turns, ann, monkeypatch):
    """Whether it has taken one nobody knows: the receiver should get it at last, but not every half hour for five days."""
    monkeypatch.setattr(patience, "ANSWER_SECONDS", 0.05)
    sink.refuse_mail = lambda raw: time.sleep(0.2)
    identity = queue(ann)
    tries = []
    for _ in range(300):
        with time_machine.travel(row_of(identity).claimed_until or timezone.now(), tick=True):
            send_due()
            tries.append(timezone.now())
        if row_of(identity).status != Status.QUEUED:
            break
    assert row_of(identity).status == Status.FAILED
    assert sum(one < tries[0] + timedelta(hours=1) for one in tries) <= 8
    assert len(tries) < 60


def test_given_up_after_days(sink, turns, ann):
    sink.refuse_recipient = lambda address: "451 4.3.0 try later"
    identity = queue(ann)
    send_due()
    with later(days=4):
        send_due()
        assert row_of(identity).status == Status.QUEUED
    with later(days=6):
        send_due()
    assert (row_of(identity).status, row_of(identity).error) == (Status.FAILED, "refused with 451: 4.3.0 try later")


def test_a_notice_that_kills_its_workers_is_given_up(sink, turns, ann):
    identity = queue(ann)
    Outbox.objects.update(attempts=delivery.MOST_ATTEMPTS)
    send_due()
    assert (row_of(identity).status, turns.asked) == (Status.FAILED, [])


def test_a_notice_that_kills_its_workers_takes_no_other_with_it(sink, turns, ann):
    class Killed(BaseException):
        pass

    poisoned, good = queue(ann, due_at=timezone.now() - timedelta(hours=1)), queue(ann)
    for _ in range(3):
        turns.fault = Killed()
        with pytest.raises(Killed):
            send_due()
        Outbox.objects.update(claimed_until=None)
    assert (row_of(poisoned).attempts, row_of(good).attempts) == (3, 0)


def test_a_notice_that_takes_all_the_time_of_its_task_lets_others_go_first(sink, turns, ann):
    slow, good = queue(ann, due_at=timezone.now() - timedelta(hours=1)), queue(ann)
    turns.fault = TimeIsUp()
    with pytest.raises(TimeIsUp):
        send_due()
    turns.fault = None
    assert send_due() == 1
    assert (row_of(slow).status, row_of(good).status) == (Status.QUEUED, Status.SENT)
    assert row_of(slow).error == "the time of the task was over"
    with later(minutes=1):
        assert send_due() == 1


def test_one_sweep_at_a_time(committed, sink, turns):
    queue(make_user())
    inside, leave = threading.Event(), threading.Event()

    def other():
        with claims.only_sweeper() as alone:
            assert alone
            inside.set()
            leave.wait(10)
        connection.close()

    thread = threading.Thread(target=other)
    thread.start()
    assert inside.wait(10)
    assert send_due() == 0
    leave.set()
    thread.join()
    assert send_due() == 1


class Provider(BaseEmailBackend):
    """A provider's backend, like those of django-anymail, that answers with an error."""

    answer: Exception

    def send_messages(self, email_messages):
        raise self.answer


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (AnymailRecipientsRefused("not a customer's address"), Status.FAILED),
        (AnymailAPIError("busy"), Status.QUEUED),
        (ConnectionResetError("hung up"), Status.QUEUED),
    ],
)
def test_providers(sink, turns, ann, settings, monkeypatch, answer, status):
    settings.EMAIL_BACKEND = f"{__name__}.Provider"
    monkeypatch.setattr(Provider, "answer", answer, raising=False)
    identity = queue(ann)
    assert send_due() == 0
    assert (row_of(identity).status, str(answer) in row_of(identity).error) == (status, True)


def test_pauses_grow_to_a_limit():
    pauses = [delivery.pause(attempts) for attempts in range(1, 12)]
    assert pauses[0] <= timedelta(seconds=10) < pauses[4]
    assert all(one <= delivery.LONGEST_PAUSE for one in pauses)
    assert delivery.pause(500) <= delivery.LONGEST_PAUSE


@pytest.mark.parametrize("state", ["inactive", "unverified", "gone"])
def test_nobody_to_write_to(sink, turns, ann, state):
    identity = queue(ann)
    if state == "inactive":
        User.objects.update(is_active=False)
    elif state == "unverified":
        ann.emailaddress_set.update(verified=False)
    else:
        Outbox.objects.update(user_id=ann.pk + 1000)
    send_due()
    assert row_of(identity).status == Status.DROPPED
    assert sink.messages == []


def test_a_stranger_gets_their_invitation(sink, turns, db):
    notify(Notice("your_turn", address="Bob@Players.example"))
    assert send_due() == 1
    assert sink.messages[0].recipients == ("Bob@Players.example",)


def test_an_address_that_is_none_fails(sink, turns, db):
    Outbox.objects.create(kind="your_turn", address="@")
    assert send_due() == 0
    row = Outbox.objects.get()
    assert (row.status, "cannot be used" in row.error) == (Status.FAILED, True)


def test_a_worker_killed_between_claim_and_send(committed, sink, turns):
    identity = queue(make_user())
    script = textwrap.dedent(f"""
        import os, signal, django
        from django.conf import settings
        settings.DATABASES["default"]["NAME"] = {connection.settings_dict["NAME"]!r}
        django.setup()
        from notifications.sending import claims
        (row,) = claims.claim(5, 60)
        assert claims.begin(row, lease_seconds=60)
        os.kill(os.getpid(), signal.SIGKILL)
    """)
    killed = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False, env=os.environ
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    fixed = row_of(identity).message_id
    assert fixed
    assert send_due() == 0, "the dead worker's lease still runs"
    with later(seconds=61):
        assert send_due() == 1
    assert [caught.message["Message-ID"] for caught in sink.messages] == [fixed]


def test_a_worker_killed_between_send_and_mark(sink, turns, ann, monkeypatch):
    identity = queue(ann)
    with monkeypatch.context() as patch:
        patch.setattr(claims, "settle_sent", lambda *_, **__: sys.exit(1))
        with pytest.raises(SystemExit):
            send_due()
    with later(hours=1):
        assert send_due() == 1
    first, second = sink.messages
    for name in ("Message-ID", "Date", "Subject"):
        assert first.message[name] == second.message[name]
    assert row_of(identity).status == Status.SENT


def test_a_sender_that_lost_its_lease_sends_nothing(sink, turns, ann):
    identity = queue(ann)
    (sleeper,) = claims.claim(1, 60)
    with later(seconds=61):
        (rival,) = claims.claim(1, 60)
        assert delivery.deliver(sleeper) is Outcome.LOST
        assert delivery.deliver(rival) is Outcome.SENT
        assert delivery.deliver(sleeper) is Outcome.LOST
    assert len(sink.messages) == 1
    assert row_of(identity).attempts == 1


def test_two_senders_racing_send_each_once(committed, sink, turns, monkeypatch):
    monkeypatch.setattr(delivery, "BATCH", 3)
    users = [make_user(f"user{number}") for number in range(5)]
    for number in range(40):
        queue(users[number % 5], topic=f"match-{number % 2}")
    sent = at_once(*[delivery.sweep] * 2)
    assert sum(sent) == 40
    assert Outbox.objects.filter(status=Status.SENT).count() == 40
    ids = [caught.message["Message-ID"] for caught in sink.messages]
    assert len(ids) == len(set(ids)) == 40
    roots = [caught for caught in sink.messages if caught.message["In-Reply-To"] is None]
    assert len(roots) == 10, "one thread for each of five people and two matches"


def test_a_locked_row_of_one_receiver_has_no_mail_of_another_sent_twice(committed, sink, turns):
    """Some other session holds the row while the result of its mail is to be recorded with those of others."""
    users = [make_user(name) for name in ("ann", "ben", "cleo")]
    first, *others = [queue(user) for user in users]
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '200ms'")
    with psycopg.connect(settings.DATABASE_OWNER_URL, dbname=connection.settings_dict["NAME"]) as other:

        def lock(raw):
            if b"cleo@" in raw:
                other.execute("SELECT FROM notifications_outbox WHERE id = %s FOR UPDATE", [first])

        sink.refuse_mail = lock
        with contextlib.suppress(DatabaseError):
            send_due()
        other.rollback()
    with connection.cursor() as cursor:
        cursor.execute("RESET lock_timeout")
    assert [row_of(one).status for one in others] == [Status.SENT, Status.SENT]
    with later(minutes=5):
        send_due()
    assert sorted(caught.recipients[0] for caught in sink.messages) == [
        *["ann@players.example"] * 2,
        "ben@players.example",
        "cleo@players.example",
    ]
