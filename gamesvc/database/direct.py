"""Prepared statements on a connection of psycopg, at the least cost.

A cursor of psycopg costs several times what libpq's own calls do: each statement is wrapped, looked up, run as a generator of
Python and unpacked, every time. So the frequent statements do without one: they are prepared once, their values are written and
their rows read by psycopg's compiled parts, and PostgreSQL is waited for by psycopg's compiled loop, which signals interrupt.

Each statement that is prepared stays so until the connection ends or `MOST` others came after it. Nothing else may discard them:
psycopg does so after a rollback only if it has prepared some itself.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any
from uuid import UUID

import psycopg
from psycopg import generators, pq
from psycopg.adapt import AdaptersMap, PyFormat, Transformer
from psycopg.rows import TupleRow

# Most statements kept prepared on one connection; the oldest makes room. The same query counts anew for each form that the types
# of its values give it.
MOST = 300

Values = Sequence[Any] | Mapping[str, Any]

_READY = (pq.ExecStatus.COMMAND_OK, pq.ExecStatus.TUPLES_OK)
_IDLE = pq.TransactionStatus.IDLE
# The statement was discarded, or a table it reads was changed since.
_PREPARE_AGAIN = (b"26000", b"0A000")
_TIMESTAMPTZ = psycopg.adapters.types.get_oid("timestamptz")
# Counted for the whole process: several may share a connection.
_count = itertools.count()


class _Context:
    """Context in which psycopg writes and reads values: Django's types, but for its time stamps, which are read by Python.

    psycopg reads them in the session's time zone, which is UTC.
    """

    def __init__(self, connection: psycopg.Connection[TupleRow]) -> None:
        self.connection = connection
        self.adapters = AdaptersMap(connection.adapters)
        loader = psycopg.adapters.get_loader(_TIMESTAMPTZ, pq.Format.TEXT)
        assert loader is not None
        self.adapters.register_loader(_TIMESTAMPTZ, loader)


class Answer:
    """The rows of a statement, and how many it returned or wrote."""

    __slots__ = ("_rows", "rowcount")

    def __init__(self, rows: Sequence[TupleRow], rowcount: int) -> None:
        self._rows, self.rowcount = rows, rowcount

    def fetchone(self) -> Any:
        """Return the first row; None if there is none."""
        return self._rows[0] if self._rows else None

    def fetchall(self) -> Any:
        """Return all rows."""
        return self._rows


class Direct:
    """The statements prepared on one connection."""

    def __init__(self, connection: psycopg.Connection[TupleRow]) -> None:
        self.connection = connection
        self._pgconn = connection.pgconn
        self._adapter = Transformer(_Context(connection))
        self._names: dict[tuple[str, tuple[int, ...]], bytes] = {}

    def ask(self, query: str, params: Values) -> Answer:
        """Run a statement with values as psycopg writes them: `%s` in order, or `%(name)s`, or with
        `b` or `t` for the format. Raises psycopg's errors.

        It begins a transaction where a cursor would.
        """
        adapter = self._adapter
        sql, names, wanted = _numbered(query)
        given: Any = params if names is None else [params[name] for name in names]  # type: ignore[call-overload]
        values = adapter.dump_sequence(given, wanted)
        if self._pgconn.transaction_status == _IDLE and not self.connection.autocommit:
            self._checked(self._pgconn.exec_(b"BEGIN"))
        result = self._run(sql, adapter.types or (), values, adapter.formats or [])
        if result.status != pq.ExecStatus.TUPLES_OK:
            return Answer((), result.command_tuples or 0)
        adapter.set_pgresult(result, set_loaders=True)
        return Answer(adapter.load_rows(0, result.ntuples, tuple), result.ntuples)

    def write(self, query: str, types: tuple[int, ...], values: list[bytes], params: Sequence[object]) -> int:
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
        return self._run(query, types, sent, formats).command_tuples or 0

    def _run(self, query: str, types: tuple[int, ...], values: Sequence[Any], formats: Sequence[int]) -> Any:
        """Return the result of a statement that was prepared now or before."""
        name = self._names.get((query, types)) or self._prepare(query, types)
        result = self._result(name, values, formats)
        if result.status in _READY:
            return result
        if result.error_field(pq.DiagnosticField.SQLSTATE) in _PREPARE_AGAIN:
            self._names.pop((query, types), None)
            if self._pgconn.transaction_status != _IDLE:
                raise psycopg.errors.SerializationFailure(f"the transaction has to be repeated: {result.get_error_message()}")
            result = self._result(self._prepare(query, types), values, formats)
        return self._checked(result)

    def _result(self, name: bytes, values: Sequence[Any], formats: Sequence[int]) -> Any:
        self._pgconn.send_query_prepared(name, values, formats)
        return self.connection.wait(generators.execute(self._pgconn))[-1]

    def _prepare(self, query: str, types: tuple[int, ...]) -> bytes:
        if len(self._names) >= MOST:
            oldest = next(iter(self._names))
            result = self._pgconn.exec_(b"DEALLOCATE " + self._names.pop(oldest))
            if result.error_field(pq.DiagnosticField.SQLSTATE) not in _PREPARE_AGAIN:
                self._checked(result)
        name = b"direct_%d" % next(_count)
        self._checked(self._pgconn.prepare(name, query.encode(), types))
        self._names[query, types] = name
        return name

    def _checked(self, result: Any) -> Any:
        if result.status in _READY:
            return result
        if self._pgconn.status == pq.ConnStatus.BAD:
            raise psycopg.OperationalError(f"the connection was lost: {self._pgconn.get_error_message()}")
        raise psycopg.errors.error_from_result(result)


_PLACE = re.compile(r"%(?:%|(?:\((\w+)\))?([sbt]))")
_FORMATS = {"s": PyFormat.AUTO, "b": PyFormat.BINARY, "t": PyFormat.TEXT}


@lru_cache(1000)
def _numbered(query: str) -> tuple[str, tuple[str, ...] | None, list[PyFormat]]:
    """Return a query of psycopg as PostgreSQL takes it, with `$1, $2, ...`; the names of its values, if they have names; and the
    formats wanted.
    """
    names: dict[str, int] = {}
    wanted: list[PyFormat] = []

    def number(place: re.Match[str]) -> str:
        name, kind = place.groups()
        if kind is None:
            return "%"
        if name in names:
            return f"${names[name]}"
        wanted.append(_FORMATS[kind])
        if name is not None:
            names[name] = len(wanted)
        return f"${len(wanted)}"

    return _PLACE.sub(number, query), tuple(names) or None, wanted


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
