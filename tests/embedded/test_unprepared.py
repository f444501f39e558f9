"""Commands on a database that has no tables, or does not answer: a sentence instead of a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from django.conf import settings

COMMANDS = (
    ("player", "anna", "anna@players.example"),
    ("audit",),
    ("backup", "copy"),
    ("export", "1"),
    ("rebuild",),
    ("erase", "anna", "--yes"),
)


@pytest.fixture(scope="module")
def empty() -> Iterator[str]:
    """The address of a database without tables."""
    name = f"empty_{uuid.uuid4().hex[:10]}"
    with psycopg.connect(settings.DATABASE_OWNER_URL, autocommit=True) as owner:
        owner.execute(f'CREATE DATABASE "{name}"')
        yield urlsplit(settings.DATABASE_OWNER_URL)._replace(path=f"/{name}").geturl()
        owner.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def run(folder: Path, database: str, *command: str) -> subprocess.CompletedProcess[str]:
    manage = Path(__file__).parents[2] / "manage.py"
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "gamesvc.settings.dev",
        "DATABASE_URL": database,
        "DATABASE_OWNER_URL": database,
        "REDIS_URL": settings.REDIS_URL,
    }
    return subprocess.run(
        [sys.executable, str(manage), *command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_an_empty_database_is_told_in_a_sentence(tmp_path, empty, command):
    done = run(tmp_path, empty, *command)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "Run `manage.py prepare` first." in done.stderr


def test_a_database_that_does_not_answer_is_told_in_a_sentence(tmp_path):
    done = run(tmp_path, "postgresql://nobody@127.0.0.1:1/none", "player", "anna", "anna@players.example")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "The database does not answer. Check DATABASE_URL." in done.stderr
