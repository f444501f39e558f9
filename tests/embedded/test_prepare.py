"""`manage.py prepare` started twice at once migrates once."""

from __future__ import annotations

import threading
import time

import pytest
from django.core.management import call_command
from django.db import connection, connections

from gamesvc.ops.management.commands.prepare import MIGRATING

WAITS = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"


@pytest.mark.django_db(transaction=True)
def test_a_second_start_waits_until_the_first_has_migrated(monkeypatch):
    migrated = threading.Event()

    def call(name: str, **_: object) -> None:
        if name == "migrate":
            migrated.set()

    monkeypatch.setattr("gamesvc.ops.management.commands.prepare.call_command", call)

    def prepare() -> None:
        call_command("prepare")
        connections.close_all()

    second = threading.Thread(target=prepare)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s::bigint)", [MIGRATING])
        second.start()
        until = time.monotonic() + 30
        while cursor.execute(WAITS).fetchone() == (0,):
            assert time.monotonic() < until
            time.sleep(0.01)
        assert not migrated.is_set()
        cursor.execute("SELECT pg_advisory_unlock(%s::bigint)", [MIGRATING])
    second.join(30)
    assert migrated.is_set()
