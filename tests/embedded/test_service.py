"""The processes of a service: their command lines and environment."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gamesvc import queues
from gamesvc.embedded.service import Service
from tests.serving import workers


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    service = Service(tmp_path, port=0, environment={}, workers=workers("inbound", "mailer"))
    yield service
    service.stop()


def test_fewer_workers_listen_to_every_queue_all_the_same(service: Service) -> None:
    assert list(service.commands) == ["web", "live", "mailserver", "beat", "worker", "inbound", "mailer"]
    listened = re.findall(r"--queues (\S+)", " ".join(word for command in service.commands.values() for word in command))
    assert sorted(queue for names in listened for queue in names.split(",")) == sorted(queues.QUEUES)


def test_everything_of_a_service_is_kept_in_its_data_folder(service: Service) -> None:
    """Not in that of another service: the file of the checkpoints, for instance, which backups and audits look for there."""
    asked = "from django.conf import settings; print(settings.DATA_DIR, settings.CHECKPOINT_FILE)"
    printed = service.manage("shell", "-c", asked)
    assert printed.split()[-2:] == [str(service.data), str(service.data / "checkpoints.jsonl")]


def test_what_is_compiled_is_kept_in_the_data_folder_where_it_may_not_stand_beside_its_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.delenv("PYTHONPYCACHEPREFIX", raising=False)
    service = Service(tmp_path, port=0, environment={})
    service.stop()
    asked = "import sys; print(sys.dont_write_bytecode, sys.pycache_prefix)"
    told = subprocess.run([sys.executable, "-c", asked], env=service._env(), capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["False", str(tmp_path / "bytecode")]
