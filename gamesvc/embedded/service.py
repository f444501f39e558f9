"""The processes of the service on one machine: web server, mail receiver, Celery workers and beat.

Used by `manage.py up`, `manage.py demo` and the tests that use real HTTP. Nothing here knows Django.
"""

from __future__ import annotations

import fcntl
import http.client
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import IO

from gamesvc import queues
from gamesvc.embedded.ports import Port, PortTaken, free_port
from gamesvc.embedded.supervisor import Supervisor, launched
from gamesvc.errors import GamesvcError

__all__ = ["Service", "ServiceError", "free_port"]

READY_SECONDS = 120.0
# Longest wait for a folder that the rest of a killed service still holds.
FOLDER_SECONDS = 3.0
# A request by HTTP/2 may have 16 MB of headers, and a connection a hundred of them at the same time. Proxies use HTTP/1.1.
HTTP = ("--http", "1")
# Bytes of the headers of a request: Django reads them before anything can refuse it. Those of a stream stay in memory for as long
# as it is open.
SHORT_HEADS = ("--http1-buffer-size", "65536")
CELERY = (sys.executable, "-m", "celery", "-A")


class ServiceError(GamesvcError):
    """The service did not start. The message says where to find the reason."""


class Service:
    """The running service. `environment` is passed to its processes: addresses of the servers, secrets, settings.

    It holds the port (0: any free one) and the data folder until `stop`, and raises `ServiceError` if they are taken. `upkeep` is
    called about once a second, to restart servers that have died. The Celery workers listen to the queues given in `workers`.
    """

    def __init__(
        self,
        data: Path,
        *,
        port: int,
        environment: Mapping[str, str],
        web_workers: int = 2,
        processes: Collection[str] = ("web", "live", "mailserver", "beat"),
        workers: Mapping[str, Collection[str]] = queues.WORKERS,
        upkeep: Callable[[], None] = lambda: None,
    ) -> None:
        self.data = data
        self.instance = secrets.token_hex(8)
        self._upkeep = upkeep
        self._supervisor: Supervisor | None = None
        self.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._port = _take_port(port)
        self._lock = _take_folder(data)
        self.port = self._port.number
        self.url = f"http://127.0.0.1:{self.port}"
        self.logs = data / "logs"
        self.logs.mkdir(parents=True, exist_ok=True)
        self.mail_port = free_port()
        self.live_port = free_port()
        self.environment = self._environment(environment, processes)
        commands = self._commands(web_workers)
        self.commands = {name: command for name, command in commands.items() if name in processes}
        self.commands |= {name: _worker(name, listens) for name, listens in workers.items()}

    def _environment(self, given: Mapping[str, str], processes: Collection[str]) -> dict[str, str]:
        """Return the environment of the processes: defaults, what is given, and what this service decides itself."""
        doors = {"web": f"{self.url}/api/v1/games/", "mailserver": f"tcp://127.0.0.1:{self.mail_port}"}
        environment = {
            "HEARTBEAT_PROBES": os.environ.get("HEARTBEAT_PROBES", ",".join(doors[name] for name in doors if name in processes)),
            "BASE_URL": f"http://localhost:{self.port}",
            # No proxy stands in front: the web server sends those who want a stream on to the port of the streams.
            "LIVE_URL": os.environ.get("LIVE_URL", f"http://localhost:{self.live_port}" if "live" in processes else ""),
            # Mail comes only from this machine, so every mail is authentic.
            "REPLY_DOMAIN": os.environ.get("REPLY_DOMAIN", "reply.gamesvc.example"),
            "INBOUND_AUTH": os.environ.get("INBOUND_AUTH", "loopback"),
            "GAMESVC_DATA": str(self.data),
            **given,
            "GAMESVC_INSTANCE": self.instance,
            "PYTHONUNBUFFERED": "1",
            # `prepare` has run Django's checks. Each worker would load all addresses and pages for them.
            "CELERY_SKIP_CHECKS": "1",
        }
        if sys.dont_write_bytecode:
            # So many processes would each compile every module again. The bytecode is kept in our own folder.
            environment |= {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(self.data / "bytecode")}
        return environment

    def _commands(self, web_workers: int) -> dict[str, list[str]]:
        """Return the command of each process that is not a Celery worker."""
        return {
            "web": [
                sys.executable,
                *("-m", "granian", "--interface", "wsgi", "--host", "127.0.0.1", "--port", str(self.port)),
                *("--workers", str(web_workers), "--blocking-threads", "4", "--no-ws", *HTTP, *SHORT_HEADS),
                # The server replaces a worker that dies. At a stop, requests get this many seconds to finish.
                *("--respawn-failed-workers", "--respawn-interval", "0.5", "--workers-kill-timeout", "5"),
                "gamesvc.wsgi:application",
            ],
            "live": [
                sys.executable,
                *("-m", "granian", "--interface", "asgi", "--host", "127.0.0.1", "--port", str(self.live_port)),
                # As many streams as the limits let in. They hold nothing that a stop would have to wait for.
                *("--backlog", "4096", "--backpressure", "100000", "--no-ws", *HTTP, *SHORT_HEADS, "--task-impl", "asyncio"),
                *("--respawn-failed-workers", "--respawn-interval", "0.5", "--workers-kill-timeout", "2"),
                "gamesvc.api.live.server:application",
            ],
            "mailserver": [sys.executable, "manage.py", "mailserver", "--host", "127.0.0.1", "--port", str(self.mail_port)],
            "beat": [*CELERY, "gamesvc.beat", "beat", "--loglevel", "WARNING", "--pidfile", ""],
        }

    def manage(self, *arguments: str) -> str:
        """Run one of the service's own commands to its end and return its output. Raises `ServiceError`."""
        command = launched([sys.executable, "manage.py", *arguments])
        done = subprocess.run(command, env=self._env(), capture_output=True, text=True, check=False, start_new_session=True)
        if done.returncode:
            raise ServiceError(f"manage.py {' '.join(arguments)} failed:\n{done.stderr[-2000:] or done.stdout[-2000:]}")
        return done.stdout

    def start(self) -> None:
        """Prepare the database, start all processes, and wait until our own web server answers."""
        self.manage("prepare")
        self._supervisor = Supervisor(
            self.commands, environment=self._env(), logs=self.logs, lock=self._lock, upkeep=self._upkeep
        )
        self._supervisor.start()
        self._wait()

    def stop(self) -> None:
        """End all processes. Running requests and tasks get some seconds to finish."""
        if self._supervisor is not None:
            self._supervisor.stop()
        self._port.release()
        self._lock.close()

    def kill(self, name: str) -> None:
        """Kill a process with all its children by SIGKILL, for tests. It is started again.

        One that has just ended by itself is awaited: a worker may end as its broker restarts.
        """
        until = time.monotonic() + READY_SECONDS
        while True:
            try:
                return os.killpg(self.pid(name), signal.SIGKILL)
            except ProcessLookupError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)

    def pid(self, name: str) -> int:
        """Return the process that now runs under this name. It changes with each restart."""
        assert self._supervisor is not None
        return self._supervisor.pid(name)

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

    def _wait(self) -> None:
        """Wait until our own web server answers, and the mail receiver and the live process accept connections."""
        until = time.monotonic() + READY_SECONDS
        while time.monotonic() < until:
            if self._is_ours() and self._takes_mail() and self._streams():
                return
            time.sleep(0.05)
        raise ServiceError(f"The service does not answer at {self.url}; its logs are in {self.logs}.")

    def _is_ours(self) -> bool:
        if "web" not in self.commands:
            return True
        try:
            with urllib.request.urlopen(f"{self.url}/health/", timeout=5) as answer:
                instance = json.load(answer).get("instance")
        except urllib.error.HTTPError as error:
            if error.code in (http.client.SERVICE_UNAVAILABLE, http.client.TOO_MANY_REQUESTS):
                return False
            raise ServiceError(f"The web server answers {error.code}; its log is {self.logs / 'web.log'}.") from None
        except (OSError, ValueError, http.client.HTTPException):
            return False
        if instance != self.instance:
            raise ServiceError(f"Another service answers at {self.url}. Stop it, or choose another port with --port.")
        return True

    def _takes_mail(self) -> bool:
        return "mailserver" not in self.commands or _listens(self.mail_port)

    def _streams(self) -> bool:
        return "live" not in self.commands or _listens(self.live_port)


def _listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 5).close()
    except OSError:
        return False
    return True


def _worker(name: str, listens: Collection[str]) -> list[str]:
    """Return the command of a Celery worker that listens to these queues."""
    return [*CELERY, "gamesvc.celery", "worker", "--loglevel", "WARNING", *queues.worker_options(name, listens)]


def _take_port(port: int) -> Port:
    try:
        return Port(port)
    except PortTaken as taken:
        raise ServiceError(f"{taken} Stop what uses it, or choose another port with --port (0: any free one).") from None


def _take_folder(data: Path) -> IO[str]:
    """Lock a data folder until the file is closed, by us and by the reaper that inherits it."""
    lock = (data / "service.lock").open("a")
    until = time.monotonic() + FOLDER_SECONDS
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return lock
        except BlockingIOError:
            if time.monotonic() > until:
                lock.close()
                raise ServiceError(f"Another service runs in {data}. Stop it, or choose another folder with --data.") from None
            time.sleep(0.05)
