"""Generated secrets of an embedded run: complete or missing, and one for all processes that start at once."""

from __future__ import annotations

import io
import json
import os
import resource
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from accounts.models import ApiToken, User
from gamesvc.embedded import EmbeddedError, environment
from gamesvc.embedded.service import ServiceError
from gamesvc.ops.management.commands import up

NAMES = ["CHECKPOINT_KEY", "MATCH_KEYS", "SECRET_KEY"]


def test_secrets_are_made_once_and_are_their_owners_alone(tmp_path: Path) -> None:
    made = environment._secrets(tmp_path / "secrets")
    assert sorted(made) == sorted(path.name for path in (tmp_path / "secrets").iterdir()) == NAMES
    assert environment._secrets(tmp_path / "secrets") == made
    assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "secrets").iterdir()} == {0o600}


@pytest.mark.parametrize("step", ["fdopen", "fsync", "link"])
def test_a_start_that_was_killed_leaves_no_half_made_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    class Killed(BaseException):
        pass

    def dies(*_: Any, **__: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(os, step, dies)
        with pytest.raises(Killed):
            environment._secrets(tmp_path / "secrets")
    made = environment._secrets(tmp_path / "secrets")
    assert sorted(made) == NAMES
    assert all(made.values())


def test_a_demo_login_that_a_full_disk_does_not_take_is_made_by_the_next_start(tmp_path: Path) -> None:
    class Made:
        def manage(self, *_: str) -> str:
            return '{"user": "demo"}'

    (tmp_path / "secrets").mkdir()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            up.Command().demo_login(Made(), tmp_path)  # type: ignore[arg-type]
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert up.Command().demo_login(Made(), tmp_path) == {"user": "demo"}  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["demo", "Demo"])
def test_the_service_starts_where_a_stranger_has_the_name_of_the_demo_login(db: None, tmp_path: Path, name: str) -> None:
    """As in the new data folder of a restore, if the demo login was erased before."""

    class Running:
        environment = {"BASE_URL": "http://localhost:8000"}
        mail_port = 8025

        def manage(self, *arguments: str) -> str:
            out = io.StringIO()
            try:
                call_command(*arguments, stdout=out)
            except CommandError as fault:
                raise ServiceError(str(fault)) from None
            return out.getvalue()

    User.objects.create_user(name, "stranger@players.example", "a long password")
    (tmp_path / "secrets").mkdir()
    out, err = io.StringIO(), io.StringIO()
    command, service = up.Command(stdout=out, stderr=err), Running()
    login = command.demo_login(service, tmp_path)  # type: ignore[arg-type]
    command.announce(service, tmp_path, up.LocalMail(tmp_path), login, as_json=True)  # type: ignore[arg-type]
    told = json.loads(out.getvalue())
    assert (told["login"], told["token"]) == ("none", "")
    assert "There is no demo login: " in err.getvalue()
    assert not ApiToken.objects.exists()
    assert not (tmp_path / "secrets" / "demo.json").exists()


def test_a_secret_is_on_disk_before_it_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[str] = []
    fsync, link = os.fsync, os.link
    monkeypatch.setattr(os, "fsync", lambda file: (steps.append("fsync"), fsync(file))[1])
    monkeypatch.setattr(os, "link", lambda *names: (steps.append("link"), link(*names))[1])
    environment._secrets(tmp_path / "secrets")
    assert steps == ["fsync", "link", "fsync", "fsync"] * 3


def test_a_secret_that_was_emptied_is_no_secret(tmp_path: Path) -> None:
    environment._secrets(tmp_path / "secrets")
    (tmp_path / "secrets" / "MATCH_KEYS").write_text("")
    with pytest.raises(EmbeddedError, match="MATCH_KEYS is empty; remove it, or restore it from a backup"):
        environment.provide(tmp_path)


def test_many_that_start_at_once_read_one_secret(tmp_path: Path) -> None:
    with ThreadPoolExecutor(16) as starters:
        made = list(starters.map(environment._secrets, [tmp_path / "secrets"] * 16))
    assert all(one == made[0] for one in made)
