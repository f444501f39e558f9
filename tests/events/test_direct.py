"""Statements prepared without psycopg's knowledge."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime

import pytest
from django.db import connection, transaction

from events.store import Head, NewEvent, PostgresStore

META = {"actor": {"kind": "system"}, "channel": "cli", "received_at": "2026-11-21T12:00:00.000000Z", "rules": "toy/1.0.0"}


def append(log: PostgresStore) -> int:
    stream, command = uuid.uuid4(), uuid.uuid4()
    event = NewEvent("toy.drew", 1, {}, {**META, "command_id": str(command)}, datetime(2026, 11, 21, 12, tzinfo=UTC))
    return len(log.append(stream, [event], expected=Head.empty(stream), command_id=command))


@pytest.mark.django_db(transaction=True)
def test_an_append_goes_on_after_a_rollback_by_which_the_session_forgot_its_statements():
    log = PostgresStore()
    assert append(log) == 1
    for _ in range(5):  # prepared by psycopg: only then does it discard them all
        connection.cursor().execute("SELECT %s::int", [1])
    with transaction.atomic():
        transaction.set_rollback(True)
    connection.cursor().execute("SELECT 1")
    assert append(log) == 1
