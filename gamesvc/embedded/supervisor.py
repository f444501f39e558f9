"""Supervisor of processes: keeps them running, each in its own session, and ends all on request or with its own death.

One thread starts, watches and ends them. On Linux a child dies with the thread that started it (`launch`), so that thread lives
until the last child has ended. A process is ended with its whole group: servers and workers have children of their own.
"""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

from gamesvc.embedded import launch, reaper
from gamesvc.embedded.processes import rotate

log = logging.getLogger(__name__)

LOOK_SECONDS = 0.2
UPKEEP_SECONDS = 1.0
# Processes that end soon after their start are restarted after a pause, longer each time.
FIRST_PAUSE, LONGEST_PAUSE, STEADY_SECONDS = 0.5, 30.0, 10.0
# Processes that have not ended this long after the request are killed.
STOP_SECONDS = 7.0
COMPLAIN_SECONDS = 60.0


@dataclass(slots=True)
class Child:
    """A running process, or the time of its next start."""

    process: subprocess.Popen[bytes]
    began: float
    pause: float
    again_at: float | None = None

    def ended(self) -> bool:
        """Return True if it has ended, without reaping it: until then no other process can get its group id."""
        if self.process.returncode is not None:
            return True
        return os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def launched(command: Sequence[str]) -> list[str]:
    """Return the command that runs `command` so that it dies with this process."""
    return [sys.executable, "-I", "-S", launch.__file__, str(os.getpid()), *command]


class Supervisor:
    """Runs `commands` under their names. `lock` is the held lock of the data folder; `upkeep` is called about once a second."""

    def __init__(
        self,
        commands: Mapping[str, Sequence[str]],
        *,
        environment: Mapping[str, str],
        logs: Path,
        lock: IO[str],
        upkeep: Callable[[], None],
    ) -> None:
        self._commands = commands
        self._environment = environment
        self._logs = logs
        self._lock = lock
        self._upkeep = upkeep
        self._children: dict[str, Child] = {}
        self._reaper: subprocess.Popen[str] | None = None
        self._stopping = threading.Event()
        self._complained: dict[str, float] = {}
        self._threads = [
            threading.Thread(target=self._watch, name="supervisor", daemon=True),
            threading.Thread(target=self._keep_up, name="upkeep", daemon=True),
        ]

    def start(self) -> None:
        """Start all processes. Returns at once."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """End all processes, in slightly more than `STOP_SECONDS` at most. A second call does nothing."""
        self._stopping.set()
        for thread in self._threads:
            if thread.is_alive():
                thread.join(timeout=STOP_SECONDS + 2)

    def pid(self, name: str) -> int:
        """Return the process that now runs under this name. It leads its group."""
        return self._children[name].process.pid

    # --- the one thread that owns the processes ---

    def _watch(self) -> None:
        while not self._stopping.is_set():
            self._try("the reaper", self._keep_reaper)
            for name in self._commands:
                self._try(name, partial(self._keep, name))
            self._stopping.wait(LOOK_SECONDS)
        self._end_all()

    def _keep(self, name: str) -> None:
        """Start a process that is not running, unless it has to pause."""
        rotate(self._log(name))
        child, now = self._children.get(name), time.monotonic()
        if child is None:
            self._start(name, FIRST_PAUSE)
        elif child.again_at is None:
            if not child.ended():
                return
            self._bury(child)
            steady = now - child.began > STEADY_SECONDS
            child.pause = FIRST_PAUSE if steady else min(2 * child.pause, LONGEST_PAUSE)
            child.again_at = now + child.pause
            log.warning("%s ended (%s) and is started again; its log is %s.", name, child.process.returncode, self._log(name))
        elif now >= child.again_at:
            self._start(name, child.pause)

    def _start(self, name: str, pause: float) -> None:
        with self._log(name).open("ab") as output:
            process = subprocess.Popen(
                launched(self._commands[name]),
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        self._children[name] = Child(process, time.monotonic(), pause)
        self._tell_reaper(f"+{process.pid}")

    def _bury(self, child: Child) -> None:
        """Kill the rest of a group, and reap its leader."""
        # macOS denies permission if only the dead leader is left.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.process.pid, signal.SIGKILL)
        child.process.wait()
        self._tell_reaper(f"-{child.process.pid}")

    def _end_all(self) -> None:
        running = [child for child in self._children.values() if child.process.returncode is None]
        for child in running:
            if not child.ended():
                # Only the leaders: each ends its own children after they have finished their work.
                child.process.terminate()
        until = time.monotonic() + STOP_SECONDS
        while time.monotonic() < until and not all(child.ended() for child in running):
            time.sleep(0.02)
        for child in running:
            self._bury(child)
        if self._reaper is not None and self._reaper.stdin is not None:
            self._reaper.stdin.close()
            self._reaper.wait()

    # --- tasks that must go on whatever happens ---

    def _keep_reaper(self) -> None:
        if self._reaper is None or self._reaper.poll() is not None:
            self._reaper = reaper.start(self._lock)
            for child in self._children.values():
                if child.process.returncode is None:
                    self._tell_reaper(f"+{child.process.pid}")

    def _tell_reaper(self, line: str) -> None:
        if self._reaper is not None and self._reaper.stdin is not None:
            try:
                self._reaper.stdin.write(f"{line}\n")
            except OSError:
                log.warning("The reaper is gone; another one is started.")

    def _keep_up(self) -> None:
        # In a separate thread: servers take seconds to start.
        while not self._stopping.wait(UPKEEP_SECONDS):
            self._try("upkeep", self._upkeep)

    def _try(self, what: str, step: Callable[[], None]) -> None:
        try:
            step()
        except Exception:
            now = time.monotonic()
            if now - self._complained.get(what, -COMPLAIN_SECONDS) >= COMPLAIN_SECONDS:
                self._complained[what] = now
                log.exception("The supervisor failed at %s; it tries again.", what)

    def _log(self, name: str) -> Path:
        return self._logs / f"{name}.log"
