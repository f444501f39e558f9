"""The README's commands, run as they stand there."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
pytestmark = pytest.mark.timeout(240)


def commands() -> list[str]:
    return [line for block in re.findall(r"```console\n(.*?)```", README, re.DOTALL) for line in block.splitlines()]


def alone() -> dict[str, str]:
    """The environment of a fresh machine: none of our settings."""
    ours = (
        "DATABASE_URL",
        "DATABASE_OWNER_URL",
        "REDIS_URL",
        "SECRET_KEY",
        "MATCH_KEYS",
        "GAMESVC_DATA",
        "DJANGO_SETTINGS_MODULE",
    )
    return {name: value for name, value in os.environ.items() if name not in ours}


def test_the_two_commands_for_a_fresh_machine_come_first():
    assert commands()[:2] == ["pip install uv && uv run manage.py up", "uv run pytest"]
    assert "uv run pytest" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_up_serves_and_the_curl_match_is_played(tmp_path):
    up = subprocess.Popen(
        [sys.executable, "manage.py", "up", "--port", "0", "--data", str(tmp_path / "data"), "--json"],
        cwd=ROOT, env=alone(), stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        facts = json.loads(up.stdout.readline())
        with urllib.request.urlopen(facts["web"]) as page:
            assert "gamesvc" in page.read().decode()
        variables = {"API": facts["api"].rstrip("/"), "TOKEN": facts["token"]}
        curls = [line for line in commands() if line.startswith("curl")]
        assert len(curls) == 5
        answers = []
        for line in curls:
            done = subprocess.run(
                ["bash", "-c", line], env={**os.environ, **variables}, capture_output=True, text=True, check=True
            )
            answers.append(json.loads(done.stdout))
            if "number" in answers[-1]:
                variables["MATCH"] = str(answers[-1]["number"])
            if "view" in answers[-1]:
                variables["ETAG"] = f'"{answers[-1]["match"]}-{answers[-1]["seat"]}-{answers[-1]["version"]}"'
        assert answers[1]["status"] == "running"
        assert answers[3]["forms"]
        assert answers[4]["events"][-1]["type"] == "match.ended"
    finally:
        up.send_signal(signal.SIGINT)
        assert up.wait(timeout=60) == 0
    assert not list((tmp_path / "data").glob("postgres/postmaster.pid"))


def test_a_game_without_a_server():
    [line] = [line for line in commands() if "gamesvc.games" in line]
    done = subprocess.run(
        ["bash", "-c", line.replace("uv run python", sys.executable)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout)["ok"]


def test_the_demo_plays_to_the_end_and_leaves_exports_and_mails(tmp_path):
    done = subprocess.run(
        [sys.executable, "manage.py", "demo", "--out", str(tmp_path), "--json"],
        cwd=ROOT, env=alone(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout.splitlines()[-1])
    assert result["space_fleet_commander"]["time_outs"] >= 1
    assert len(list((tmp_path / "exports").glob("*.jsonl"))) == 2
    assert len(list((tmp_path / "mail").glob("*.eml"))) == sum(result["mails"].values())
    assert result["mails"]["your-turn"] >= 1
    assert result["mails"]["receipt"] == result["stratastar"]["by_mail"] >= 1


def test_selfplay_from_the_command_line():
    done = subprocess.run(
        [sys.executable, "manage.py", "selfplay", "space_fleet_commander", "--matches", "4", "--json"],
        cwd=ROOT, env=alone(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["matches"] == 4


def test_every_setting_named_is_read():
    base = (ROOT / "gamesvc" / "settings" / "base.py").read_text(encoding="utf-8")
    allauth = (ROOT / "accounts" / "allauth_settings.py").read_text(encoding="utf-8")
    table = README.split("## Settings")[1].split("\n## ")[0]
    for name in re.findall(r"`([A-Z][A-Z_]+)`", table.replace("DJANGO_SETTINGS_MODULE", "")):
        assert f'"{name}"' in base + allauth, name
