"""A live process on the database of these tests, in a process of its own."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.db import connection, connections

from accounts import tokens
from accounts.models import User
from gamesvc.api.live.hub import Hub
from gamesvc.embedded.ports import free_port
from gamesvc.embedded.service import HTTP, SHORT_HEADS
from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Match
from gamesvc.ops.following import Following
from tests.conftest import make_player

T = TypeVar("T")
READY_SECONDS = 60.0
LATEST_SECONDS = 60.0
"""Time after which a test gives up. None measures how long something takes."""


class LiveServer:
    """The process, which tests may kill and start again."""

    def __init__(self, log: Path) -> None:
        self.port = free_port()
        self._log = log
        self.process: subprocess.Popen[bytes]
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "granian", "--interface", "asgi", "--port", str(self.port), "--task-impl", "asyncio"]
        command += ["--backlog", "4096", "--backpressure", "100000", "--no-ws", *HTTP, *SHORT_HEADS]
        command += ["--workers-kill-timeout", "2"]
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                [*command, "gamesvc.api.live.server:application"], env=self._environment(), stdout=log, stderr=log
            )
        until = time.monotonic() + READY_SECONDS
        while True:
            with suppress(OSError):
                return socket.create_connection(("127.0.0.1", self.port), 5).close()
            assert time.monotonic() < until, self._log.read_text()
            time.sleep(0.05)

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()

    def follow(self, path: str, token: str = "", **headers: str) -> Following:
        """Return a stream to enter, as the holder of a token or as a guest."""
        told = {"Authorization": f"Bearer {token}"} if token else {}
        return Following(self.port, f"/api/v1{path}", told | {name.replace("_", "-"): value for name, value in headers.items()})

    def _environment(self) -> dict[str, str]:
        name = connection.settings_dict["NAME"]
        database = urlsplit(settings.DATABASE_OWNER_URL)._replace(path=f"/{name}").geturl()
        return {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "gamesvc.settings.dev",
            "DATABASE_URL": database,
            "DATABASE_OWNER_URL": database,
            "STREAMS_PER_ADDRESS": "0",
            "STREAMS_PER_USER": "5",
            "STREAMS_PER_TOKEN": "4",
            "SWEEP_SECONDS": "0.5",
        }


@pytest.fixture(scope="package")
def live(tmp_path_factory: pytest.TempPathFactory, django_db_setup: None) -> Iterator[LiveServer]:
    made = LiveServer(tmp_path_factory.mktemp("live") / "log")
    yield made
    made.stop()


class Duel:
    """A running match of two players, each with a token."""

    def __init__(self, **more: Any) -> None:
        name = uuid.uuid4().hex[:10]
        self.players = [make_player(f"a{name}"), make_player(f"b{name}")]
        self.tokens = [token_of(player) for player in self.players]
        opened = opening.create_match(by=self.players[0], game="space_war", **more)
        self.match: Match = opening.join_match(by=self.players[1], match=opened)

    @property
    def path(self) -> str:
        return f"/matches/{self.match.number}/stream/"


def token_of(user: User) -> str:
    return tokens.create_token(user=user, name="live", scopes=["read", "play"])[1]


@pytest.fixture
def duel(transactional_db: None) -> Duel:
    return Duel()


def run(test: Callable[[], Awaitable[T]]) -> T:
    """Run a test in an event loop, until it gives up."""

    async def bounded() -> T:
        return await asyncio.wait_for(test(), LATEST_SECONDS)

    return asyncio.run(bounded())


async def do(act: Callable[..., T], *args: Any, **kwargs: Any) -> T:
    """Do something with the database, in a thread with a connection of its own."""

    def doing() -> T:
        try:
            return act(*args, **kwargs)
        finally:
            connections.close_all()

    return await asyncio.to_thread(doing)


async def work_until(hub: Hub, is_done: Callable[[], bool]) -> None:
    """Let a hub look for its streams until something holds."""
    work = asyncio.create_task(hub._look())
    async with asyncio.timeout(LATEST_SECONDS):
        while not is_done():
            await asyncio.sleep(0)
    work.cancel()
    hub.stop()
