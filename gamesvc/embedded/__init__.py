"""Embedded servers: PostgreSQL and Valkey in one data folder, for machines that provide none.

    servers = use(Path("var"))          # starts the servers that are not running
    servers.database_url, servers.redis_url
    servers.release()                   # or at the end of the process; the last user stops the servers

Any number of processes may use a folder at once. Each holds a shared lock on its `users.lock`, which the system releases
when a process ends, even if it is killed. Starting and stopping happen under the lock of `start.lock`. The next `use`
repairs what a killed process or server leaves behind. A small watcher process stops the servers if the last user ended
without `release`. Nothing here knows Django.
"""

from __future__ import annotations

import atexit
import fcntl
import logging
import os
from collections.abc import Callable
from pathlib import Path
from subprocess import Popen
from types import TracebackType
from typing import IO

from gamesvc.embedded import sockets, watcher
from gamesvc.embedded.postgres import OWNER, RUNTIME, Postgres
from gamesvc.embedded.processes import EmbeddedError, held_by_others, locked, rotate
from gamesvc.embedded.valkey import Valkey

log = logging.getLogger(__name__)

__all__ = ["EmbeddedError", "Servers", "use"]


class Servers:
    """A hold on the servers of one data folder, returned by `use`. Also a context manager."""

    def __init__(
        self, home: Path, users: IO[str], postgres: Postgres | None, valkey: Valkey | None, watching: Popen[bytes]
    ) -> None:
        self.home = home
        self._users = users
        self._postgres = postgres
        self._valkey = valkey
        self._watcher = watching
        self._process = os.getpid()

    @property
    def database_url(self) -> str:
        """Return the database address for the service: a role that owns no table."""
        return self._database().url(RUNTIME)

    @property
    def owner_url(self) -> str:
        """Return the database address for migrations and tests: the role that owns the tables and may create databases."""
        return self._database().url(OWNER)

    @property
    def admin_url(self) -> str:
        """Return the database address for restoring: the superuser."""
        return self._database().url("postgres")

    @property
    def redis_url(self) -> str:
        """Return the broker address for Celery: `redis+socket://...`."""
        return self._broker().url

    @property
    def redis_socket(self) -> Path:
        return self._broker().socket

    @property
    def programs(self) -> Path:
        """Return the folder of PostgreSQL's programs (pg_dump, pg_restore)."""
        return self._database().programs

    def mend(self) -> None:
        """Restart servers that have died, and keep the logs small. Call it often; it returns at once if all is well."""
        for server in (self._postgres, self._valkey):
            if server is None or self._users.closed:
                continue
            rotate(server.log)
            if server.runs():
                continue
            with locked(self.home / "start.lock"):
                if not self._users.closed and not server.runs():
                    log.warning("%s has died and is started again; its log is %s.", type(server).__name__, server.log)
                    server.ensure()

    def release(self) -> None:
        """Release the hold, and stop the servers if nobody else holds them. No effect in a second call or in a forked child."""
        if self._users.closed or os.getpid() != self._process:
            return
        atexit.unregister(self.release)
        with locked(self.home / "start.lock"):
            # Closed, not unlocked: running forked children keep the hold.
            self._users.close()
            if not held_by_others(self.home / "users.lock"):
                _stop(self.home)
        # Reaps the watcher if it is our child and has already noticed.
        self._watcher.poll()

    def __enter__(self) -> Servers:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.release()

    def _database(self) -> Postgres:
        if self._postgres is None:
            raise EmbeddedError("These servers were taken into use without PostgreSQL.")
        return self._postgres

    def _broker(self) -> Valkey:
        if self._valkey is None:
            raise EmbeddedError("These servers were taken into use without Valkey.")
        return self._valkey


def use(data_dir: Path, *, postgres: bool = True, valkey: bool = True) -> Servers:
    """Start the servers of `data_dir` if needed, and hold them until `release` or the end of this process.

    Raises `EmbeddedError` with a one-sentence reason.
    """
    home = Path(data_dir).resolve()
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        with locked(home / "start.lock"):
            users = (home / "users.lock").open("a")
            try:
                fcntl.flock(users, fcntl.LOCK_SH)
                database = Postgres(home) if postgres else None
                broker = Valkey(home) if valkey else None
                if database:
                    database.ensure()
                if broker:
                    broker.ensure()
                watching = watcher.start(home)
            except BaseException:
                users.close()
                if not held_by_others(home / "users.lock"):
                    _stop(home)
                raise
    except (PermissionError, NotADirectoryError, FileExistsError) as error:
        raise EmbeddedError(f"The data folder {home} cannot be used by this user ({error}).") from error
    servers = Servers(home, users, database, broker, watching)
    atexit.register(servers.release)
    return servers


def stop_unused(home: Path, *, before_leaving: Callable[[], None]) -> bool:
    """Stop the servers if nobody uses them, for the watcher. If it returns True, no new user came in between."""
    with locked(home / "start.lock"):
        if held_by_others(home / "users.lock"):
            return False
        _stop(home)
        before_leaving()
    return True


def _stop(home: Path) -> None:
    """Stop all servers in this folder, also those this holder did not ask for."""
    if (home / "valkey").exists():
        Valkey(home).stop()
    if (home / "postgres").exists() or (home / "postgres-home").exists():
        Postgres(home).stop()
    sockets.remove_folder(home)
