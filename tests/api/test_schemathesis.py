"""schemathesis against a running service: requests that fit the OpenAPI document, or miss it, get the answers that it says.

It generates requests for each operation and follows from one to the next what an answer names (its stateful phase).
`API_SECONDS=900` makes a long run of it, `API_SEED` another one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from pathlib import Path

import pytest
from django.conf import settings

from gamesvc.games import catalog
from gamesvc.ops.client import Client
from tests.api import schemathesis_hooks
from tests.api.conftest import Running

SECONDS = os.environ.get("API_SECONDS", "90")
pytestmark = [pytest.mark.long, pytest.mark.timeout(int(SECONDS) + 300)]
SEED = os.environ.get("API_SEED", "19")
# Without them, the run would end its own token or account, or wait for streams that have no end.
LEFT_OUT = ("DELETE /api/v1/me/", "DELETE /api/v1/tokens/", "DELETE /api/v1/tokens/{token_id}/")
STREAMS = ("/api/v1/me/stream/", "/api/v1/matches/{ident}/stream/")
LEAVING = ("cancel", "give-up", "leave", "organise")
# 412: another version than the one of If-Match; 422: what only the rules or the state of a match can refuse.
CONFIGURATION = """
continue-on-failure = true
request-timeout = 60
headers = {{ Authorization = "Bearer {token}" }}

[generation]
allow-x00 = false  # refused everywhere, which no pattern of ours says

[dictionaries]
matches = {{ values = {matches} }}
left = {{ values = {left} }}
players = {{ values = {players} }}

[parameters]
"path.ident" = {{ dictionary = "matches", probability = 0.7 }}
"path.name" = {{ dictionary = "players", probability = 0.5 }}

[checks]
positive_data_acceptance.expected-statuses = ["2xx", "3xx", "401", "403", "404", "409", "412", "422", "428", "429"]
negative_data_rejection.expected-statuses = ["400", "401", "403", "404", "405", "406", "409", "412", "415", "422", "428", "429"]
missing_required_header.expected-statuses = ["400", "401", "403", "404", "406", "415", "422", "428"]
# A match is in no checkpoint before one is made: its proof comes later.
ensure_resource_availability.enabled = false

# These would leave all other operations without a seat.
[[operations]]
include-name = [{leaving}]
parameters = {{ "path.ident" = {{ dictionary = "left", probability = 0.7 }} }}
"""
FOR_ALL = """
from accounts.models import User
from accounts.tokens import SCOPES, create_token
user = User.objects.get(username={name!r})
print(create_token(user=user, name="all", scopes=[one for one in SCOPES if one != "operate"])[1])
"""


@pytest.fixture
def configuration(running: Running, tmp_path: Path) -> Path:
    """A configuration with a token of every scope but that of operators, and matches of all games in every state."""
    one, other = running.player(), running.player()
    token = running.service.manage("shell", "--no-imports", "-c", FOR_ALL.format(name=one.name)).split()[-1]
    mine = Client(running.service.url, token)
    matches = [opened(mine, {"game": game, "seats": 2}, other) for game in catalog.OFFERED]
    matches += [opened(mine, {"game": "stratastar"}), opened(other, {"game": "space_war"})]
    board = mine.post(f"/api/v1/matches/{matches[0]}/forks/", {"version": 4, "kind": "board"}).body
    given_up = opened(mine, {"game": "stratastar"}, other)
    values = {"matches": [*matches, board["id"]], "left": [given_up], "players": [one.name, other.name]}
    leaving = ", ".join(f'"POST /api/v1/matches/{{ident}}/{act}/"' for act in LEAVING)
    path = tmp_path / "schemathesis.toml"
    listed = {name: json.dumps(those) for name, those in values.items()}
    path.write_text(CONFIGURATION.format(token=token, leaving=leaving, **listed))
    return path


def opened(host: Client, asked: dict[str, object], *players: Client) -> str:
    match = host.post("/api/v1/matches/", asked).body["id"]
    for player in players:
        player.post(f"/api/v1/matches/{match}/join/")
    return str(uuid.UUID(match))


def test_the_service_answers_as_its_document_says(running: Running, configuration: Path) -> None:
    left_out = [part for name in LEFT_OUT for part in ("--exclude-name", name)]
    left_out += [part for path in STREAMS for part in ("--exclude-path", path)]
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(configuration), "run", "--no-color"]
    told = subprocess.run(
        [*command, f"{running.service.url}/api/v1/openapi.json", "--max-time", SECONDS, "--seed", SEED, *left_out],
        cwd=configuration.parent,
        env={**os.environ, "SCHEMATHESIS_HOOKS": schemathesis_hooks.__name__, "PYTHONPATH": str(settings.BASE_DIR)},
        capture_output=True,
        text=True,
    )
    sys.stdout.write(told.stdout)
    assert told.returncode == 0, told.stdout[-20_000:] + told.stderr[-2_000:]
    assert "Stateful" in told.stdout
