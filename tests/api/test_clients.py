"""The clients, the first bot of the guide and the bridge of bot accounts play on a running service, as the documents say."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from gamesvc.clients.python import gamesvc_bot, gamesvc_client
from gamesvc.clients.python.gamesvc_client import Client, Problem, fill, fits
from gamesvc.games import catalog
from gamesvc.games.kernel import forms
from gamesvc.web.docs.guides import guides
from tests.api.conftest import Running

CODE = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FOLDER = Path(gamesvc_client.__file__).parent
MAKE_BOT = """
import uuid
from accounts.bots import bots
from accounts.models import User
owner = User.objects.create_user(username=f"o{uuid.uuid4().hex[:10]}", email="")
bot = bots.make(owner=owner, name=f"b{uuid.uuid4().hex[:10]}-bot")
print(bot.username, bots.new_token(bot, "bridge")[1])
"""
MODULE = FOLDER.parent / "typescript" / "gamesvc-client.js"
SHORT = {
    "stratastar": {"max_rounds": 4},
    "space_fleet_commander": {"mode": "race"},
    "star_commander": {"turn_limit": 6},
    "space_war": {"decks": ["terrans", "swarm"]},
}


# A schema for each keyword of our own.
SCHEMAS: list[Any] = [
    {"type": "array", "items": {"enum": ["a", "b"]}, "supply": {"a": 2, "b": 1}, "minItems": 1, "maxItems": 3},
    {
        "type": "array",
        "items": {"enum": ["a", "b", "c"]},
        "uniqueItems": True,
        "total": {"minimum": 2, "maximum": 4, "worth": {"a": 2}},
    },
    {
        "type": "array",
        "items": {"enum": ["a", "b", "c"]},
        "uniqueItems": True,
        "total": {"minimum": 3, "worth": {"a": 3}, "spare": False},
    },
    {
        "type": "object",
        "properties": {
            "x": {"type": "integer", "minimum": 0, "maximum": 5},
            "y": {"type": "integer", "minimum": 0, "maximum": 5},
        },
        "required": ["x", "y"],
        "total": {"minimum": 4, "maximum": 6},
    },
    {
        "type": "array",
        "items": {"type": "object", "properties": {"at": {"enum": ["E5", "F6", "G7"]}}, "required": ["at"]},
        "minItems": 2,
        "maxItems": 2,
        "pairwise": ["at"],
    },
    {"oneOf": [{"const": "pass", "title": "Pass"}, {"type": ["integer", "null"], "minimum": 1, "maximum": 3}]},
    {"type": "string", "pattern": "[A-J](10|[1-9])", "examples": ["E5", "J10"], "shape": "a space like E5"},
]


def spoiled(value: Any, rng: random.Random) -> Any:
    """Return a value with one part changed, doubled or left out."""
    if isinstance(value, list):
        return rng.choice([value[:-1], [*value, *value[:1]], [*value, "z"]])
    if isinstance(value, dict):
        name = rng.choice([*value])
        return rng.choice([{**value, name: 9}, {**value, "z": 1}, {one: kept for one, kept in value.items() if one != name}])
    return rng.choice(["E11", 0, 9, True, None, "pass ", 2])


def environment(running: Running, token: str) -> dict[str, str]:
    return {**os.environ, "GAMESVC_URL": running.service.url, "GAMESVC_TOKEN": token, "PYTHONPATH": str(FOLDER)}


def test_the_bot_of_the_guide_plays(running: Running) -> None:
    [source] = CODE.findall(next(one for one in guides() if one.slug == "first-bot").source)
    assert len([line for line in source.splitlines() if line.strip()]) <= 20
    match, players = running.duel("stratastar", options=SHORT["stratastar"])
    player = next(one for one in players if one.get("/api/v1/me/turns/").body["results"])
    before = player.view(match)["version"]
    bot = subprocess.Popen(
        [sys.executable, "-c", source], env=environment(running, player.token), stdout=subprocess.PIPE, text=True
    )
    try:
        assert bot.stdout is not None
        game, named, version = bot.stdout.readline().split()
    finally:
        bot.kill()
        bot.wait()
    assert (game, named) == ("stratastar", match)
    assert int(version) > before


def test_the_bridge_plays_a_challenge_to_its_end(running: Running) -> None:
    """The opponent plays random commands too; the bridge ends by itself after the match."""
    name, token = running.service.manage("shell", "--no-imports", "-c", MAKE_BOT).split()
    player = running.player()
    client = Client(running.service.url, player.token)
    command = [sys.executable, str(Path(gamesvc_bot.__file__)), "--url", running.service.url, "--token", token]
    bridge = subprocess.Popen(
        [*command, "--game", "stratastar", "--matches", "1", "random", "1"], stderr=subprocess.PIPE, text=True
    )
    try:
        refused = client.call("POST", "/challenges/", {"opponent": name, "game": "space_war"})
        made = client.call("POST", "/challenges/", {"opponent": name, "game": "stratastar", "options": {"max_rounds": 2}})
        play(client, made["match"])
        assert bridge.wait(60) == 0
    finally:
        bridge.kill()
        assert bridge.stderr is not None
        log = bridge.stderr.read()
    assert client.call("GET", f"/challenges/{refused['id']}/")["status"] == "declined"
    assert client.call("GET", f"/matches/{made['match']}/")["status"] == "finished"
    assert "declined, the game is space_war" in log
    assert "refused" not in log.replace("space_war", ""), log


def play(client: Client, match: str) -> None:
    """Play one side with random commands, until the match is over."""
    rng = random.Random("bridge")
    for _moved in client.follow(match):
        if client.call("GET", f"/matches/{match}/")["status"] not in ("open", "running"):
            return
        for turn in client.turns(forms=True):
            offered = [form for form in turn["forms"] if form["weight"] in ("main", "end")]
            try:
                client.command(match, fill(rng.choice(offered), rng), turn["etag"])
            except Problem as problem:
                if problem.status != 412:
                    raise


def test_the_player_in_a_terminal(running: Running, tmp_path: Path) -> None:
    match, players = running.duel("stratastar")
    player = next(one for one in players if one.get("/api/v1/me/turns/").body["results"])

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(FOLDER / "gamesvc_client.py"), *arguments]
        return subprocess.run(command, env=environment(running, player.token), capture_output=True, text=True, timeout=60)

    assert "stratastar" in run("turns").stdout
    shown = run("play", match).stdout
    assert "Order" in shown or "order" in shown
    assert "<svg" not in shown
    assert "placing Homeworlds" in shown
    assert "A  B  C  D  E  F  G  H  I  J" in shown
    refused = run("play", match, "dance")
    assert (refused.returncode, bool(refused.stderr.strip())) == (1, True)
    record = tmp_path / "match.jsonl"
    assert run("export", match, str(record)).returncode == 0
    assert record.stat().st_mode & 0o077 == 0, "while the match runs, only the player may read their hand"
    checked = run("verify", str(record))
    assert checked.stdout.startswith(f"{match}: "), checked.stderr
    assert "are hidden: of these nothing but their place is proved" in checked.stdout
    record.write_bytes(record.read_bytes().replace(b'"version":2', b'"version":3', 1))
    broken = run("verify", str(record))
    assert (broken.returncode, "version 2" in broken.stderr) == (1, True)


def node(*arguments: str, given: str = "") -> str:
    program = shutil.which("node")
    assert program is not None, "Install Node.js: the client for JavaScript is run with `node`."
    command = [program, str(Path(__file__).parent / "play.mjs"), str(MODULE), *arguments]
    done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=400)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_both_clients_read_forms_as_the_service_does() -> None:
    """What the service's own reader of forms fills in fits; a part of it is changed or left out, and all agree on the result."""
    pairs, rng = [], random.Random("forms")
    for schema in SCHEMAS:
        for _ in range(30):
            value = forms.sample(schema, rng)
            pairs += [(schema, value), (schema, spoiled(value, rng))]
    right = [forms.fault(schema, value) is None for schema, value in pairs]
    assert {True, False} == set(right)
    assert [fits(schema, value) for schema, value in pairs] == right
    assert json.loads(node("fits", given=json.dumps(pairs))) == right
    for schema in SCHEMAS:
        form = {"parameters": {"type": "object", "properties": {"x": schema}, "required": ["x"]}}
        assert forms.fault(schema, fill(form, rng)["x"]) is None


def test_no_answer_fills_the_memory_of_the_javascript_client() -> None:
    assert json.loads(node("endless")) == ["TooLarge"] * 3 + [{"a": 1}, [2, 3], 6]


@pytest.mark.parametrize(("status", "told"), [(500, {"here": True}), (404, 404)])
def test_the_javascript_client_asks_again_after_silence_and_after_the_faults_of_a_proxy(status: int, told: object) -> None:
    """A request without an answer; then an answer that is no problem (RFC 9457); then, where it may pass, the answer."""
    over = threading.Event()
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            if len(asked) == 1:
                over.wait(30)
                return
            self.send_response(status if len(asked) == 2 else 200)
            self.end_headers()
            self.wfile.write(b"null" if len(asked) == 2 else b'{"here": true}')

        def log_message(self, *_told: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        answer = json.loads(node("asks", f"http://127.0.0.1:{server.server_port}"))
        over.set()
        server.shutdown()
    assert (answer, len(asked)) == (told, 3 if status == 500 else 2)


@pytest.mark.long
@pytest.mark.parametrize("game", catalog.OFFERED)
def test_the_javascript_client_plays_to_the_end_without_a_refusal(running: Running, game: str) -> None:
    match, players = running.duel(game, options=SHORT[game], seats=2)
    commands = node(running.service.url, match, *(one.token for one in players))
    assert players[0].get(f"/api/v1/matches/{match}/").body["status"] == "finished"
    assert int(commands) > 10


@pytest.mark.long
@pytest.mark.parametrize("game", catalog.OFFERED)
def test_bots_on_the_client_play_to_the_end_without_a_refusal(running: Running, game: str) -> None:
    match, players = running.duel(game, options=SHORT[game], seats=2)
    clients = [Client(running.service.url, one.token) for one in players]
    rng = random.Random(game)
    commands = 0
    end = time.monotonic() + 400
    while players[0].get(f"/api/v1/matches/{match}/").body["status"] == "running" and time.monotonic() < end:
        for client in clients:
            for turn in client.turns(forms=True):
                shown, etag, awaited = turn["forms"], turn["etag"], True
                while awaited:
                    offered = [form for form in shown if form["weight"] in ("main", "end")]
                    try:
                        receipt = client.command(match, fill(rng.choice(offered), rng), etag)
                    except Problem as problem:
                        if problem.status != 412:  # only the match may have moved on
                            raise
                        break
                    commands += 1
                    shown, etag, awaited = receipt["forms"], receipt["etag"], receipt["awaited"]
    assert players[0].get(f"/api/v1/matches/{match}/").body["status"] == "finished"
    assert commands > 10
