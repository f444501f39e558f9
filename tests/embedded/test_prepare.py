"""`manage.py prepare` started twice at once migrates one after the other, and goes on after a start that was killed."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Iterator

import psycopg
import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection, connections
from django.db.migrations import Migration
from django.db.migrations.executor import MigrationExecutor
from pytest_django.plugin import DjangoDbBlocker

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


@pytest.fixture
def unmigrated(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """An empty database in place of the usual one."""
    name, default = f"empty_{uuid.uuid4().hex[:10]}", connections["default"]
    usual = default.settings_dict["NAME"]
    with django_db_blocker.unblock(), psycopg.connect(settings.DATABASE_OWNER_URL, autocommit=True) as owner:
        owner.execute(f'CREATE DATABASE "{name}"')
        default.close()
        default.settings_dict["NAME"] = name
        try:
            yield
        finally:
            default.close()
            default.settings_dict["NAME"] = usual
            owner.execute(f'DROP DATABASE "{name}"')


@pytest.mark.long
def test_a_start_that_was_killed_before_it_noted_a_migration_stops_no_later_one(unmigrated, monkeypatch):
    """Of the migrations that are no transaction, everything is done already."""
    note, killed = MigrationExecutor.record_migration, set[str]()

    class Killed(BaseException):
        pass

    def dies_once(executor: MigrationExecutor, migration: Migration) -> None:
        if not migration.atomic and str(migration) not in killed:
            killed.add(str(migration))
            raise Killed
        note(executor, migration)

    monkeypatch.setattr(MigrationExecutor, "record_migration", dies_once)
    starts = 0
    while len(killed) == starts:
        starts += 1
        try:
            call_command("migrate", interactive=False, verbosity=0, skip_checks=True)
        except Killed:
            connections["default"].close()
    assert killed
    with connection.cursor() as cursor:
        assert cursor.execute("SELECT indexrelid::regclass::text FROM pg_index WHERE NOT indisvalid").fetchall() == []
    call_command("makemigrations", check=True, dry_run=True, verbosity=0, skip_checks=True)
