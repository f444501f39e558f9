"""Frequent queries on Django's connection, prepared, at the least cost."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

import psycopg
from django.db import DEFAULT_DB_ALIAS, connections

_local = threading.local()


def ask(query: str, params: Sequence[Any] | Mapping[str, Any], *, using: str = DEFAULT_DB_ALIAS) -> Any:
    """Run a query on Django's connection. Return the cursor with its rows, which are valid until the next query.

    Django's own way (a new cursor each time, behind two wrappers) costs a fifth of a whole append: a new cursor determines the
    encoding of each parameter again. So one of psycopg's cursors is kept as long as the connection is the same, and its queries,
    which are few, are prepared. Django's way is used if its queries are being logged or wrapped.
    """
    connection: Any = connections[using]
    if connection.execute_wrappers or connection.queries_logged:
        cursor = connection.cursor()
        cursor.execute(query, params)
        return cursor
    connection.close_if_health_check_failed()
    if connection.connection is None:
        connection.ensure_connection()
    cursor = getattr(_local, using, None)
    if cursor is None or cursor.connection is not connection.connection:
        cursor = connection.create_cursor()
        setattr(_local, using, cursor)
    if connection.needs_rollback:
        connection.validate_no_broken_transaction()
    try:
        cursor.execute(query, params, prepare=True)
    except psycopg.Error:
        with connection.wrap_database_errors:
            raise
    return cursor


def drop_interrupted(*, using: str = DEFAULT_DB_ALIAS) -> None:
    """Close Django's connection if a query on it was interrupted, as by the soft limit of a task: it takes no other.

    The next query opens another one.
    """
    connection = connections[using]
    if connection.connection is not None and not connection.in_atomic_block and not connection.is_usable():
        connection.close()
