"""A running `manage.py up` for tests: started as users start it, asked, and ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from gamesvc.ops.simulation.strikes import MARKS
from tests.test_readme import ROOT, alone


class Up:
    """A running `up`, in its own session as in a terminal."""

    def __init__(self, data: Path, port: int = 0) -> None:
        self.data = data
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "up", "--port", str(port), "--data", str(data), "--json"],
            cwd=ROOT, env=alone(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip
        self.facts: dict[str, str] = {}

    def ready(self) -> Up:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, self.process.communicate()[1]
        self.facts = json.loads(line)
        return self

    @property
    def port(self) -> int:
        return int(self.facts["web"].rsplit(":", 1)[1])

    def get(self, path: str) -> Any:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", headers={"Authorization": f"Bearer {self.facts['token']}"}
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def answers(self) -> bool:
        with suppress(OSError):
            return bool(self.get("/api/v1/me/")["name"] == "demo")
        return False

    def role(self, name: str) -> psutil.Process | None:
        """Return the leader of a role."""
        children = psutil.Process(self.process.pid).children()
        for child in children:
            with suppress(psutil.Error):
                if any(MARKS[name] in word for word in child.cmdline()) and child.status() != psutil.STATUS_ZOMBIE:
                    return child
        return None

    def end(self, number: int = signal.SIGINT) -> tuple[int, str]:
        """Send a signal to the whole group, as a terminal does, and wait."""
        os.killpg(self.process.pid, number)
        _, said = self.process.communicate(timeout=60)
        return self.process.returncode, said


def left(data: Path) -> list[str]:
    """Return what still runs for a data folder, whatever its parent is."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            words = [*process.cmdline(), *process.environ().values()]
            if process.status() != psutil.STATUS_ZOMBIE and any(str(data) in word for word in words):
                found.append(" ".join(process.cmdline()))
    return found


def eventually(condition: Callable[[], Any], seconds: float = 90) -> Any:
    until = time.monotonic() + seconds
    while not (true := condition()):
        assert time.monotonic() < until
        time.sleep(0.05)
    return true


class Home:
    """A data folder and the `up` that runs in it. If a test ends it, the next one starts another."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self._up: Up | None = None

    def up(self) -> Up:
        if self._up is None or self._up.process.poll() is not None:
            self._up = Up(self.data)
            self._up.ready()
        return self._up

    def close(self) -> None:
        if self._up is not None and self._up.process.poll() is None:
            self._up.end()
