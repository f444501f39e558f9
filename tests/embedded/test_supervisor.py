"""The supervisor with small processes: it restarts them, ends them as a group, and never leaves one behind."""

from __future__ import annotations

import fcntl
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gamesvc.embedded import processes, supervisor
from gamesvc.embedded.supervisor import Supervisor

# Writes its own process id and that of a child, and ends neither of them.
FAMILY = """
import os, subprocess, sys, time
{more}
child = subprocess.Popen([sys.executable, "-c", "import time\\nwhile True: time.sleep(60)"])
with open(sys.argv[1], "a") as file:
    file.write(f"{{os.getpid()}} {{child.pid}}\\n")
while True: time.sleep(60)
"""
STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)"
RUN = """
import sys, time
from pathlib import Path
from gamesvc.embedded.supervisor import Supervisor
import os
folder, *command = sys.argv[1:]
lock = open(Path(folder) / "lock", "a")
import fcntl
fcntl.flock(lock, fcntl.LOCK_EX)
held = Supervisor({"family": command}, environment=dict(os.environ), logs=Path(folder), lock=lock, upkeep=lambda: None)
held.start()
print("started", flush=True)
while True: time.sleep(60)
"""


def family(folder: Path, more: str = "") -> list[str]:
    return [sys.executable, "-c", FAMILY.format(more=more), str(folder / "pids")]


def pids(folder: Path) -> list[list[int]]:
    """Return leader and child of each start so far."""
    path = folder / "pids"
    return [[int(number) for number in line.split()] for line in path.read_text().splitlines()] if path.exists() else []


def lives(pid: int) -> bool:
    """Return True if the process exists and is no zombie."""
    told = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return told.stdout.strip()[:1] not in ("", "Z")


def eventually(condition: Callable[[], object], seconds: float = 30) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


@contextmanager
def supervised(folder: Path, command: list[str], upkeep: Callable[[], None] = lambda: None) -> Iterator[Supervisor]:
    with (folder / "lock").open("a") as lock:
        held = Supervisor({"family": command}, environment=dict(os.environ), logs=folder, lock=lock, upkeep=upkeep)
        held.start()
        try:
            yield held
        finally:
            held.stop()


@contextmanager
def elsewhere(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A supervisor in a separate process, which can be killed."""
    process = subprocess.Popen([sys.executable, "-c", RUN, str(folder), *family(folder)], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
        eventually(lambda: pids(folder))
        yield process
    finally:
        process.kill()
        process.wait()


def test_a_killed_process_comes_back_and_its_children_do_not_stay(tmp_path):
    with supervised(tmp_path, family(tmp_path)) as held:
        eventually(lambda: pids(tmp_path))
        [[leader, child]] = pids(tmp_path)
        assert held.pid("family") == leader == os.getpgid(child) == os.getsid(child)
        os.kill(leader, signal.SIGKILL)
        eventually(lambda: len(pids(tmp_path)) == 2)
        assert not lives(child)
        assert held.pid("family") == pids(tmp_path)[1][0]
    assert not any(lives(pid) for started in pids(tmp_path) for pid in started)


def test_a_stop_kills_what_does_not_end_by_itself(tmp_path, monkeypatch):
    monkeypatch.setattr(supervisor, "STOP_SECONDS", 0.2)
    with supervised(tmp_path, family(tmp_path, STUBBORN)):
        eventually(lambda: pids(tmp_path))
    assert not any(lives(pid) for started in pids(tmp_path) for pid in started)


def test_a_killed_supervisor_leaves_nothing_behind(tmp_path):
    with elsewhere(tmp_path) as process:
        [[leader, child]] = pids(tmp_path)
        process.kill()
        # The folder is free once all have ended, and not before.
        with (tmp_path / "lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
        eventually(lambda: not lives(leader))
        assert not lives(child)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process with its parent (PR_SET_PDEATHSIG)")
def test_without_its_reaper_too_the_processes_die_with_the_supervisor(tmp_path):
    with elsewhere(tmp_path) as process:
        [[leader, child]] = pids(tmp_path)
        told = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)], capture_output=True, text=True, check=True)
        [reaper] = {int(pid) for pid in told.stdout.split()} - {leader}
        # Both are stopped, so that neither can react to the other's end.
        os.kill(process.pid, signal.SIGSTOP)
        os.kill(reaper, signal.SIGKILL)
        process.kill()
        eventually(lambda: not lives(leader))
        assert lives(child), "the signal is for the leader; its child is the reaper's to end"
        os.kill(child, signal.SIGKILL)
        eventually(lambda: not lives(child))
        eventually(lambda: not lives(reaper))


def test_a_killed_reaper_is_replaced(tmp_path):
    with supervised(tmp_path, family(tmp_path)) as held:
        eventually(lambda: pids(tmp_path))
        first = held._reaper
        assert first is not None
        first.kill()
        eventually(lambda: held._reaper is not first and held._reaper is not None)


def test_the_supervisor_survives_whatever_fails(tmp_path, monkeypatch, caplog):
    caplog.set_level(logging.ERROR)
    failures = iter(range(3))
    popen = subprocess.Popen

    def fails_at_first(command, **more):
        if "-c" in command and next(failures, None) is not None:
            raise OSError("too many processes")
        return popen(command, **more)

    def upkeep() -> None:
        raise RuntimeError("the database cannot be started")

    monkeypatch.setattr(supervisor, "UPKEEP_SECONDS", 0.05)
    monkeypatch.setattr(supervisor.subprocess, "Popen", fails_at_first)
    with supervised(tmp_path, family(tmp_path), upkeep):
        eventually(lambda: pids(tmp_path))
        os.kill(pids(tmp_path)[0][0], signal.SIGKILL)
        eventually(lambda: len(pids(tmp_path)) == 2)
    said = [record.getMessage() for record in caplog.records if record.name == supervisor.__name__]
    assert sorted(said) == [
        "The supervisor failed at family; it tries again.",
        "The supervisor failed at upkeep; it tries again.",
    ]


def test_a_log_that_grows_too_large_is_put_aside(tmp_path, monkeypatch):
    monkeypatch.setattr(processes.rotate, "__defaults__", (1000,))
    log = tmp_path / "family.log"
    chatty = "import sys, time\nwhile True: print('x' * 99, flush=True); time.sleep(0.001)"
    with supervised(tmp_path, [sys.executable, "-c", chatty]):
        eventually(lambda: (tmp_path / "family.log.1").exists())
        before = (tmp_path / "family.log.1").stat().st_mtime_ns
        eventually(lambda: (tmp_path / "family.log.1").stat().st_mtime_ns != before)
    assert "x" * 99 in log.with_name("family.log.1").read_text()
    assert "\0" not in log.read_text()


def test_a_mark_is_a_whole_path():
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", "unix:/a/var/postgres"])
    try:
        eventually(lambda: processes.shows(process.pid, "/a/var/postgres"))
        assert not processes.shows(process.pid, "/var/postgres")
        assert not processes.shows(process.pid, "/a/var/post")
    finally:
        process.kill()
        process.wait()
