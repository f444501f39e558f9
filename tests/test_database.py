"""The connection to the database: checked before each request without asking the server, and replaced once it is lost."""

from __future__ import annotations

import select
import signal
from collections.abc import Iterator

import psycopg
import pytest
from django.conf import settings
from django.db import OperationalError, close_old_connections, connection

from gamesvc.away import is_away
from gamesvc.database.asking import ask, drop_interrupted
from gamesvc.time_limits import TimeIsUp

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def server() -> Iterator[psycopg.Connection]:
    """A second connection, to the server that the tests use."""
    with psycopg.connect(settings.DATABASE_OWNER_URL, autocommit=True) as opened:
        yield opened


def run(query: str) -> list[tuple[object, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(query)
        return list(cursor.fetchall()) if cursor.description else []


def last_query(server: psycopg.Connection, pid: object) -> object:
    found = server.execute("SELECT query FROM pg_stat_activity WHERE pid = %s", [pid]).fetchone()
    assert found is not None
    return found[0]


def begin_a_request() -> None:
    """Check the connection as Django does: marked at the start of a request, looked at before its first query."""
    close_old_connections()
    connection.close_if_health_check_failed()


def test_the_server_gives_up_a_client_that_has_vanished() -> None:
    """Its machine lost its power. The values show on TCP only."""
    connection.close()
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM pg_settings WHERE name LIKE 'tcp%' AND source = 'session' ORDER BY name")
        names = [name for (name,) in cursor.fetchall()]
    assert names == ["tcp_keepalives_count", "tcp_keepalives_idle", "tcp_keepalives_interval", "tcp_user_timeout"]


def test_a_live_connection_is_not_asked(server: psycopg.Connection) -> None:
    [(pid,)] = run("SELECT pg_backend_pid()")
    begin_a_request()
    assert last_query(server, pid) == "SELECT pg_backend_pid()"
    assert run("SELECT pg_backend_pid() AS again") == [(pid,)]


def test_a_connection_that_the_server_ended_is_replaced(server: psycopg.Connection) -> None:
    [(pid,)] = run("SELECT pg_backend_pid()")
    server.execute("SELECT pg_terminate_backend(%s::int, 5000)", [pid])
    begin_a_request()
    assert run("SELECT pg_backend_pid()") != [(pid,)]


def test_a_session_that_only_reads_is_replaced() -> None:
    """As one that began during a failover, when other sessions write again."""
    [(pid,)] = run("SELECT pg_backend_pid()")
    run("SET default_transaction_read_only = on")
    begin_a_request()
    assert run("SELECT pg_backend_pid()") != [(pid,)]
    run("CREATE TEMPORARY TABLE written ON COMMIT DROP AS SELECT 1")


def test_a_server_that_only_reads_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    connection.close()
    with monkeypatch.context() as patch:
        patch.setenv("PGOPTIONS", "-c default_transaction_read_only=on")
        with pytest.raises(OperationalError) as fault:
            run("SELECT 1")
    assert is_away(fault.value)
    assert run("SELECT 1") == [(1,)]


def test_a_connection_on_which_something_came_is_asked_and_kept(server: psycopg.Connection) -> None:
    [(pid,)] = run("SELECT pg_backend_pid()")
    run("LISTEN news")
    [(database,)] = run("SELECT current_database()")
    with psycopg.connect(settings.DATABASE_OWNER_URL, dbname=str(database), autocommit=True) as other:
        other.execute("NOTIFY news, 'something to read'")
    select.select([connection.connection.fileno()], [], [], 10)
    begin_a_request()
    assert last_query(server, pid) == "SELECT 1"
    assert run("SELECT pg_backend_pid()") == [(pid,)]
    run("UNLISTEN news")


def test_a_connection_whose_query_was_interrupted_is_replaced() -> None:
    def is_up(*_: object) -> None:
        raise TimeIsUp

    before = signal.signal(signal.SIGALRM, is_up)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(TimeIsUp):
            run("SELECT pg_sleep(30)")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    drop_interrupted()
    assert ask("SELECT 1", []).fetchall() == run("SELECT 1") == [(1,)]
    kept = connection.connection
    drop_interrupted()
    assert connection.connection is kept
