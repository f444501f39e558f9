"""Killer of the process groups of a supervisor that died without stopping them. Run as a script; standard library only.

It reads lines `+GROUP` and `-GROUP` from the supervisor. At the end of its input the supervisor is gone: it then kills every
remaining group with all descendants. It inherits the lock of the data folder, so that the folder is free only when nothing
runs in it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import IO

GONE_SECONDS = 5.0


def start(lock: IO[str]) -> subprocess.Popen[str]:
    """Start a reaper that holds `lock` beside us."""
    return subprocess.Popen(
        [sys.executable, "-I", "-S", __file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=[lock.fileno()],
        start_new_session=True,
        text=True,
        bufsize=1,
    )


def reap(lines: Iterable[str]) -> None:
    """Keep track of the groups until the supervisor is gone, then kill the remaining ones and wait for their end."""
    groups: set[int] = set()
    for line in lines:
        if line.startswith("+"):
            groups.add(int(line))
        else:
            groups.discard(-int(line))
    until = time.monotonic() + GONE_SECONDS
    while groups and time.monotonic() < until:
        for group in list(groups):
            try:
                os.killpg(group, signal.SIGKILL)
            except ProcessLookupError:
                groups.remove(group)
        time.sleep(0.02)


if __name__ == "__main__":
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    with suppress(KeyboardInterrupt):
        reap(sys.stdin)
