"""Fixtures for several apps: players, their programs, and the toy game as if it were on offer."""

from __future__ import annotations

import gc
import json
import random
import secrets
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest
from django.conf import settings
from django.core.cache import cache
from django.db import connection, transaction
from django.test import Client, TransactionTestCase
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis
from pytest_django import DjangoDbBlocker, Settings
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

from accounts import tokens
from accounts.models import User
from accounts.signing_in import adapter
from events import store
from gamesvc.games import catalog
from gamesvc.matches.record import loading
from gamesvc.ops.match_limits import lift_match_limits
from tests import answers, databases
from tests.games.auction import GAME as AUCTION
from tests.games.toy import GAME as TOY
from tests.listener import Listener

# Everything loaded and collected stays: the garbage collector need not look through it, neither now nor during the tests.
gc.disable()

# The same examples every time, and no time limit, since the machine may be busy.
hypothesis.register_profile("here", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
hypothesis.load_profile("here")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run files with slow tests first. Most of them wait for services, and the others fill that time.

    `architecture` is the largest group that runs in one process.
    """
    slow = {item.path for item in items if item.get_closest_marker("timeout") or item.path.parent.name == "architecture"}
    items.sort(key=lambda item: item.path not in slow)


class Files(LoadFileScheduling):
    """Files in parallel. All of `architecture` runs in one process, where each source is parsed once for all its tests."""

    def _split_scope(self, nodeid: str) -> str:
        return "tests/architecture" if nodeid.startswith("tests/architecture/") else str(super()._split_scope(nodeid))


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Files:
    return Files(config, log)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop() -> None:
    gc.freeze()
    # Fewer collections: tests make many short-lived objects, and the frozen ones are never looked at.
    gc.set_threshold(10_000, 20, 20)
    gc.enable()


@pytest.fixture(autouse=True)
def _nothing_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    # Limits on passwords count in the cache, by users whose numbers come again in other tests.
    cache.clear()
    remember_nothing(monkeypatch)


@pytest.fixture(autouse=True)
def _mails_with_the_response(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send at once what the service sends after a response, so that a test finds it."""
    monkeypatch.setattr(adapter, "later", lambda post: post())


def remember_nothing(patch: pytest.MonkeyPatch) -> None:
    """Start with no match in memory, and remember matches as the service does.

    The transaction around a test ends after it. Within the test, data read outside any inner transaction is kept.
    """
    loading.forget_all()
    patch.setattr(loading, "lasts", lambda: all(block._from_testcase for block in connection.atomic_blocks))


@pytest.fixture(autouse=True)
def _chance_fixed(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test the same secrets and ids every time it runs, so that its matches draw the same cards and dice."""
    fix_chance(request.node.nodeid, monkeypatch)


def fix_chance(seed: str, patch: pytest.MonkeyPatch) -> None:
    """Draw secrets, ids and random numbers from this seed from now on."""
    rng = random.Random(seed)
    patch.setattr(secrets, "token_bytes", lambda length=None: rng.randbytes(length or 32))
    patch.setattr(uuid, "uuid4", lambda: uuid.UUID(int=rng.getrandbits(128), version=4))
    random.seed(seed)


@pytest.fixture(scope="module")
def shared(
    request: pytest.FixtureRequest, django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[Callable[[], AbstractContextManager[pytest.MonkeyPatch]]]:
    """A transaction around the tests of a module: each of them finds what the module's fixtures wrote `with shared():`.

    Changes by a test are rolled back after it, as always; it gets copies of Python objects. Tests of the module that do not use
    this see it too; none of them commits.
    """

    @contextmanager
    def making() -> Iterator[pytest.MonkeyPatch]:
        with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patch:
            fix_chance(request.node.nodeid, patch)
            remember_nothing(patch)
            yield patch

    around = transaction.atomic()
    around._from_testcase = True  # As in Django's own tests: a nested transaction becomes a savepoint within this one.
    with django_db_blocker.unblock():
        around.__enter__()
    yield making
    with django_db_blocker.unblock():
        transaction.set_rollback(True)
        around.__exit__(None, None, None)


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None, django_db_blocker: DjangoDbBlocker) -> None:
    """Copy the database of this process from the template that all processes of the run share."""
    template = settings.DATABASES["default"]["TEST"].get("TEMPLATE")
    if template:
        with django_db_blocker.unblock():
            databases.make_template(template)


@pytest.fixture(autouse=True, scope="session")
def _emptied_by_us() -> None:
    """Empty the database after a test that commits. `flush` would refill it, and cannot empty the log."""

    def emptied(case: TransactionTestCase) -> None:
        for alias in case._databases_names(include_mirrors=False):  # type: ignore[attr-defined]
            databases.empty(alias)

    TransactionTestCase._fixture_teardown = emptied  # type: ignore[method-assign]


@pytest.fixture(autouse=True, scope="session")
def _answers_fit_the_document() -> Iterator[None]:
    """Hold every answer of the API against the OpenAPI document."""
    with answers.checked():
        yield


@pytest.fixture
def player(db: None) -> Callable[..., User]:
    """A function that creates a user."""
    return make_player


def make_player(name: str, **more: Any) -> User:
    """Create a user."""
    return User.objects.create_user(username=name, email=f"{name}@players.example", password="a long password", **more)


def make_anna() -> User:
    return make_player("anna", timezone="Europe/Berlin")


def make_ben() -> User:
    return make_player("ben", timezone="America/New_York")


@pytest.fixture
def anna(db: None) -> User:
    return make_anna()


@pytest.fixture
def ben(db: None) -> User:
    return make_ben()


@pytest.fixture
def many_matches(settings: Settings) -> None:
    """Let users open as many matches as they like."""
    lift_match_limits(settings)


@pytest.fixture
def auction(monkeypatch: pytest.MonkeyPatch) -> str:
    """Offer the auction beside the other games."""
    real = catalog.game
    monkeypatch.setattr(catalog, "game", lambda game_id: AUCTION if game_id == "auction" else real(game_id))
    return "auction"


@pytest.fixture
def door(settings: Settings) -> Iterator[Listener]:
    """The one address that must answer for the service to count as reachable. It is open, and may be shut."""
    made = Listener()
    settings.HEARTBEAT_PROBES = [made.probe]
    yield made
    made.close()


@pytest.fixture
def feed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Show the events of a test's open transaction in the feed, which would wait for its end."""
    horizon = "(e.epoch < c.epoch OR e.xid < pg_snapshot_xmin(pg_current_snapshot()))"
    assert horizon in store.FEED
    monkeypatch.setattr(store, "FEED", store.FEED.replace(horizon, "true"))


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> str:
    return offer_toy(monkeypatch)


def offer_toy(patch: pytest.MonkeyPatch) -> str:
    """Offer the toy game beside the others."""
    real = catalog.game
    patch.setattr(catalog, "game", lambda game_id: TOY if game_id == "toy" else real(game_id))
    return "toy"


class Program:
    """A player's program in the test's own process: JSON requests with their token, which may play and has further scopes on
    request.
    """

    def __init__(self, user: User, *scopes: str) -> None:
        _row, self.token = tokens.create_token(user=user, name="test", scopes=["read", "play", *scopes])
        self.client = Client(raise_request_exception=False)

    def call(
        self, method: str, path: str, body: Any = None, *, key: str | None = "", etag: str | None = None, **more: Any
    ) -> Any:
        """Send one request. `key`: an Idempotency-Key; a new one when empty, none when None."""
        headers = {"Authorization": f"Bearer {self.token}", **more}
        if key is not None and method != "GET":
            headers["Idempotency-Key"] = key or str(uuid.uuid4())
        if etag is not None:
            headers["If-Match"] = etag
        data = body if isinstance(body, (bytes, str)) else json.dumps(body if body is not None else {})
        return self.client.generic(method, f"/api/v1{path}", data if method != "GET" else "", "application/json", headers=headers)

    def get(self, path: str, **more: Any) -> Any:
        return self.call("GET", path, **more)

    def post(self, path: str, body: Any = None, **more: Any) -> Any:
        return self.call("POST", path, body, **more)


@pytest.fixture
def program() -> Callable[..., Program]:
    return Program
