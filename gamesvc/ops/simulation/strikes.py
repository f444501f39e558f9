"""A running `up` as its operator sees it, and the ways to kill its parts."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from gamesvc import queues
from gamesvc.embedded.postgres import Postgres
from gamesvc.embedded.processes import lives
from gamesvc.embedded.valkey import Valkey
from gamesvc.ops.simulation.record import Broken
from gamesvc.ops.sink import MailSink

# Words in the command lines that identify the leaders of the roles.
MARKS = {
    "web": "gamesvc.wsgi",
    "live": "gamesvc.api.live",
    "mailserver": "mailserver",
    "beat": "gamesvc.beat",
    **{name: f"{name}@%h" for name in queues.WORKERS},
}
WHOLE = ("up alone", "up and all its processes")
SENDER = "mailer after the mail server took a mail"
KINDS = ("web worker", *MARKS, "postgres", "valkey", SENDER, *WHOLE)
# Strikes that may leave a mail taken without its row being settled.
SENDING = ("mailer", "postgres", SENDER, *WHOLE)
START_TRIES = 5
MAIL_SECONDS = 10.0
LONGEST_STOP = 60.0


class Up:
    """`manage.py up` on a folder and a port, in its own session as in a terminal."""

    def __init__(self, folder: Path, port: int, environment: dict[str, str]) -> None:
        self.folder, self.port = folder, port
        # Temporary files of killed processes are removed with the folder.
        temporary = folder / "tmp"
        temporary.mkdir()
        self._environment = {**environment, "TMPDIR": str(temporary)}
        self.process: subprocess.Popen[str]
        self.starts = self.refused = 0
        self.start()

    def start(self) -> None:
        """Start it, and wait until it reports that it is ready. Repeat if remains of the last one are in the way."""
        command = [sys.executable, "manage.py", "up", "--port", str(self.port), "--data", str(self.folder), "--json"]
        for _ in range(START_TRIES):
            with (self.folder / "up.log").open("a") as log:
                self.process = subprocess.Popen(
                    command, env=self._environment, stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True
                )
            assert self.process.stdout is not None
            line = self.process.stdout.readline()
            if line and json.loads(line):
                self.starts += 1
                return
            self.process.wait()
            self.refused += 1
        said = (self.folder / "up.log").read_text()[-2000:]
        raise Broken(f"`up` did not start on its own folder in {START_TRIES} tries: {said}")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def leader(self, role: str) -> psutil.Process | None:
        for child in _children(self.process.pid):
            with suppress(psutil.Error):
                if any(MARKS[role] in word for word in child.cmdline()) and child.status() != psutil.STATUS_ZOMBIE:
                    return child
        return None

    def kill(self, *, with_all: bool) -> None:
        family = _children(self.process.pid, recursive=True) if with_all else []
        servers = [self.postgres(), self.valkey()] if with_all else []
        for pid in (self.process.pid, *(child.pid for child in family), *(pid for pid in servers if pid is not None)):
            _kill(pid)
        self.process.communicate()

    def postgres(self) -> int | None:
        data = Postgres(self.folder).data
        return lives(data / "postmaster.pid", str(data))

    def valkey(self) -> int | None:
        server = Valkey(self.folder)
        return lives(server.pid_file, str(server.socket))

    def interrupt(self) -> float:
        """Press Ctrl-C. Return the seconds until nothing was left, or about a minute if something stays."""
        began = time.monotonic()
        os.killpg(self.process.pid, signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(LONGEST_STOP)
        while left(self.folder) and time.monotonic() < began + LONGEST_STOP:
            time.sleep(0.2)
        return time.monotonic() - began

    def end(self) -> None:
        """Make sure that nothing is left."""
        if self.process.poll() is None:
            self.interrupt()
        for pid in left(self.folder):
            _kill(pid)


def left(folder: Path) -> dict[int, str]:
    """Return the processes that work for a folder, whatever their parents, except this one and its ancestors."""
    ours = {os.getpid(), *(parent.pid for parent in psutil.Process().parents())}
    found = {}
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            words = [*process.cmdline(), *process.environ().values()]
            alive = process.pid not in ours and process.status() != psutil.STATUS_ZOMBIE
            if alive and any(str(folder) in word for word in words):
                found[process.pid] = " ".join(process.cmdline())
    return found


@dataclass(frozen=True, slots=True)
class Strike:
    """A kill: its target, and its time in seconds of the machine's clock."""

    kind: str
    clock: float


class Striker:
    """Kills parts of an `up`, in an order given by the seed. `done` holds the strikes that hit something."""

    def __init__(self, up: Up, sink: MailSink, seed: str) -> None:
        self._up, self._sink = up, sink
        self._rng = random.Random(f"{seed} strikes")
        self.done: list[Strike] = []

    def order(self) -> Iterator[str]:
        """Yield each kind once, then all again, each time in another order."""
        while True:
            yield from self._rng.sample(KINDS, len(KINDS))

    def pause(self) -> float:
        return self._rng.uniform(0.5, 4.0)

    def strike(self, kind: str) -> None:
        if kind == SENDER:
            self._strike_sender()
        elif kind in WHOLE:
            self._note(kind)
            self._up.kill(with_all=kind != WHOLE[0])
            self._up.start()
        elif (pid := self._victim(kind)) is not None:
            self._note(kind)
            _kill(pid)

    def _victim(self, kind: str) -> int | None:
        if kind == "postgres":
            return self._up.postgres()
        if kind == "valkey":
            return self._up.valkey()
        leader = self._up.leader("web" if kind == "web worker" else kind)
        if leader is None:
            return None
        family = _children(leader.pid)
        if kind in queues.WORKERS:
            family.append(leader)  # sometimes the process that works, sometimes the one that distributes the work
        elif kind != "web worker":
            family = [leader]
        return int(self._rng.choice(family).pid) if family else None

    def _strike_sender(self) -> None:
        """Kill the mailer when the server has taken its mail, before it gets the answer."""
        struck = threading.Event()

        def strike(raw: bytes) -> None:
            leader = self._up.leader("mailer")
            if leader is None or struck.is_set():
                return
            self._note(SENDER)
            for process in (leader, *_children(leader.pid, recursive=True)):
                _kill(process.pid)
            struck.set()

        self._sink.refuse_mail = strike
        struck.wait(MAIL_SECONDS)
        self._sink.refuse_mail = lambda raw: None

    def _note(self, kind: str) -> None:
        self.done.append(Strike(kind, time.time()))


def _children(pid: int, *, recursive: bool = False) -> list[psutil.Process]:
    with suppress(psutil.Error):
        return sorted(psutil.Process(pid).children(recursive=recursive), key=lambda child: child.pid)
    return []


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
