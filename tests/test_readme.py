"""The commands of both READMEs, run exactly as written; the first match is played on the `up` of `tests.embedded.test_up`."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class

from gamesvc.ops.management.commands.bench import BENCHES

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DEPLOY = (ROOT / "deploy" / "README.md").read_text(encoding="utf-8")
pytestmark = pytest.mark.timeout(240)


def commands(text: str = README) -> list[str]:
    """The lines of the console blocks; one that ends with a backslash goes on."""
    blocks = re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    return [line for block in blocks for line in re.sub(r"\\\n\s*", "", block).splitlines()]


def program() -> str:
    """The lines of Python that send a mail."""
    [block] = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    return block


def alone() -> dict[str, str]:
    """Return the environment of a fresh machine: none of our settings."""
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


def test_no_command_stands_there_that_nothing_runs():
    """The curls, the mail and the clicks are played by `tests.embedded.test_up`."""
    others = [line for line in commands() if not line.startswith("curl ")]
    assert others[:2] == commands()[:2]
    assert len(others) == 3
    assert "gamesvc.games" in others[2]
    assert commands(DEPLOY) == []
    for name in set(re.findall(r"manage\.py ([a-z]+)", README + DEPLOY)) - set(ours()):
        assert name in {"check", "makemigrations"}, name


def test_the_readme_is_short_and_wrapped_and_has_its_pictures():
    lines = README.splitlines()
    assert len(lines) < 150
    assert not [line for line in lines if len(line) > 120]
    for name in re.findall(r'<img src="([^"]+)"', README):
        assert 0 < (ROOT / name).stat().st_size < 200_000
    assert README.count("<img ") == 2


@pytest.mark.parametrize("path", ["README.md", "deploy/README.md", "gamesvc/locale/README.md"])
def test_links_lead_somewhere(path):
    text = (ROOT / path).read_text(encoding="utf-8")
    anchors = {re.sub(r"[^a-z0-9]+", "-", title.lower()) for title in re.findall(r"^#+ (.*)$", text, re.MULTILINE)}
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert links or "locale" in path
    for link in links:
        name, _, anchor = link.partition("#")
        assert (ROOT / path).parent.joinpath(name).exists(), link
        assert name or anchor in anchors, link


def test_a_game_without_a_server():
    [line] = [line for line in commands() if "gamesvc.games" in line]
    done = subprocess.run(
        ["bash", "-c", line.replace("uv run python", sys.executable)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout)["ok"]


@pytest.mark.long
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
        [sys.executable, "manage.py", "selfplay", "space_fleet_commander", "--matches", "2", "--seats", "1", "--json"],
        cwd=ROOT, env=alone(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["matches"] == 2


def test_a_bench_from_the_command_line():
    done = subprocess.run(
        [sys.executable, "manage.py", "bench", "verify", "--seconds", "0.05", "--json"],
        cwd=ROOT, env=alone(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert all(row["value"] > 0 and row["raw"] > 0 for row in json.loads(done.stdout)["rows"] if "raw" in row)


@pytest.mark.long
def test_a_bench_leaves_the_service_of_its_environment_alone(tmp_path):
    """With a database in their environment, benches once filled it, and the second one found too many open matches."""
    named = {
        "DATABASE_URL": "postgresql://app@127.0.0.1:1/none",
        "REDIS_URL": "redis://127.0.0.1:1/0",
        "GAMESVC_DATA": str(tmp_path),
    }
    done = subprocess.run(
        [sys.executable, "manage.py", "bench", "append", "--seconds", "0.05", "--json"],
        cwd=ROOT, env={**alone(), **named}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.iterdir()) == []


def rows() -> dict[str, str]:
    """Return the description of each command in the table of commands."""
    table = DEPLOY.split("## Commands")[1].split("\n## ")[0]
    told = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| `")]
    return {name: " ".join(row) for row in told for name in re.findall(r"`([a-z]+)[^`]*`", row[0])}


def ours() -> dict[str, str]:
    """Return the commands of our own apps, with their apps."""
    return {
        name: app for name, app in get_commands().items() if app.startswith(("gamesvc", "accounts", "events", "notifications"))
    }


def test_every_command_has_its_row_with_options_that_it_takes():
    assert set(rows()) == set(ours())
    for name, row in rows().items():
        parser = load_command_class(ours()[name], name).create_parser("manage.py", name)
        known = {option for action in parser._actions for option in action.option_strings}
        assert set(re.findall(r"--[a-z][a-z-]*", row)) <= known, name


def test_the_row_of_the_benches_names_them_all():
    assert set(re.findall(r"`([a-z_]+)`", rows()["bench"])) == set(BENCHES)


@pytest.mark.parametrize("name", sorted(ours()))
def test_every_command_is_run_by_a_test(name):
    """In a test that calls it, or through `up` and the service, which tests start."""
    code = [
        *(ROOT / "tests").rglob("*.py"),
        ROOT / "gamesvc/embedded/service.py",
        ROOT / "gamesvc/ops/management/commands/up.py",
    ]
    run = re.compile(rf"""(?:call_command\(|\bmanage\(|"manage\.py",)\s*"{name}\"""")
    assert any(run.search(path.read_text(encoding="utf-8")) for path in code)
