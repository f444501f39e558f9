"""Prepared statements without psycopg's cursors."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime

import pytest
from django.db import OperationalError, connection, transaction

from events.store import Head, NewEvent, PostgresStore
from gamesvc.away import is_contended
from gamesvc.database.asking import ask

META = {"actor": {"kind": "system"}, "channel": "cli", "received_at": "2026-11-21T12:00:00.000000Z", "rules": "toy/1.0.0"}


def append(log: PostgresStore) -> int:
    stream, command = uuid.uuid4(), uuid.uuid4()
    event = NewEvent("toy.drew", 1, {}, {**META, "command_id": str(command)}, datetime(2026, 11, 21, 12, tzinfo=UTC))
    return len(log.append(stream, [event], expected=Head.empty(stream), command_id=command))


@pytest.mark.django_db(transaction=True)
def test_what_was_prepared_outlasts_a_rollback_and_psycopg_prepares_nothing_beside_it():
    log = PostgresStore()
    assert append(log) == 1
    for _ in range(5):  # as often as psycopg would prepare by itself, and then discard all after a rollback
        connection.cursor().execute("SELECT %s::int", [1])
    with transaction.atomic():
        assert ask("SELECT %s::int", [2]).fetchall() == [(2,)]
        transaction.set_rollback(True)
    with transaction.atomic():
        assert ask("SELECT %s::int", [3]).fetchall() == [(3,)]
        assert append(log) == 1
    names = {name for (name,) in ask("SELECT name FROM pg_prepared_statements", []).fetchall()}
    assert names
    assert all(name.startswith("direct") for name in names)


@pytest.mark.django_db(transaction=True)
def test_statements_that_somebody_made_the_server_forget_are_prepared_again():
    log = PostgresStore()
    assert append(log) == 1 == ask("SELECT 1", []).fetchone()[0]
    connection.cursor().execute("DEALLOCATE ALL")
    assert append(log) == 1 == ask("SELECT 1", []).fetchone()[0]


@pytest.mark.django_db(transaction=True)
def test_a_query_goes_on_after_a_change_of_its_table():
    with connection.cursor() as cursor:
        cursor.execute("CREATE TEMPORARY TABLE changing (value int)")
        cursor.execute("INSERT INTO changing VALUES (7)")
        assert ask("SELECT * FROM changing", []).fetchall() == [(7,)]
        cursor.execute("ALTER TABLE changing ALTER value TYPE text")
        assert ask("SELECT * FROM changing", []).fetchall() == [("7",)]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("change", ["ALTER TABLE changing ALTER value TYPE text", "DEALLOCATE ALL"])
def test_a_query_that_is_always_in_a_transaction_goes_on_with_the_next_one(change):
    """The transaction cannot go on after a failed statement. But its connection lives as long as its process."""
    connection.cursor().execute("CREATE TEMPORARY TABLE changing (value int)")
    with transaction.atomic():
        ask("SELECT * FROM changing", [])
    connection.cursor().execute(change)
    with pytest.raises(OperationalError) as failed, transaction.atomic():
        ask("SELECT * FROM changing", [])
    assert is_contended(failed.value), "the same may succeed at once"
    with transaction.atomic():
        assert ask("SELECT * FROM changing", []).fetchall() == []


@pytest.mark.django_db(transaction=True)
def test_a_query_begins_the_transaction_that_it_is_in():
    with transaction.atomic():
        first = ask("SELECT txid_current()", []).fetchone()
        with connection.cursor() as cursor:
            cursor.execute("SELECT txid_current()")
            assert cursor.fetchone() == first


@pytest.mark.django_db(transaction=True)
def test_values_are_named_or_in_order_and_read_as_django_reads_them():
    moment = datetime(2026, 11, 21, 12, 0, 0, 5, tzinfo=UTC)
    query = "SELECT %(a)s::int, %(at)s::timestamptz, 7 %% 4, %(a)s::int, '{\"a\": 1}'::jsonb, %(list)s::text[], NULL::uuid"
    given = {"at": moment, "list": ["a%s", "%(b)s"], "a": 5}
    with connection.cursor() as cursor:
        cursor.execute(query, given)
        read = cursor.fetchone()
    assert ask(query, given).fetchone() == read == (5, moment, 3, 5, '{"a": 1}', ["a%s", "%(b)s"], None)
    assert ask("SELECT %t::text, %b::bytea", ["x", b"\0"]).fetchall() == [("x", b"\0")]
    odd = [b"\\ \0\xff'", b""]
    assert ask("SELECT %s::bytea[]", [odd]).fetchone() == (odd,)
    assert ask("SELECT now()", []).fetchone()[0].tzinfo is UTC
    assert ask("CREATE TEMPORARY TABLE written AS SELECT 1 AS n FROM generate_series(1, 3)", []).rowcount == 3
