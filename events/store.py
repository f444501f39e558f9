"""The store on PostgreSQL: one SQL statement an append, over Django's connection.

Everything a caller needs is importable from here. Outside `atomic()` the append is one statement and one round trip, and
its own transaction: the fastest way. Inside `atomic()` it works as well, and should be the transaction's first write, or
the feed may show a stream's events out of order (`FeedReader` mends that, at a cost).
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Sequence
from typing import Any
from uuid import UUID

import psycopg
import psycopg.errors
from django.db import DEFAULT_DB_ALIAS, IntegrityError, connections

from events.canonical import NotCanonical, genesis
from events.chain import Written, forge, unpack
from events.types import (
    START,
    Cursor,
    DuplicateCommand,
    Head,
    NewEvent,
    Statement,
    Store,
    StoredEvent,
    VersionConflict,
)

__all__ = [
    "START",
    "Cursor",
    "DuplicateCommand",
    "Head",
    "NewEvent",
    "NotCanonical",
    "PostgresStore",
    "Statement",
    "Store",
    "StoredEvent",
    "VersionConflict",
]

COLUMNS = "stream, version, type, type_version, payload, meta, occurred_at, salt, hash"
READ = f"SELECT {COLUMNS} FROM events_event WHERE stream = %s::uuid AND version > %s::int"  # noqa: S608 - no input in it
FEED = f"""
SELECT {", ".join("e." + name for name in COLUMNS.split(", "))}, e.epoch, e.xid::text, e.pos
FROM events_event e, events_epoch c
WHERE (e.epoch, e.xid, e.pos) > (%s::smallint, %s::text::xid8, %s::bigint)
  AND (e.epoch < c.epoch OR e.xid < pg_snapshot_xmin(pg_current_snapshot()))
ORDER BY e.epoch, e.xid, e.pos LIMIT %s::int
"""  # noqa: S608 - no input in it


class PostgresStore:
    """The log in the table `events_event` of one of Django's databases."""

    def __init__(self, using: str = DEFAULT_DB_ALIAS) -> None:
        self.using = using
        self._local = threading.local()

    def append(
        self, stream: UUID, events: Sequence[NewEvent], *, expected: Head, command_id: UUID, also: Sequence[Statement] = ()
    ) -> tuple[StoredEvent, ...]:
        """See `Store.append`. `also` runs in the same statement, and only if the events were appended.

        May wait for another writer's transaction that holds the same version or command; `lock_timeout` bounds that.
        """
        rows, stored = forge(stream, events, expected)
        within = connections[self.using].in_atomic_block
        query = _append_query(len(rows), expected.version == 0, tuple(statement.sql for statement in also), within)
        params = _append_params(rows, expected, command_id)
        for statement in also:
            params.extend(statement.params)
        if expected.version or expected.hash == genesis(stream):
            try:
                if self._execute(query, params).fetchone() is not None:
                    return stored
            except IntegrityError as error:
                if within or not isinstance(error.__cause__, psycopg.errors.UniqueViolation):
                    raise
        if found := self._find_command(stream, command_id):
            raise DuplicateCommand(*found)
        raise VersionConflict(f"Stream {stream} does not end with version {expected.version} and the expected hash.")

    def read(self, stream: UUID, after: int = 0, until: int | None = None) -> list[StoredEvent]:
        if until is None:
            found = self._execute(READ + " ORDER BY version", [stream, after])
        else:
            found = self._execute(READ + " AND version <= %s::int ORDER BY version", [stream, after, until])
        return [unpack(row) for row in found.fetchall()]

    def head(self, stream: UUID) -> Head | None:
        row = self._execute(
            "SELECT version, hash, occurred_at FROM events_event WHERE stream = %s::uuid ORDER BY version DESC LIMIT 1", [stream]
        ).fetchone()
        return None if row is None else Head(*row)

    def command(self, stream: UUID, command_id: UUID) -> list[StoredEvent]:
        found = self._find_command(stream, command_id)
        return self.read(stream, found[0] - 1, found[0] + found[1] - 1) if found else []

    def feed(self, cursor: Cursor, limit: int) -> tuple[list[StoredEvent], Cursor]:
        """See `Store.feed`. Shows what no transaction still open can precede, so a fresh event may take a moment to come."""
        found = self._execute(FEED, [cursor.epoch, str(cursor.xid), cursor.pos, limit]).fetchall()
        if not found:
            return [], cursor
        epoch, xid, pos = found[-1][-3:]
        return [unpack(row[:-3]) for row in found], Cursor(epoch, int(xid), pos)

    def _find_command(self, stream: UUID, command_id: UUID) -> tuple[int, int] | None:
        """Version of the command's first event and number of its events. The next command's first event ends it."""
        found: tuple[int, int] | None = self._execute(
            "SELECT f.version, coalesce("
            "(SELECT n.version FROM events_event n WHERE n.stream = f.stream AND n.version > f.version AND n.command_seq = 0"
            " ORDER BY n.version LIMIT 1),"
            "(SELECT max(l.version) + 1 FROM events_event l WHERE l.stream = f.stream)) - f.version"
            " FROM events_event f WHERE f.stream = %s::uuid AND f.command_id = %s::uuid AND f.command_seq = 0",
            [stream, command_id],
        ).fetchone()
        return found

    def _execute(self, query: str, params: Sequence[Any]) -> Any:
        """Run a statement on Django's connection and give the cursor with its rows.

        Django's own way there (a new cursor each time, behind two wrappers) costs a fifth of the whole append: a new cursor
        finds out anew how to write each parameter. So one of psycopg's is kept for as long as the connection is the same.
        Django's way is taken where somebody watches the queries.
        """
        connection: Any = connections[self.using]
        if connection.execute_wrappers or connection.queries_logged:
            cursor = connection.cursor()
            cursor.execute(query, params)
            return cursor
        connection.close_if_health_check_failed()
        if connection.connection is None:
            connection.ensure_connection()
        cursor = getattr(self._local, "cursor", None)
        if cursor is None or cursor.connection is not connection.connection:
            cursor = self._local.cursor = connection.create_cursor()
        if connection.needs_rollback:
            connection.validate_no_broken_transaction()
        try:
            cursor.execute(query, params)
        except psycopg.Error:
            with connection.wrap_database_errors:
                raise
        return cursor


# Numbers, ids and times go as text and are cast here: psycopg would choose the type by the size of a number, and prepare
# the statement anew for each choice. Bytes go as they are (%b).
_INTO = f"INSERT INTO events_event ({COLUMNS}, command_id, command_seq)"
_FIRST = "%s::uuid, %s::int, %s::text, %s::smallint, %s::text, %s::text, %s::timestamptz, %b::bytea, %b::bytea, %s::uuid, 0"
_BEFORE = "FROM events_event p WHERE p.stream = %s::uuid AND p.version = %s::int AND p.hash = %b::bytea"
_REST = (
    "SELECT %s::uuid, r.version, r.type, r.type_version, r.payload, r.meta, r.occurred_at, r.salt, r.hash,"
    " %s::uuid, row_number() OVER (ORDER BY r.version) FROM unnest("
    "%s::int[], %s::text[], %s::smallint[], %s::text[], %s::text[], %s::timestamptz[], %s::bytea[], %s::bytea[])"
    " AS r(version, type, type_version, payload, meta, occurred_at, salt, hash), opened"
)


@functools.lru_cache(512)
def _append_query(count: int, begins: bool, also: tuple[str, ...], within: bool) -> str:
    """One statement: the lock, the proof of the predecessor, the rows, and what else is to be written.

    Only the first event can collide, with another writer's or with an earlier try of the same command; the rest follows from
    the first. Within a transaction that collision must be no error, which would end it: `ON CONFLICT` costs more, because
    such a row is first written provisionally.
    """
    conflict = "ON CONFLICT DO NOTHING" if within else ""
    first = f"{_INTO} SELECT {_FIRST} {'' if begins else _BEFORE} {conflict} RETURNING version"
    if count == 1 and not also:
        return first
    if count == 1:
        parts = [f"appended AS ({first})"]
    else:
        parts = [
            f"opened AS ({first})",
            f"rest AS ({_INTO} {_REST})",
            "appended AS (SELECT version + %s::int AS version FROM opened)",
        ]
    parts += [f"also_{at} AS ({sql})" for at, sql in enumerate(also)]
    return f"WITH {', '.join(parts)} SELECT version FROM appended"  # noqa: S608 - texts of the program


def _append_params(rows: Sequence[Written], expected: Head, command_id: UUID) -> list[Any]:
    stream, version, type, type_version, payload, meta, occurred_at, salt, hash = rows[0]
    command = str(command_id)
    params: list[Any] = [stream, str(version), type, str(type_version), payload, meta, occurred_at, salt, hash, command]
    if expected.version:
        params += (stream, str(expected.version), expected.hash)
    if len(rows) > 1:
        params += (stream, command, *(list(column) for column in list(zip(*rows[1:], strict=True))[1:]), str(len(rows) - 1))
    return params
