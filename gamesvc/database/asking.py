"""Frequent queries on Django's connection, prepared, at the least cost."""

from __future__ import annotations

import threading
from typing import Any

import psycopg
from django.db import DEFAULT_DB_ALIAS, connections

from gamesvc.database.direct import Direct, Values

# In the WHERE of a statement that is a transaction by itself. For what is only done again if the database loses its last moments,
# and for what a later commit, which waits, makes lasting before anybody can have seen it: the log is written in order.
UNHURRIED = "(SELECT set_config('synchronous_commit', 'off', true)) = 'off'"

_local = threading.local()


def ask(query: str, params: Values, *, using: str = DEFAULT_DB_ALIAS) -> Any:
    """Run a query on Django's connection, prepared. Return its rows and their number, as a cursor does.

    Django's own way (a new cursor each time, behind two wrappers) costs several times as much. It is used if Django's queries are
    being logged or wrapped.
    """
    connection: Any = connections[using]
    if connection.execute_wrappers or connection.queries_logged:
        cursor = connection.cursor()
        cursor.execute(query, params)
        return cursor
    statements = direct(connection)
    if connection.needs_rollback:
        connection.validate_no_broken_transaction()
    try:
        return statements.ask(query, params)
    except psycopg.Error:
        with connection.wrap_database_errors:
            raise


def unhurried(using: str = DEFAULT_DB_ALIAS) -> str:
    """Return `UNHURRIED` for a statement that may be within a transaction: there it changes nothing."""
    return "true" if connections[using].in_atomic_block else UNHURRIED


def direct(connection: Any) -> Direct:
    """Return the prepared statements of a connection of Django, which is opened or checked first as Django does."""
    # Django's checks before each query, without its calls if there is nothing to do.
    if connection.health_check_enabled and not connection.health_check_done:
        connection.close_if_health_check_failed()
    if connection.connection is None:
        connection.ensure_connection()
    found: Direct | None = getattr(_local, connection.alias, None)
    if found is None or found.connection is not connection.connection:
        found = Direct(connection.connection)
        setattr(_local, connection.alias, found)
    return found


def drop_interrupted(*, using: str = DEFAULT_DB_ALIAS) -> None:
    """Close Django's connection if a query on it was interrupted, as by the soft limit of a task: it takes no other.

    The next query opens another one.
    """
    connection = connections[using]
    if connection.connection is not None and not connection.in_atomic_block and not connection.is_usable():
        connection.close()
