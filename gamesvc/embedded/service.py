"""The processes of the service on one machine: web server, mail receiver, Celery workers and beat, each restarted when it ends.

Used by `manage.py up`, `manage.py demo` and the tests that speak real HTTP. Nothing here knows Django.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import IO

from gamesvc import queues

RESTART_SECONDS = 2.0
# A web server that is killed before it has ended its own workers leaves them behind.
STOP_SECONDS = 30.0
READY_SECONDS = 120.0


class ServiceError(Exception):
    """The service did not come up; the message says where the reasons are."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Service:
    """The running service. `environment` is what its processes get: addresses of the servers, secrets, settings."""

    def __init__(
        self,
        data: Path,
        *,
        port: int,
        environment: Mapping[str, str],
        web_workers: int = 2,
        processes: Collection[str] = ("web", *queues.WORKERS, "mailserver", "beat"),
    ) -> None:
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        self.logs = data / "logs"
        self.logs.mkdir(parents=True, exist_ok=True)
        self.mail_port = free_port()
        doors = {"web": f"{self.url}/api/v1/games/", "mailserver": f"tcp://127.0.0.1:{self.mail_port}"}
        self.environment = {
            "HEARTBEAT_PROBES": os.environ.get("HEARTBEAT_PROBES", ",".join(doors[name] for name in doors if name in processes)),
            "BASE_URL": f"http://localhost:{port}",
            # Mail comes in from this machine only, so every mail may be believed.
            "REPLY_DOMAIN": os.environ.get("REPLY_DOMAIN", "reply.gamesvc.example"),
            "INBOUND_AUTH": os.environ.get("INBOUND_AUTH", "loopback"),
            **environment,
            "PYTHONUNBUFFERED": "1",
        }
        celery = [sys.executable, "-m", "celery", "-A"]
        workers = {
            name: [*celery, "gamesvc.celery", "worker", "--loglevel", "WARNING", *queues.worker_options(name)]
            for name in queues.WORKERS
        }
        commands = {
            "web": [
                sys.executable,
                *("-m", "granian", "--interface", "wsgi", "--host", "127.0.0.1", "--port", str(port)),
                *("--workers", str(web_workers), "--blocking-threads", "4", "--no-ws", "gamesvc.wsgi:application"),
            ],
            **workers,
            "mailserver": [sys.executable, "manage.py", "mailserver", "--host", "127.0.0.1", "--port", str(self.mail_port)],
            "beat": [*celery, "gamesvc.beat", "beat", "--loglevel", "WARNING", "--schedule", str(data / "beat"), "--pidfile", ""],
        }
        self.commands = {name: command for name, command in commands.items() if name in processes}
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._stopping = threading.Event()

    def manage(self, *arguments: str) -> str:
        """Run one of the service's own commands to its end and return what it printed. Raises `ServiceError`."""
        command = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(command, env=self._env(), capture_output=True, text=True, check=False)
        if done.returncode:
            raise ServiceError(f"manage.py {' '.join(arguments)} failed:\n{done.stderr[-2000:] or done.stdout[-2000:]}")
        return done.stdout

    def start(self) -> None:
        """Prepare the database, start all processes, and wait until the web server answers."""
        self.manage("prepare")
        for name in self.commands:
            self._start(name)
        threading.Thread(target=self._keep, daemon=True).start()
        self._wait()

    def stop(self) -> None:
        """End all processes, the sources of work first."""
        self._stopping.set()
        for name in ("beat", "web", "mailserver", *queues.WORKERS):
            process = self._running.get(name)
            if process is not None and process.poll() is None:
                process.terminate()
        for process in self._running.values():
            try:
                process.wait(timeout=STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def kill(self, name: str) -> None:
        """Kill one process the hard way (the tests do); it is started again."""
        self._running[name].kill()

    def pid(self, name: str) -> int:
        """The process that runs now under this name; another one after it has ended and was started again."""
        return self._running[name].pid

    def __enter__(self) -> Service:
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *failure: object) -> None:
        self.stop()

    def _env(self) -> dict[str, str]:
        return {**os.environ, **self.environment}

    def _start(self, name: str) -> None:
        with self._log(name) as log:
            self._running[name] = subprocess.Popen(
                self.commands[name], env=self._env(), stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def _log(self, name: str) -> IO[bytes]:
        return (self.logs / f"{name}.log").open("ab")

    def _keep(self) -> None:
        while not self._stopping.wait(RESTART_SECONDS):
            for name, process in list(self._running.items()):
                if process.poll() is not None and not self._stopping.is_set():
                    self._start(name)

    def _wait(self) -> None:
        until = time.monotonic() + READY_SECONDS
        while time.monotonic() < until:
            try:
                with urllib.request.urlopen(f"{self.url}/api/v1/games/", timeout=5):
                    return
            except urllib.error.HTTPError as error:
                raise ServiceError(f"The web server answers {error.code}; its log is {self.logs / 'web.log'}.") from None
            except OSError:
                time.sleep(0.1)
        raise ServiceError(f"The web server does not answer at {self.url}; its log is {self.logs / 'web.log'}.")
