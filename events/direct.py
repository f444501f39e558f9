"""Prepared statements handed to libpq by one blocking call, on a connection of psycopg.

psycopg's cursors cost as much again as libpq's own call: each statement runs as a generator that waits in Python, and is looked
up, wrapped and unpacked every time. The append is one statement whose result is a count, so it does without them. For connections
in autocommit only: a cursor would begin a transaction, this does not.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import psycopg
from psycopg import pq
from psycopg.adapt import PyFormat, Transformer
from psycopg.rows import TupleRow

# Most statements kept prepared on one connection; the oldest makes room.
MOST = 200

_DONE = pq.ExecStatus.COMMAND_OK
_NO_SUCH_STATEMENT = b"26000"
# Counted for the whole process: several stores may share a connection.
_count = itertools.count()


class Direct:
    """The statements prepared on one connection."""

    def __init__(self, connection: psycopg.Connection[TupleRow]) -> None:
        self.connection = connection
        self._pgconn = connection.pgconn
        self._adapter = Transformer(connection)
        self._names: dict[tuple[str, tuple[int, ...]], bytes] = {}

    def run(self, query: str, types: tuple[int, ...], values: list[bytes], params: Sequence[object]) -> int:
        """Run a statement in its own transaction. Return how many rows it wrote. Raises psycopg's errors.

        The query's parameters are written `$1, $2, ...`: first `values`, of the types with these OIDs in PostgreSQL's binary
        format, then `params`, whose types the query states. Plain values go as text, the rest as psycopg adapts it.
        """
        formats: list[int] = [pq.Format.BINARY] * len(values)
        sent: list[Any] = [*values]
        adapter = self._adapter
        if list not in map(type, params):
            sent += adapter.dump_sequence(params, [PyFormat.AUTO] * len(params))
            types += adapter.types or ()
            formats += adapter.formats or ()
        else:
            kinds = [*types]
            for value in params:
                written, kind, form = _written(value)
                if kind is None:
                    sent += adapter.dump_sequence([value], [PyFormat.AUTO])
                    kinds += adapter.types or (_NAMED,)
                    formats += adapter.formats or (pq.Format.TEXT,)
                else:
                    sent.append(written)
                    kinds.append(kind)
                    formats.append(form)
            types = tuple(kinds)
        name = self._names.get((query, types)) or self._prepare(query, types)
        result = self._pgconn.exec_prepared(name, sent, formats)
        if result.status != _DONE:
            if result.error_field(pq.DiagnosticField.SQLSTATE) == _NO_SUCH_STATEMENT:
                # After a rollback psycopg makes the session forget all statements, these too; nothing was done.
                self._names.clear()
                result = self._pgconn.exec_prepared(self._prepare(query, types), sent, formats)
            self._checked(result)
        return result.command_tuples or 0

    def _prepare(self, query: str, types: tuple[int, ...]) -> bytes:
        if len(self._names) >= MOST:
            oldest = next(iter(self._names))
            result = self._pgconn.exec_(b"DEALLOCATE " + self._names.pop(oldest))
            if result.error_field(pq.DiagnosticField.SQLSTATE) != _NO_SUCH_STATEMENT:
                self._checked(result)
        name = b"direct_%d" % next(_count)
        self._checked(self._pgconn.prepare(name, query.encode(), types))
        self._names[query, types] = name
        return name

    def _checked(self, result: pq.abc.PGresult) -> pq.abc.PGresult:
        if result.status in (pq.ExecStatus.COMMAND_OK, pq.ExecStatus.TUPLES_OK):
            return result
        if self._pgconn.status == pq.ConnStatus.BAD:
            raise psycopg.OperationalError(f"the connection was lost: {self._pgconn.get_error_message()}")
        raise psycopg.errors.error_from_result(result)


# A type that the query itself states (`%s::int[]`).
_NAMED = 0


def _written(value: object) -> tuple[bytes | None, int | None, pq.Format]:
    """Return a parameter as PostgreSQL reads it, its type and its format; no type for values left to psycopg.

    psycopg determines the encoding of each item of each array every time, which costs more than all else in the append.
    Parameters without arrays go through psycopg.
    """
    if isinstance(value, list):
        items = [_item(one) for one in value]
        if None not in items:
            return f"{{{','.join(items)}}}".encode(), _NAMED, pq.Format.TEXT  # type: ignore[arg-type]
    elif isinstance(value, str) and "\0" not in value:
        return value.encode(), _NAMED, pq.Format.TEXT
    elif value is None:
        return None, _NAMED, pq.Format.TEXT
    elif isinstance(value, bytes):
        return value, _NAMED, pq.Format.BINARY
    elif type(value) in _PLAIN:
        return str(value).encode(), _NAMED, pq.Format.TEXT
    return None, None, pq.Format.TEXT


_PLAIN = frozenset({int, bool, UUID, datetime})


def _item(value: object) -> str | None:
    """Return an item of an array; None for values left to psycopg."""
    if isinstance(value, str):
        quoted = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{quoted}"' if "\0" not in value else None
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return f'"\\\\x{value.hex()}"'
    if type(value) is datetime:
        return f'"{value}"'
    return str(value) if type(value) in _PLAIN else None
