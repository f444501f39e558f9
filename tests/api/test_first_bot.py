"""The Python client and the first bot of the guide play as the documents say."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gamesvc.clients.python import gamesvc_client
from gamesvc.clients.python.gamesvc_client import Client, Problem, fill
from gamesvc.games import catalog
from gamesvc.web.docs.guides import guides
from tests.api.conftest import Running

CODE = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FOLDER = Path(gamesvc_client.__file__).parent
SHORT = {
    "stratastar": {"max_rounds": 4},
    "space_fleet_commander": {"mode": "race"},
    "star_commander": {"turn_limit": 6},
    "space_war": {"decks": ["terrans", "swarm"]},
}


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


def test_the_player_in_a_terminal(running: Running, tmp_path: Path) -> None:
    match, players = running.duel("stratastar")
    player = next(one for one in players if one.get("/api/v1/me/turns/").body["results"])

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(FOLDER / "gamesvc_client.py"), *arguments]
        return subprocess.run(command, env=environment(running, player.token), capture_output=True, text=True, timeout=60)

    assert "stratastar" in run("turns").stdout
    shown = run("play", match).stdout
    assert "Order" in shown or "order" in shown
    refused = run("play", match, "dance")
    assert (refused.returncode, bool(refused.stderr.strip())) == (1, True)
    record = tmp_path / "match.jsonl"
    assert run("export", match, str(record)).returncode == 0
    checked = run("verify", str(record))
    assert checked.stdout.startswith(f"{match}: "), checked.stderr
    record.write_bytes(record.read_bytes().replace(b'"version":2', b'"version":3', 1))
    broken = run("verify", str(record))
    assert (broken.returncode, "version 2" in broken.stderr) == (1, True)


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
                forms, etag, awaited = turn["forms"], turn["etag"], True
                while awaited:
                    offered = [form for form in forms if form["weight"] in ("main", "end")]
                    try:
                        receipt = client.command(match, fill(rng.choice(offered), rng), etag)
                    except Problem as problem:
                        if problem.status != 412:  # only the match may have moved on
                            raise
                        break
                    commands += 1
                    forms, etag, awaited = receipt["forms"], receipt["etag"], receipt["awaited"]
    assert players[0].get(f"/api/v1/matches/{match}/").body["status"] == "finished"
    assert commands > 10
