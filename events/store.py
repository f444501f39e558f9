"""The store on PostgreSQL: one SQL statement per append, over Django's connection.

Everything a caller needs is importable from here. Outside `atomic()` the append is one statement, one round trip and its own
transaction: the fastest way. Inside `atomic()` it works as well, but should be the transaction's first write, or the feed may
show a stream's events out of order (`FeedReader` corrects that, at a cost).
"""

from __future__ import annotations

import functools
import itertools
import re
import struct
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import psycopg
import psycopg.errors
from django.db import DEFAULT_DB_ALIAS, connections

from events.canonical import NotCanonical, genesis
from events.chain import forge, unpack
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
from gamesvc.database.asking import ask, direct

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
TABLE = "events_event"
READ = f"SELECT {COLUMNS} FROM events_event WHERE stream = %s::uuid AND version > %s::int"  # noqa: S608 - no input in it
READ_MANY = f"""
SELECT {", ".join("e." + name for name in COLUMNS.split(", "))}
FROM unnest(%s::uuid[], %s::int[]) AS w(stream, after) JOIN events_event e ON e.stream = w.stream AND e.version > w.after
ORDER BY e.stream, e.version
"""  # noqa: S608 - no input in it
LAST = f"""
SELECT f.* FROM unnest(%s::uuid[]) AS w(stream), LATERAL (
    SELECT {COLUMNS} FROM events_event e WHERE e.stream = w.stream AND e.type = %s::text ORDER BY version DESC LIMIT 1) AS f
"""  # noqa: S608 - no input in it
PICK = f"SELECT {COLUMNS} FROM events_event WHERE stream = %s::uuid AND version = ANY(%s::int[])"  # noqa: S608
BESIDE = f"""
SELECT b.*, {", ".join("e." + name for name in COLUMNS.split(", "))}
FROM ({{row}}) b LEFT JOIN events_event e ON e.stream = %s::uuid AND e.version > %s::int ORDER BY e.version
"""  # noqa: S608 - no input in it
FIRSTS = f"SELECT {COLUMNS} FROM events_event WHERE stream = ANY(%s::uuid[]) AND version = 1"  # noqa: S608 - no input in it
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

    def append(
        self, stream: UUID, events: Sequence[NewEvent], *, expected: Head, command_id: UUID, also: Sequence[Statement] = ()
    ) -> tuple[StoredEvent, ...]:
        """Append as `Store.append`. `also` runs in the same statement, and only if the events were appended.

        May wait for another writer's transaction that holds the same version or command; `lock_timeout` limits that.
        """
        stored = forge(stream, events, expected)
        if expected.version or expected.hash == genesis(stream):
            connection: Any = connections[self.using]
            if connection.in_atomic_block or connection.execute_wrappers or connection.queries_logged:
                wrote = self._append_within(stored, expected, command_id, also)
            else:
                wrote = self._append_alone(connection, stored, expected, command_id, also)
            if wrote:
                return stored
        if found := self._find_command(stream, command_id):
            raise DuplicateCommand(*found)
        raise VersionConflict(f"Stream {stream} does not end with version {expected.version} and the expected hash.")

    def _append_alone(
        self, connection: Any, stored: Sequence[StoredEvent], expected: Head, command_id: UUID, also: Sequence[Statement]
    ) -> bool:
        """Append in a separate transaction, where a conflict is an error that rolls everything back."""
        first = stored[0]
        values = [
            first.stream.bytes, _INT4(first.version), first.type.encode(), _INT2(first.type_version), first.written[0].encode(),
            first.written[1].encode(), _INT8(_microseconds(first.occurred_at)), first.salt, first.hash, command_id.bytes,
        ]  # fmt: skip
        types, params = _TYPES, [value for statement in also for value in statement.params]
        if expected.version:
            values.append(expected.hash)
            types = _TYPES_LINKED
        if len(stored) > 1:
            params = [*_columns(stored[1:]), *params]
        query = _alone_query(len(stored), expected.version == 0, tuple([statement.sql for statement in also]))
        try:
            return direct(connection).write(query, types, values, params) > 0
        except psycopg.Error as error:
            if _is_conflict(error):
                return False
            with connection.wrap_database_errors:
                raise

    def _append_within(self, stored: Sequence[StoredEvent], expected: Head, command_id: UUID, also: Sequence[Statement]) -> bool:
        """Append within the open transaction. A conflict must not be an error, which would end the transaction."""
        query = _within_query(len(stored), expected.version == 0, tuple([statement.sql for statement in also]))
        first = stored[0]
        stream, command = str(first.stream), str(command_id)
        params: list[Any] = [stream, str(first.version), first.type, str(first.type_version), *first.written, first.occurred_at]
        params += (first.salt, first.hash, command)
        if expected.version:
            params += (stream, str(expected.version), expected.hash)
        if len(stored) > 1:
            params += (stream, command, *_columns(stored[1:]), str(len(stored) - 1))
        for statement in also:
            params.extend(statement.params)
        return self.ask(query, params).fetchone() is not None

    def read(self, stream: UUID, after: int = 0, until: int | None = None) -> list[StoredEvent]:
        if until is None:
            found = self.ask(READ + " ORDER BY version", [stream, after])
        else:
            found = self.ask(READ + " AND version <= %s::int ORDER BY version", [stream, after, until])
        return [unpack(row) for row in found.fetchall()]

    def read_beside(self, stream: UUID, after: int, query: str, params: Sequence[Any]) -> tuple[Any, list[StoredEvent]]:
        """Return the row of a query that has exactly one, and the events above `after`, both of one moment, in one round trip."""
        found = self.ask(BESIDE.format(row=query), [*params, stream, after]).fetchall()
        width = len(found[0]) - len(COLUMNS.split(", "))
        return found[0][:width], [unpack(one[width:]) for one in found if one[width] is not None]

    def pick(self, stream: UUID, versions: Collection[int]) -> list[StoredEvent]:
        """Return the events of a stream with these versions."""
        return [unpack(row) for row in self.ask(PICK, [stream, list(versions)]).fetchall()]

    def read_many(self, after: Mapping[UUID, int]) -> dict[UUID, list[StoredEvent]]:
        """Return the events of many streams, for each those after a version, in one query."""
        found: dict[UUID, list[StoredEvent]] = {stream: [] for stream in after}
        for row in self.ask(READ_MANY, [list(after), list(after.values())]).fetchall():
            stored = unpack(row)
            found[stored.stream].append(stored)
        return found

    def last_of_type(self, streams: Collection[UUID], event_type: str) -> dict[UUID, StoredEvent]:
        """Return the last event of a type in each stream that has one, in one query, searched from the end of each."""
        found = [unpack(row) for row in self.ask(LAST, [list(streams), event_type]).fetchall()]
        return {stored.stream: stored for stored in found}

    def firsts(self, streams: Collection[UUID]) -> dict[UUID, StoredEvent]:
        """Return the first event of each stream, in one query."""
        found = [unpack(row) for row in self.ask(FIRSTS, [list(streams)]).fetchall()]
        return {stored.stream: stored for stored in found}

    def head(self, stream: UUID) -> Head | None:
        row = self.ask(
            "SELECT version, hash, occurred_at FROM events_event WHERE stream = %s::uuid ORDER BY version DESC LIMIT 1", [stream]
        ).fetchone()
        return None if row is None else Head(*row)

    def command(self, stream: UUID, command_id: UUID) -> list[StoredEvent]:
        found = self._find_command(stream, command_id)
        return self.read(stream, found[0] - 1, found[0] + found[1] - 1) if found else []

    def feed(self, cursor: Cursor, limit: int) -> tuple[list[StoredEvent], Cursor]:
        """Read as `Store.feed`. Shows only what no open transaction can precede, so a new event may appear with a delay."""
        found = self.ask(FEED, [cursor.epoch, str(cursor.xid), cursor.pos, limit]).fetchall()
        if not found:
            return [], cursor
        epoch, xid, pos = found[-1][-3:]
        return [unpack(row[:-3]) for row in found], Cursor(epoch, int(xid), pos)

    def _find_command(self, stream: UUID, command_id: UUID) -> tuple[int, int] | None:
        """Return the version of the command's first event and the number of its events, or None. The next command ends it."""
        found: tuple[int, int] | None = self.ask(
            "SELECT f.version, coalesce("
            "(SELECT n.version FROM events_event n WHERE n.stream = f.stream AND n.version > f.version AND n.command_seq = 0"
            " ORDER BY n.version LIMIT 1),"
            "(SELECT max(l.version) + 1 FROM events_event l WHERE l.stream = f.stream)) - f.version"
            " FROM events_event f WHERE f.stream = %s::uuid AND f.command_id = %s::uuid AND f.command_seq = 0",
            [stream, command_id],
        ).fetchone()
        return found

    def ask(self, query: str, params: Sequence[Any]) -> Any:
        """Run a query. Return its rows (`asking`)."""
        return ask(query, params, using=self.using)


_INTO = f"INSERT INTO events_event ({COLUMNS}, command_id, command_seq)"
_ROWS = (
    "r.version, r.type, r.type_version, r.payload, r.meta, r.occurred_at, r.salt, r.hash,"
    " {command}, row_number() OVER (ORDER BY r.version) FROM unnest("
    "%s::int[], %s::text[], %s::smallint[], %s::text[], %s::text[], %s::timestamptz[], %s::bytea[], %s::bytea[])"
    " AS r(version, type, type_version, payload, meta, occurred_at, salt, hash)"
)

# --- alone: PostgreSQL's binary format, read and written at the least cost ---

_INT2, _INT4, _INT8 = struct.Struct(">h").pack, struct.Struct(">i").pack, struct.Struct(">q").pack
_OIDS = psycopg.adapters.types
_TYPES = tuple(
    _OIDS.get_oid(name) for name in ("uuid", "int4", "text", "int2", "text", "text", "timestamptz", "bytea", "bytea", "uuid")
)
_TYPES_LINKED = (*_TYPES, _OIDS.get_oid("bytea"))
_ZERO = datetime(2000, 1, 1, tzinfo=UTC)


def _microseconds(moment: datetime) -> int:
    """Return a moment as PostgreSQL counts it: in microseconds since the year 2000."""
    since = moment - _ZERO
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


@functools.lru_cache(512)
def _alone_query(count: int, begins: bool, also: tuple[str, ...]) -> str:
    """Return one statement: the proof of the predecessor, the rows, and the other writes.

    If the predecessor is missing the version is null, which the table refuses; if it has a successor already, or the command was
    applied, the keys collide. Any error rolls everything back, so the other parts need no checks.
    """
    version = (
        "$2" if begins else "(SELECT p.version + 1 FROM events_event p WHERE (p.stream, p.version, p.hash) = ($1, $2 - 1, $11))"
    )
    first = f"{_INTO} VALUES ($1, {version}, $3, $4, $5, $6, $7, $8, $9, $10, 0)"
    parts = [f"appended AS NOT MATERIALIZED (SELECT $2 + {count - 1} AS version)"] if also else []
    if count > 1:
        parts.append(f"rest AS ({_INTO} SELECT $1, {_ROWS.format(command='$10')})")
    parts += [f"also_{at} AS ({sql})" for at, sql in enumerate(also)]
    number = itertools.count(11 if begins else 12)
    others = f"WITH {', '.join(parts)} " if parts else ""
    return re.sub("%[s%]", lambda found: "%" if found[0] == "%%" else f"${next(number)}", others) + first


_CONFLICTS = ("events_event_pkey", "events_event_command")


def _is_conflict(error: psycopg.Error) -> bool:
    """Return True if the stream has another head than expected, or holds the command already.

    Any other unique violation is a fault of a statement in `also`: trying again would only hide it.
    """
    if isinstance(error, psycopg.errors.NotNullViolation):
        return (error.diag.table_name, error.diag.column_name) == ("events_event", "version")
    return isinstance(error, psycopg.errors.UniqueViolation) and error.diag.constraint_name in _CONFLICTS


# --- within: ids and numbers go as text and are cast, or psycopg would choose a type by the size of a number ---

_FIRST = "%s::uuid, %s::int, %s::text, %s::smallint, %s::text, %s::text, %s::timestamptz, %b::bytea, %b::bytea, %s::uuid, 0"
_BEFORE = "FROM events_event p WHERE p.stream = %s::uuid AND p.version = %s::int AND p.hash = %b::bytea"


@functools.lru_cache(512)
def _within_query(count: int, begins: bool, also: tuple[str, ...]) -> str:
    """Return the statement in which a conflict is no error. Only the first event can collide: the rest follows from the first."""
    first = f"{_INTO} SELECT {_FIRST} {'' if begins else _BEFORE} ON CONFLICT DO NOTHING RETURNING version"
    if count == 1:
        parts = [f"appended AS ({first})"]
    else:
        parts = [
            f"opened AS ({first})",
            f"rest AS ({_INTO} SELECT %s::uuid, {_ROWS.format(command='%s::uuid')}, opened)",
            "appended AS (SELECT version + %s::int AS version FROM opened)",
        ]
    parts += [f"also_{at} AS ({sql})" for at, sql in enumerate(also)]
    return f"WITH {', '.join(parts)} SELECT version FROM appended"  # noqa: S608 - texts of the program


def _columns(stored: Sequence[StoredEvent]) -> Iterator[list[Any]]:
    """Yield the rows after a command's first one as arrays, one per column, in the order of `_ROWS`."""
    yield [one.version for one in stored]
    yield [one.type for one in stored]
    yield [one.type_version for one in stored]
    yield from ([one.written[part] for one in stored] for part in (0, 1))
    yield [one.occurred_at for one in stored]
    yield [one.salt for one in stored]
    yield [one.hash for one in stored]
