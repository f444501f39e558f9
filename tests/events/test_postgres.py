"""PostgreSQL's additions to the contract: one statement, protection, roles, transactions, epochs, snapshots."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, IntegrityError, OperationalError, connections, transaction
from django.test.utils import CaptureQueriesContext

from events import epochs, roles, snapshot_table
from events.memory import MemoryStore
from events.store import START, DuplicateCommand, Head, PostgresStore, Statement, VersionConflict
from gamesvc.database import direct
from tests.events.conftest import event


@pytest.fixture
def log(database: str) -> PostgresStore:
    return PostgresStore(database)


def run(alias: str, statement: str, *params: Any) -> list[tuple[Any, ...]]:
    with connections[alias].cursor() as cursor:
        cursor.execute(statement, params or None)
        return cursor.fetchall() if cursor.description else []


@pytest.fixture
def side_tables(owner: str) -> Iterator[None]:
    run(owner, "CREATE TABLE side_match (id uuid PRIMARY KEY, version int NOT NULL)")
    run(owner, "CREATE TABLE side_outbox (stream uuid, version int)")
    roles.grant(owner)
    yield
    run(owner, "DROP TABLE side_match, side_outbox")


def also(stream: UUID) -> tuple[Statement, ...]:
    return (
        Statement("UPDATE side_match m SET version = a.version FROM appended a WHERE m.id = %s::uuid", (stream,)),
        Statement("INSERT INTO side_outbox SELECT %s::uuid, a.version FROM appended a", (stream,)),
    )


@pytest.mark.parametrize("count", [1, 3])
def test_an_append_is_one_statement_and_brings_its_projections_along(log: PostgresStore, side_tables: None, count: int) -> None:
    stream, command = uuid4(), uuid4()
    run(log.using, "INSERT INTO side_match VALUES (%s::uuid, 0)", stream)
    batch = [event(number) for number in range(count)]
    with CaptureQueriesContext(connections[log.using]) as captured:
        stored = log.append(stream, batch, expected=Head.empty(stream), command_id=command, also=also(stream))
        stored += log.append(stream, batch, expected=stored[-1].head, command_id=uuid4(), also=also(stream))
    assert len(captured) == 2
    for wrong, raises in ((command, DuplicateCommand), (uuid4(), VersionConflict)):
        with pytest.raises(raises):
            log.append(stream, batch, expected=Head.empty(stream), command_id=wrong, also=also(stream))
    assert run(log.using, "SELECT version FROM side_match WHERE id = %s::uuid", stream) == [(2 * count,)]
    outbox = run(log.using, "SELECT version FROM side_outbox WHERE stream = %s::uuid ORDER BY 1", stream)
    assert outbox == [(count,), (2 * count,)]
    assert log.read(stream) == list(stored)


def test_the_double_refuses_what_it_cannot_do() -> None:
    with pytest.raises(ValueError, match="no tables"):
        MemoryStore().append(uuid4(), [event()], expected=Head.empty(uuid4()), command_id=uuid4(), also=also(uuid4()))


def test_a_failing_side_statement_takes_the_append_back(log: PostgresStore) -> None:
    stream = uuid4()
    bad = Statement("UPDATE events_snapshot SET version = 0 / (a.version - 1) FROM appended a")
    good = Statement("DELETE FROM events_snapshot s USING appended a WHERE s.stream = %s::uuid", (stream,))
    worse = Statement("INSERT INTO events_snapshot SELECT %s::uuid, 0, '', '', '' FROM appended a", (stream,))
    with pytest.raises(DatabaseError):
        log.append(stream, [event()], expected=Head.empty(stream), command_id=uuid4(), also=(good, worse, bad))
    assert log.read(stream) == []


def test_conflicts_leave_the_transaction_whole_and_rollback_takes_all_back(log: PostgresStore) -> None:
    stream, command = uuid4(), uuid4()
    [first] = log.append(stream, [event()], expected=Head.empty(stream), command_id=command)
    with transaction.atomic(log.using):
        with pytest.raises(VersionConflict):
            log.append(stream, [event()], expected=Head.empty(stream), command_id=uuid4())
        with pytest.raises(DuplicateCommand):
            log.append(stream, [event()], expected=first.head, command_id=command)
        [second] = log.append(stream, [event()], expected=first.head, command_id=uuid4())
        assert log.head(stream) == second.head
        transaction.set_rollback(True, using=log.using)
    assert log.head(stream) == first.head
    with transaction.atomic(log.using):
        log.append(stream, [event()], expected=first.head, command_id=uuid4())
    assert len(log.read(stream)) == 2


def test_the_append_is_really_prepared(log: PostgresStore) -> None:
    stream = uuid4()
    head = Head.empty(stream)
    for number in range(40):
        [stored] = log.append(stream, [event(number * 1000)], expected=head, command_id=uuid4())
        head = stored.head
    [(used,)] = run(
        log.using,
        "SELECT max(generic_plans + custom_plans) FROM pg_prepared_statements WHERE statement LIKE 'INSERT INTO events_event%%'",
    )
    assert isinstance(used, int)
    assert used >= 30


def test_reads_of_a_stream_are_really_prepared(log: PostgresStore) -> None:
    for _ in range(9):
        log.read(uuid4())
    [(used,)] = run(
        log.using,
        "SELECT max(generic_plans + custom_plans) FROM pg_prepared_statements WHERE statement LIKE 'SELECT%%FROM events_event%%'",
    )
    assert isinstance(used, int)
    assert used >= 9


CHANGES = [
    "UPDATE events_event SET payload = '{}' WHERE stream = %s::uuid",
    "DELETE FROM events_event WHERE stream = %s::uuid",
    "INSERT INTO events_event SELECT e.* FROM events_event e WHERE stream = %s::uuid"
    " ON CONFLICT (stream, version) DO UPDATE SET payload = ''",
    "TRUNCATE events_event",
]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("who", ["runtime", "owner", "superuser"])
def test_nothing_in_the_log_is_changed(log: PostgresStore, owner: str, who: str, change: str) -> None:
    stream = uuid4()
    kept = log.append(stream, [event()], expected=Head.empty(stream), command_id=uuid4())
    change = change.replace("SELECT e.*", "OVERRIDING SYSTEM VALUE SELECT e.*")
    settings = connections[owner].settings_dict
    role = {"runtime": connections[log.using].settings_dict, "owner": settings, "superuser": {"USER": "postgres"}}[who]
    where = {"host": settings["HOST"], "port": settings["PORT"] or None, "dbname": settings["NAME"], "user": role["USER"]}
    try:
        connection = psycopg.connect(**where, password=role.get("PASSWORD") or None, autocommit=True)
    except psycopg.OperationalError:
        # A server from the environment gives us only its two addresses. The test below covers its superuser.
        assert who == "superuser"
    else:
        with connection:
            if who == "superuser":
                connection.execute("SET session_replication_role = replica")
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(change, [stream] if "%s" in change else None)
    assert log.read(stream) == list(kept)


def test_the_walls_of_the_log_stand_also_for_replicas(owner: str) -> None:
    """So that not even a superuser who disables the triggers for their session can change it."""
    triggers = "SELECT tgname, tgenabled::text FROM pg_trigger WHERE tgrelid = 'events_event'::regclass AND NOT tgisinternal"
    assert sorted(run(owner, triggers)) == [("events_event_rows", "A"), ("events_event_table", "A")]


def test_the_runtime_role_owns_nothing_and_may_do_no_more_than_it_needs(log: PostgresStore) -> None:
    for statement in (
        "ALTER TABLE events_event DISABLE TRIGGER ALL",
        "DROP TABLE events_event",
        "UPDATE events_epoch SET epoch = 9",
        "SELECT events_bump_epoch()",
        "ALTER TABLE events_event ALTER COLUMN epoch SET DEFAULT 5",
        "CREATE TABLE mine (x int)",
    ):
        with pytest.raises(DatabaseError):
            run(log.using, statement)


def test_a_runtime_role_that_does_not_exist_is_named(owner: str, settings) -> None:
    settings.DATABASE_RUNTIME_ROLE = "nobody_has_this_name"
    with pytest.raises(ImproperlyConfigured, match="nobody_has_this_name"):
        roles.grant(owner)


def test_one_role_for_everything_is_warned_of(settings) -> None:
    settings.DATABASE_OWNER_URL, settings.DATABASE_RUNTIME_ROLE = "postgresql://one@/x", "one"
    assert [warning.id for warning in roles.check_two_roles(None)] == ["events.W001"]
    settings.DATABASE_RUNTIME_ROLE = "two"
    assert roles.check_two_roles(None) == []


def test_a_new_epoch_orders_after_the_old_one(log: PostgresStore, owner: str) -> None:
    cursor = START
    while (found := log.feed(cursor, 500))[0]:
        cursor = found[1]
    assert epochs.bump_if_restored(owner) is False
    run(owner, "UPDATE events_epoch SET system_identifier = 1")
    assert epochs.bump_if_restored(owner) is True
    assert epochs.bump_if_restored(owner) is False
    stream = uuid4()
    kept = log.append(stream, [event()], expected=Head.empty(stream), command_id=uuid4())
    # As after a restore: transaction ids start again, below those that the cursor has seen.
    until = time.monotonic() + 60
    while not (found := log.feed(cursor._replace(xid=2**62), 500))[0] and time.monotonic() < until:
        time.sleep(0.01)
    assert found[0] == list(kept)
    assert found[1].epoch == cursor.epoch + 1


def test_snapshots_count_only_with_fingerprint_and_hash(log: PostgresStore) -> None:
    stream = uuid4()
    stored = log.append(stream, [event(number) for number in range(9)], expected=Head.empty(stream), command_id=uuid4())
    heads = {head.version: head.hash for head in stored}
    using = log.using

    def put(version: int, fingerprint: str = "new", hash: bytes | None = None) -> snapshot_table.Snapshot:
        made = snapshot_table.Snapshot(version, hash or heads[version], b"state %d" % version)
        snapshot_table.put(stream, fingerprint, made, using=using)
        return made

    assert snapshot_table.get(stream, "new", using=using) is None
    old = put(2, "old")
    assert snapshot_table.get(stream, "new", using=using) is None
    assert snapshot_table.get(stream, "old", using=using) == old
    three, five = put(3), put(5)
    assert snapshot_table.get(stream, "old", using=using) is None
    assert snapshot_table.get(stream, "new", using=using) == five
    assert snapshot_table.get(stream, "new", until=4, using=using) == three
    seven = put(7)
    assert snapshot_table.get(stream, "new", until=6, using=using) == five
    assert put(7) == seven
    put(8, hash=bytes(32))
    assert snapshot_table.get(stream, "new", using=using) == seven
    # The oldest of the stretch, the newest before the new one, and the new one.
    assert run(using, "SELECT version FROM events_snapshot WHERE stream = %s::uuid ORDER BY 1", stream) == [(3,), (7,), (8,)]


def test_of_many_snapshots_a_few_stay_near_every_version(log: PostgresStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot_table, "STRETCH", 10)
    stream = uuid4()
    stored = log.append(stream, [event(number) for number in range(60)], expected=Head.empty(stream), command_id=uuid4())
    for one in stored[2::3]:
        snapshot_table.put(stream, "new", snapshot_table.Snapshot(one.version, one.hash, b""), using=log.using)
    kept = [row[0] for row in run(log.using, "SELECT version FROM events_snapshot WHERE stream = %s::uuid ORDER BY 1", stream)]
    assert kept == [3, 12, 21, 30, 42, 51, 57, 60]


def test_a_key_that_collides_in_a_side_statement_is_no_conflict(log: PostgresStore, side_tables: None) -> None:
    stream = uuid4()
    run(log.using, "INSERT INTO side_match VALUES (%s::uuid, 0)", stream)
    twice = Statement("INSERT INTO side_match SELECT %s::uuid, a.version FROM appended a", (stream,))
    with pytest.raises(IntegrityError):
        log.append(stream, [event()], expected=Head.empty(stream), command_id=uuid4(), also=(twice,))
    assert log.read(stream) == []


def test_a_null_in_a_side_statement_is_no_conflict(log: PostgresStore, side_tables: None) -> None:
    stream = uuid4()
    null = Statement(
        "INSERT INTO side_match (id, version) SELECT %s::uuid, nullif(a.version, a.version) FROM appended a", (stream,)
    )
    with pytest.raises(IntegrityError):
        log.append(stream, [event()], expected=Head.empty(stream), command_id=uuid4(), also=[null])
    assert log.head(stream) is None


def test_a_percent_sign_in_a_side_statement_stays_one(log: PostgresStore, side_tables: None) -> None:
    stream = uuid4()
    rest = Statement("INSERT INTO side_outbox SELECT %s::uuid, 7 %% 4 FROM appended", (stream,))
    log.append(stream, [event()], expected=Head.empty(stream), command_id=uuid4(), also=[rest])
    assert run(log.using, "SELECT version FROM side_outbox WHERE stream = %s::uuid", stream) == [(3,)]


def test_prepared_statements_make_room_and_two_stores_share_them(
    log: PostgresStore, side_tables: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(direct, "MOST", 3)
    connections[log.using].close()
    other, stream = PostgresStore(log.using), uuid4()
    head = Head.empty(stream)
    for number in range(12):
        words = Statement("INSERT INTO side_outbox SELECT %s::uuid, 0 FROM appended" + " " * (number % 6), (stream,))
        [stored] = (log, other)[number % 2].append(stream, [event()], expected=head, command_id=uuid4(), also=[words])
        head = stored.head
    assert head.version == len(log.read(stream)) == 12
    [(kept,)] = run(log.using, "SELECT count(*)::int FROM pg_prepared_statements WHERE name LIKE 'direct%%'")
    assert kept == 3


def test_a_lost_connection_is_told_as_such_and_the_next_append_has_a_new_one(log: PostgresStore, owner: str) -> None:
    stream = uuid4()
    [first] = log.append(stream, [event()], expected=Head.empty(stream), command_id=uuid4())
    [(pid,)] = run(log.using, "SELECT pg_backend_pid()")
    run(owner, "SELECT pg_terminate_backend(%s::int, 5000)", pid)
    with pytest.raises(OperationalError, match="connection was lost"):
        log.append(stream, [event(1)], expected=first.head, command_id=uuid4())
    connections[log.using].close()
    [second] = log.append(stream, [event(1)], expected=first.head, command_id=uuid4())
    assert log.read(stream) == [first, second]
