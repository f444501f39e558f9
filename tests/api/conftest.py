"""The whole service in separate processes, on its own servers, for tests of races and failures."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gamesvc import embedded
from gamesvc.embedded.postgres import Postgres
from gamesvc.embedded.service import Service, free_port
from gamesvc.embedded.valkey import Valkey
from gamesvc.matches.lobby import opening
from gamesvc.ops.client import Client
from gamesvc.ops.match_limits import LIFTED_IN_ENVIRONMENT
from gamesvc.ops.sink import MailSink
from tests import databases
from tests.mailing import verify
from tests.receiving import receiver  # noqa: F401
from tests.serving import environment_of, workers

MAKE_PLAYERS = """
import json, uuid
from accounts import addresses, tokens
from accounts.models import User
made = []
for _ in range(40):
    name = f"p{uuid.uuid4().hex[:10]}"
    user = User.objects.create(username=name, email=f"{name}@players.example")
    addresses.add_verified_address(user, user.email)
    made.append([name, tokens.create_token(user=user, name="test", scopes=["read", "play"])[1]])
print(json.dumps(made))
"""


class Running:
    """A running service with its mail sink. Its own command creates players."""

    def __init__(self, service: Service, servers: embedded.Servers, sink: MailSink, data: Path) -> None:
        self.service, self.servers, self.sink = service, servers, sink
        self.waiting: list[list[str]] = []
        self.postgres, self.valkey = Postgres(data.resolve()), Valkey(data.resolve())

    def player(self) -> Client:
        """Return a client for a new player. Players are created in batches, because each command takes a second to start."""
        if not self.waiting:
            self.waiting = json.loads(self.service.manage("shell", "--no-imports", "-c", MAKE_PLAYERS))
        name, token = self.waiting.pop()
        client = Client(self.service.url, token)
        client.name = name
        return client

    def duel(self, game: str = "stratastar", **more: Any) -> tuple[str, list[Client]]:
        """Return a started match of two new players, with their clients."""
        players = [self.player(), self.player()]
        match = players[0].post("/api/v1/matches/", {"game": game, **more}).body["id"]
        players[1].post(f"/api/v1/matches/{match}/join/")
        return match, players


@pytest.fixture
def duel(toy, anna, ben):
    """A running match of two players whose addresses are verified, so that they get notices."""
    verify(anna, ben)
    match = opening.create_match(by=anna, game=toy)
    return opening.join_match(by=ben, match=match)


@pytest.fixture
def two(anna, ben, program):
    """Programs of both players, that may do all their accounts may."""
    return program(anna, "account"), program(ben, "account")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory, django_db_modify_db_settings: None) -> Iterator[Running]:
    data = tmp_path_factory.mktemp("service")
    with MailSink(data / "mail") as sink, embedded.use(data) as servers:
        databases.copy_into(servers)
        environment = environment_of(data, servers, sink, seconds_per_hour=2, **LIFTED_IN_ENVIRONMENT)
        with Service(data, port=free_port(), environment=environment, workers=workers("mailer")) as service:
            yield Running(service, servers, sink, data)
