"""The embedded servers: shared, kept, and repaired after every kind of kill. All processes here are our own children."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from gamesvc.embedded import EmbeddedError, Servers, processes, use, valkey

pytestmark = pytest.mark.long

HOLD = """
import signal, sys
from pathlib import Path
from gamesvc.embedded import use
servers = use(Path(sys.argv[1]))
print(servers.database_url, flush=True)
signal.pause() if len(sys.argv) > 2 else None
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder with a database and no running server."""
    folder = tmp_path_factory.mktemp("e")
    use(folder).release()
    yield folder
    use(folder).release()


def holder(home: Path, *more: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", HOLD, str(home), *more], stdout=subprocess.PIPE, text=True)


def ask(url: str, *statements: str) -> object:
    """Return the first value of the last statement's result."""
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            cursor = connection.execute(statement)
        row = cursor.fetchone()
        assert row is not None
        return row[0]


def ping(servers: Servers) -> str:
    return valkey.Valkey(servers.home)._says("PING")


def pids(home: Path) -> tuple[int | None, int | None]:
    return (
        processes.lives(home / "postgres" / "postmaster.pid", str(home / "postgres")),
        processes.lives(home / "valkey" / "valkey.pid", str(home / "run" / "valkey.sock")),
    )


def eventually(condition, seconds: float = 10) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


def test_roles_settings_and_privacy(home: Path) -> None:
    with use(home) as servers:
        assert ask(servers.database_url, "SELECT current_user") == "gamesvc_app"
        assert ask(servers.owner_url, "SELECT current_user") == "gamesvc_owner"
        owns = "SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = current_database()"
        assert ask(servers.database_url, owns) == "gamesvc_owner"
        assert ask(servers.owner_url, "SELECT rolsuper FROM pg_roles WHERE rolname = current_user") is False
        for setting, value in {"fsync": "on", "data_checksums": "on", "listen_addresses": "", "TimeZone": "UTC"}.items():
            assert ask(servers.database_url, f"SELECT current_setting('{setting}')") == value
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            ask(servers.database_url, "CREATE TABLE public.mine (x int)", "SELECT 1")
        assert stat.S_IMODE(servers.redis_socket.parent.stat().st_mode) == 0o700
        assert ping(servers) == "+PONG"
    assert pids(home) == (None, None)


def test_data_is_kept(home: Path) -> None:
    with use(home) as servers:
        ask(servers.owner_url, "CREATE TABLE kept (x int)", "INSERT INTO kept VALUES (7) RETURNING x")
    with use(home) as servers:
        assert ask(servers.owner_url, "SELECT x FROM kept") == 7
        ask(servers.owner_url, "DROP TABLE kept", "SELECT 1")


def test_last_one_out_stops(home: Path) -> None:
    first, second = use(home), use(home)
    first.release()
    first.release()
    assert ask(second.database_url, "SELECT 1") == 1
    assert ping(second) == "+PONG"
    second.release()
    assert pids(home) == (None, None)


def test_many_processes_start_at_once_on_a_new_folder(tmp_path: Path) -> None:
    started = [holder(tmp_path) for _ in range(4)]
    answers = [child.communicate(timeout=60)[0] for child in started]
    assert [child.returncode for child in started] == [0] * 4
    assert len(set(answers)) == 1
    assert pids(tmp_path) == (None, None)


def test_a_killed_user_is_forgotten(home: Path) -> None:
    child = holder(home, "stay")
    assert child.stdout is not None
    child.stdout.readline()
    servers = use(home)
    child.kill()
    child.wait()
    servers.release()
    assert pids(home) == (None, None)


def test_servers_stop_when_the_last_user_is_killed(home: Path) -> None:
    child = holder(home, "stay")
    assert child.stdout is not None
    child.stdout.readline()
    assert None not in pids(home)
    child.kill()
    child.wait()
    eventually(lambda: pids(home) == (None, None), 30)


@pytest.mark.parametrize("victims", ["postgres", "valkey", "everything"])
def test_killed_servers_come_back(home: Path, victims: str) -> None:
    child = holder(home, "stay")
    assert child.stdout is not None
    child.stdout.readline()
    with use(home) as servers:
        ask(servers.owner_url, "CREATE TABLE IF NOT EXISTS survived (x int)", "INSERT INTO survived VALUES (1) RETURNING x")
    database, broker = pids(home)
    assert database
    assert broker
    if victims in ("postgres", "everything"):
        os.kill(database, signal.SIGKILL)
    if victims in ("valkey", "everything"):
        os.kill(broker, signal.SIGKILL)
    if victims == "everything":
        child.kill()
        child.wait()
    with use(home) as servers:
        assert ask(servers.owner_url, "SELECT count(*) > 0 FROM survived") is True
        assert ping(servers) == "+PONG"
    child.kill()
    child.wait()
    use(home).release()
    assert pids(home) == (None, None)


def test_a_stale_pid_of_a_stranger_is_no_obstacle(home: Path) -> None:
    stranger = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
    try:
        (home / "postgres" / "postmaster.pid").write_text(f"{stranger.pid}\n{home / 'postgres'}\n1\n5432\n\n\n  1 1\nready\n")
        (home / "valkey" / "valkey.pid").write_text(f"{stranger.pid}\n")
        (home / "run" / "valkey.sock").touch()
        with use(home) as servers:
            assert ask(servers.database_url, "SELECT 1") == 1
            assert ping(servers) == "+PONG"
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_a_stale_pid_of_another_folders_server_ends_no_stranger(home: Path, tmp_path: Path) -> None:
    with use(tmp_path, postgres=False) as other:
        (home / "valkey" / "valkey.pid").write_text((tmp_path / "valkey" / "valkey.pid").read_text())
        with use(home) as servers:
            assert ping(servers) == "+PONG"
        assert ping(other) == "+PONG"
        assert pids(tmp_path)[1] is not None


@pytest.mark.parametrize("victim", [0, 1], ids=["postgres", "valkey"])
def test_a_server_that_dies_in_use_is_mended(home: Path, victim: int) -> None:
    with use(home) as servers:
        servers.mend()
        before = pids(home)
        os.kill(before[victim] or 0, signal.SIGKILL)
        eventually(lambda: pids(home)[victim] is None)
        servers.mend()
        assert pids(home)[victim] not in (None, before[victim])
        assert pids(home)[1 - victim] == before[1 - victim]
        assert ask(servers.database_url, "SELECT 1") == 1
        assert ping(servers) == "+PONG"
    servers.mend()
    assert pids(home) == (None, None), "what was released is not started again"


def test_a_broker_that_cannot_read_what_it_has_kept_begins_anew(tmp_path: Path) -> None:
    """As after a power cut or a full disk. It may lose everything."""
    use(tmp_path, postgres=False).release()
    [kept] = (tmp_path / "valkey").glob("*/*.incr.aof")
    kept.write_bytes(b"*1\r\n$4\r\nPI*3\r\n$3\r\nSET\r\n" * 3)
    with use(tmp_path, postgres=False) as servers:
        assert ping(servers) == "+PONG"


def test_a_broker_that_cannot_write_is_not_started_a_second_time(tmp_path: Path) -> None:
    """On a full disk. Two would write into one file, and the workers would ask one and beat the other."""
    with use(tmp_path, postgres=False) as servers:
        before = pids(tmp_path)
        # Out of the way, but alive.
        servers.redis_socket.rename(tmp_path / "valkey.sock")
        with socket.socket(socket.AF_UNIX) as broken:
            broken.bind(str(servers.redis_socket))
            broken.listen()
            answering = threading.Thread(target=answer, args=(broken, b"-MISCONF Errors writing to the AOF file: No space\r\n"))
            answering.start()
            servers.mend()
            answering.join()
        (tmp_path / "valkey.sock").rename(servers.redis_socket)
        assert pids(tmp_path) == before
        assert ping(servers) == "+PONG"


def answer(listening: socket.socket, line: bytes) -> None:
    client, _ = listening.accept()
    with client:
        client.recv(512)
        client.sendall(line)


def test_a_half_made_folder_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / "postgres.new").mkdir()
    (tmp_path / "postgres.new" / "PG_VERSION").write_text("18\n")
    with use(tmp_path, valkey=False) as servers:
        assert ask(servers.database_url, "SELECT 1") == 1
        with pytest.raises(EmbeddedError, match="without Valkey"):
            _ = servers.redis_url


def test_long_and_strange_paths_get_a_short_private_folder(tmp_path: Path) -> None:
    home = tmp_path / ("it's, a long name " * 6)
    with use(home) as servers:
        assert ask(servers.database_url, "SELECT 1") == 1
        assert ping(servers) == "+PONG"
        folder = servers.redis_socket.parent
        assert len(str(folder)) < 90
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        again = use(home)
        assert again.database_url == servers.database_url
        again.release()
    assert not folder.exists()


def test_below_a_closed_folder_no_parent_is_touched(tmp_path: Path) -> None:
    """Root runs PostgreSQL as another user, who needs access; other users run it themselves."""
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    before = [path.stat().st_mode for path in (closed, *closed.parents)]
    with use(closed / "data", valkey=False) as servers:
        assert ask(servers.database_url, "SELECT 1") == 1
    assert [path.stat().st_mode for path in (closed, *closed.parents)] == before


def test_without_namespaces_root_runs_a_copy_and_other_users_the_programs_themselves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(processes, "namespaces_work", lambda programs, home: False)
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    copied, recorded = os.geteuid() == 0, closed / "postgres-home"
    with use(closed) as servers:
        assert recorded.exists() == copied
        elsewhere = Path(recorded.read_text()) if copied else closed
        assert (str(elsewhere) in caplog.text) == copied
        assert ask(servers.database_url, "SELECT 1") == 1
        assert ((elsewhere / "postgres").stat().st_uid == os.geteuid()) != copied
        assert ping(servers) == "+PONG"
    with use(closed) as servers:
        assert ask(servers.database_url, "SELECT 1") == 1
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700
    with processes.locked(closed / "watch.lock"):  # the watcher is done
        shutil.rmtree(elsewhere)
    if copied:
        with pytest.raises(EmbeddedError, match="is gone"):
            use(closed)


def test_no_programs_is_one_clear_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(EmbeddedError, match="set DATABASE_URL"):
        use(tmp_path)
    with pytest.raises(EmbeddedError, match="set REDIS_URL"):
        use(tmp_path, postgres=False)


def test_a_folder_that_cannot_be_written_is_one_clear_sentence(home: Path) -> None:
    (home / "file").touch()
    with pytest.raises(EmbeddedError, match="data folder"):
        use(home / "file" / "below")


def test_the_command_prints_and_holds(home: Path) -> None:
    child = subprocess.Popen([sys.executable, "-m", "gamesvc.embedded", str(home)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    lines = [child.stdout.readline() for _ in range(3)]
    assert [line.split("=")[0] for line in lines] == ["DATABASE_URL", "DATABASE_OWNER_URL", "REDIS_URL"]
    assert None not in pids(home)
    child.send_signal(signal.SIGTERM)
    assert child.wait(timeout=30) == 0
    eventually(lambda: pids(home) == (None, None))
