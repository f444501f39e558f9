"""Queueing: in the caller's transaction, as a statement beside the append, with a hint that may be lost."""

import multiprocessing
import socket
import time
import uuid
from datetime import UTC, datetime, timedelta

import pytest
from celery import current_app
from django.db import IntegrityError, connection, transaction
from kombu.exceptions import OperationalError

from notifications import hints, outbox
from notifications.hints import publish
from notifications.models import Outbox, Status
from notifications.outbox import Notice, insert_sql, notify

BESIDE_APPEND = "WITH appended AS (SELECT 1 WHERE %s::bool), queued AS ({}) SELECT count(*) FROM appended"
LATER = datetime(2030, 1, 1, tzinfo=UTC)


def run_beside_append(rows, *, appended: bool):
    sql, parameters = insert_sql(rows)
    with connection.cursor() as cursor:
        cursor.execute(BESIDE_APPEND.format(sql), [appended, *parameters])
        return cursor.fetchone()[0]


def test_rows_are_written_with_the_append(ann):
    turn = Notice("your_turn", user_id=ann.pk, topic="match-42", payload={"match": "42", "version": 17})
    invitation = Notice("invitation", address="bob@players.example", due_at=LATER)
    assert run_beside_append([turn, invitation], appended=True) == 1
    row = Outbox.objects.get(pk=turn.id)
    assert (row.kind, row.user, row.address, row.topic) == ("your_turn", ann, "", "match-42")
    assert row.payload == {"match": "42", "version": 17}
    assert (row.status, row.attempts, row.message_id, row.error, row.claimed_until) == (Status.QUEUED, 0, "", "", None)
    assert row.due_at == row.created_at
    stranger = Outbox.objects.get(pk=invitation.id)
    assert (stranger.user_id, stranger.address, stranger.due_at) == (None, "bob@players.example", LATER)


def test_no_append_no_rows(ann):
    assert run_beside_append([Notice("your_turn", user_id=ann.pk)], appended=False) == 0
    assert not Outbox.objects.exists()


def test_no_rows_is_the_same_statement(db):
    assert insert_sql([])[0] == insert_sql([Notice("your_turn", user_id=1)])[0]
    assert run_beside_append([], appended=True) == 1
    assert not Outbox.objects.exists()


def test_quotes_and_letters_survive(ann):
    payload = {"text": 'a "quoted" \\ {brace} ü, NULL'}
    run_beside_append([Notice("your_turn", user_id=ann.pk, payload=payload)], appended=True)
    assert Outbox.objects.get().payload == payload


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"user_id": 1, "address": "a@b.example"},
        {"address": "not an address"},
        {"address": "a@b.example\r\nBcc: c@d.example"},
        {"user_id": 1, "topic": "two words"},
        {"user_id": 1, "topic": "line\nbreak"},
        {"user_id": 1, "due_at": datetime(2030, 1, 1)},  # noqa: DTZ001
    ],
)
def test_bad_notices_are_refused(fields):
    with pytest.raises(ValueError):
        Notice("your_turn", **fields)


def test_the_table_refuses_a_notice_for_nobody(db):
    with pytest.raises(IntegrityError), transaction.atomic():
        Outbox.objects.create(kind="your_turn")


def test_notify_wakes_the_sender_after_the_commit(ann, monkeypatch, django_capture_on_commit_callbacks):
    published = []
    monkeypatch.setattr(hints, "publish", lambda task, *args: published.append((task, *args)))
    now, later = Notice("your_turn", user_id=ann.pk), Notice("reminder", user_id=ann.pk, due_at=LATER)
    with django_capture_on_commit_callbacks(execute=True):
        notify(now, later)
        assert published == []
    assert published == [("notifications.tasks.send_soon", [str(now.id)])]
    assert Outbox.objects.count() == 2


def test_notify_rolls_back_with_the_caller(ann):
    with transaction.atomic():
        notify(Notice("your_turn", user_id=ann.pk))
        transaction.set_rollback(True)
    assert not Outbox.objects.exists()


def test_a_broker_that_is_down_costs_nothing(monkeypatch, caplog):
    tried = []

    def down(name, **_):
        tried.append(name)
        raise OperationalError("connection refused")

    monkeypatch.setattr(hints, "publish", publish)
    monkeypatch.setattr(hints.current_app, "send_task", down)
    monkeypatch.setattr(hints, "_silent_until", 0.0)
    outbox.wake([uuid.uuid4()])
    outbox.wake([uuid.uuid4()])
    assert "The broker does not answer" in caplog.text
    assert tried == ["notifications.tasks.send_soon"], "a broker that is down is left alone for a while"


def test_a_broker_that_hangs_keeps_no_request_waiting(monkeypatch, caplog):
    """It takes connections and answers nothing, as a process that is stopped."""
    monkeypatch.setattr(hints, "_silent_until", 0.0)
    with socket.create_server(("127.0.0.1", 0)) as hanging:
        monkeypatch.setattr(current_app.conf, "broker_write_url", f"redis://127.0.0.1:{hanging.getsockname()[1]}/0")
        began = time.monotonic()
        publish("notifications.tasks.send_soon", [])
        publish("notifications.tasks.send_soon", [])
        assert time.monotonic() - began < current_app.conf.broker_transport_options["socket_timeout"] / 2
    assert "The broker does not answer" in caplog.text


def test_a_process_gives_hints_after_its_parent_has(monkeypatch):
    """kombu closes the connections of the parent after a fork."""
    monkeypatch.setattr(current_app.conf, "broker_write_url", "redis://127.0.0.1:1/0")

    def hint() -> None:
        monkeypatch.setattr(hints, "_silent_until", 0.0)
        publish("notifications.tasks.send_soon", [])

    hint()
    child = multiprocessing.get_context("fork").Process(target=hint)
    child.start()
    child.join()
    assert child.exitcode == 0


def test_notices_of_the_past_are_due(ann, monkeypatch, django_capture_on_commit_callbacks):
    published = []
    monkeypatch.setattr(hints, "publish", lambda task, *args: published.append((task, *args)))
    with django_capture_on_commit_callbacks(execute=True):
        notify(Notice("your_turn", user_id=ann.pk, due_at=datetime.now(UTC) - timedelta(days=1)))
    assert len(published) == 1
