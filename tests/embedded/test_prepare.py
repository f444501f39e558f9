"""`manage.py prepare` started twice at once migrates one after the other."""

from __future__ import annotations

import threading
import time

import pytest
from django.core.management import call_command
from django.db import connection, connections

from gamesvc.ops.management.commands.prepare import MIGRATING

ASKS = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%%advisory_lock(%%' AND pid <> pg_backend_pid()"


def wait_until_another_asks() -> None:
    """Return when another session has asked for the lock."""
    until = time.monotonic() + 30
    with connection.cursor() as cursor:
        while cursor.execute(ASKS).fetchone() == (0,):
            assert time.monotonic() < until
            time.sleep(0.01)


def prepare() -> None:
    call_command("prepare")
    connections.close_all()


@pytest.mark.django_db(transaction=True)
def test_a_second_start_waits_until_the_first_has_migrated(monkeypatch):
    migrated = threading.Event()

    def call(name: str, **_: object) -> None:
        if name == "migrate":
            migrated.set()

    monkeypatch.setattr("gamesvc.ops.management.commands.prepare.call_command", call)
    second = threading.Thread(target=prepare)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s::bigint)", [MIGRATING])
        second.start()
        wait_until_another_asks()
        assert not migrated.is_set()
        cursor.execute("SELECT pg_advisory_unlock(%s::bigint)", [MIGRATING])
    second.join(30)
    assert migrated.is_set()


@pytest.mark.django_db(transaction=True)
def test_a_start_that_waits_stops_no_index_that_is_built_beside_the_service(monkeypatch):
    """Such an index waits for every statement that began before it, so the waiting start must not be within one."""
    second = threading.Thread(target=prepare)
    migrated: list[str] = []

    def call(name: str, **_: object) -> None:
        if name == "migrate":
            migrated.append(threading.current_thread().name)
            if len(migrated) == 1:
                second.start()
                wait_until_another_asks()
                with connection.cursor() as cursor:
                    cursor.execute("CREATE INDEX CONCURRENTLY beside ON django_migrations (name)")

    monkeypatch.setattr("gamesvc.ops.management.commands.prepare.call_command", call)
    try:
        call_command("prepare")
        second.join(30)
        assert migrated == ["MainThread", second.name]
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP INDEX IF EXISTS beside")
