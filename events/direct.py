"""Prepared statements handed to libpq by one blocking call, on a connection of psycopg.

psycopg's cursors cost as much again as libpq's own call: each statement runs as a generator that waits in Python, and is
looked up, wrapped and unpacked anew. The append is one statement whose result is a count, so it goes without them. Only for
connections in autocommit: a cursor would begin a transaction, this does not.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import psycopg
from psycopg import pq
from psycopg.adapt import PyFormat, Transformer

# Statements kept prepared on one connection; the oldest makes room.
MOST = 200

_DONE = pq.ExecStatus.COMMAND_OK
# Counted for the whole process: several stores may share a connection.
_count = itertools.count()


class Direct:
    """The statements prepared on one connection."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self.connection = connection
        self._pgconn = connection.pgconn
        self._adapter = Transformer(connection)
        self._names: dict[tuple[str, tuple[int, ...]], bytes] = {}

    def run(self, query: str, types: tuple[int, ...], values: list[bytes], params: Sequence[Any]) -> int:
        """Run a statement in a transaction of its own and say how many rows it wrote. Raises psycopg's errors.

        The query's parameters are written `$1, $2, ...`: first `values`, of the types with these OIDs in PostgreSQL's binary
        format, then `params`, which psycopg adapts.
        """
        formats: list[Any] = [pq.Format.BINARY] * len(values)
        sent: Sequence[Any] = values
        if params:
            adapter = self._adapter
            sent = [*values, *adapter.dump_sequence(params, [PyFormat.AUTO] * len(params))]
            types += adapter.types or ()
            formats += adapter.formats or ()
        name = self._names.get((query, types)) or self._prepare(query, types)
        result = self._pgconn.exec_prepared(name, sent, formats)
        if result.status != _DONE:
            self._checked(result)
        return result.command_tuples or 0

    def _prepare(self, query: str, types: tuple[int, ...]) -> bytes:
        if len(self._names) >= MOST:
            oldest = next(iter(self._names))
            self._checked(self._pgconn.exec_(b"DEALLOCATE " + self._names.pop(oldest)))
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
