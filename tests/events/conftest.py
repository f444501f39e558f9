"""The stores under test. PostgreSQL is used in the runtime role, in the migrated test database."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connections
from pytest_django.plugin import DjangoDbBlocker

from events.memory import MemoryStore
from events.store import NewEvent, PostgresStore, Store
from gamesvc import embedded
from gamesvc.settings import base
from tests.racing import at_once

MORNING = datetime(2026, 11, 20, 6, 0, tzinfo=UTC)


def event(number: int = 0, **more: Any) -> NewEvent:
    return NewEvent(
        **{
            "type": "toy.taken",
            "type_version": 1,
            "data": {"stones": number, "text": "grün \u0000 \u2028"},
            "meta": {"actor": {"kind": "seat", "seat": 0}},
            "occurred_at": MORNING,
            **more,
        }
    )


@pytest.fixture(scope="session")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """Addresses for the runtime role and the owner, on a separate server: the feed waits for every open transaction of a server,
    and other tests of the run keep theirs open.
    """
    if "GAMESVC_DATA" not in os.environ:  # the tests run on servers that the environment names
        yield settings.DATABASE_URL, settings.DATABASE_OWNER_URL
        return
    with embedded.use(tmp_path_factory.mktemp("events"), valkey=False) as servers:
        yield servers.database_url, servers.owner_url


@pytest.fixture(scope="session")
def databases(addresses: tuple[str, str], django_db_blocker: DjangoDbBlocker) -> Iterator[tuple[str, str]]:
    """Aliases of a database that holds only the store: in the role of the service, and as the owner.

    A separate database, because nothing in the log can be rolled back or cleared between tests.
    """
    runtime_url, owner_url = addresses
    default = {**connections.databases["default"], **base.database(owner_url)}
    name = f"test_events_{os.environ.get('PYTEST_XDIST_WORKER', 'gw')}_{os.getpid()}"
    parts = urlsplit(runtime_url)
    role = {"USER": unquote(parts.username or ""), "PASSWORD": unquote(parts.password or "")}
    connections.databases["events_owner"] = {**default, "NAME": name}
    connections.databases["events_runtime"] = {**default, "NAME": name, **role}
    with django_db_blocker.unblock():
        creation: Any = connections["events_owner"].creation
        with creation._nodb_cursor() as cursor:
            cursor.execute(f'CREATE DATABASE "{name}"')
        call_command("migrate", "events", database="events_owner", verbosity=0)
    yield "events_runtime", "events_owner"
    with django_db_blocker.unblock():
        for alias in ("events_runtime", "events_owner"):
            connections[alias].close()
        with creation._nodb_cursor() as cursor:
            cursor.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
    for alias in ("events_runtime", "events_owner"):
        del connections[alias], connections.databases[alias]


@pytest.fixture
def database(databases: tuple[str, str], django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    """The alias for the runtime role."""
    with django_db_blocker.unblock():
        yield databases[0]


@pytest.fixture
def owner(databases: tuple[str, str], django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    """The alias for the owner of the tables."""
    with django_db_blocker.unblock():
        yield databases[1]


@pytest.fixture(params=["memory", "postgres"])
def store(request: pytest.FixtureRequest) -> Store:
    if request.param == "memory":
        return MemoryStore()
    return PostgresStore(request.getfixturevalue("database"))


@pytest.fixture
def in_threads() -> Callable[[list[Callable[[], Any]]], list[Any]]:
    """A function that runs functions at once, each in its own thread and connection. It returns their results or exceptions."""

    def run(functions: list[Callable[[], Any]]) -> list[Any]:
        def one(function: Callable[[], Any]) -> Any:
            try:
                return function()
            except Exception as error:
                return error

        return at_once(*[partial(one, function) for function in functions])

    return run
