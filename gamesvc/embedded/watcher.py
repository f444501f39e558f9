"""Stops the servers of a data folder once nobody uses them, even if the last user was killed or ended by `os._exit`.

It is a separate process, started as a script by `use`. Until it wakes it needs only the standard library.
"""

from __future__ import annotations

import fcntl
import subprocess
import sys
from pathlib import Path

PID_FILES = ("postgres/postmaster.pid", "valkey/valkey.pid", "postgres-home")


def start(home: Path) -> subprocess.Popen[bytes]:
    """Start the watcher of this folder. A second one notices the first and ends. The caller holds the start lock."""
    # In a session of its own: Ctrl-C in a terminal is meant for the users, and the watcher outlives them.
    return subprocess.Popen(
        [sys.executable, __file__, str(home)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=home,
        start_new_session=True,
    )


def watch(home: Path) -> None:
    """Wait until nobody holds the folder, then stop its servers."""
    with (home / "watch.lock").open("a") as own, (home / "users.lock").open("a") as users:
        try:
            fcntl.flock(own, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        while True:
            # Granted when the last user is gone, and released at once: a new user must not wait for us.
            fcntl.flock(users, fcntl.LOCK_EX)
            fcntl.flock(users, fcntl.LOCK_UN)
            # Usually the last user has stopped the servers. Opened for reading: the folder may be about to be removed, and a new
            # file would prevent that.
            with (home / "start.lock").open() as starting:
                fcntl.flock(starting, fcntl.LOCK_EX)
                if not any((home / name).exists() for name in PID_FILES):
                    own.close()
                    return
            sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
            from gamesvc.embedded import stop_unused  # only now: it loads psycopg

            if stop_unused(home, before_leaving=own.close):
                return


if __name__ == "__main__":
    # A script's own folder comes first on the path, where `postgres` and `valkey` would hide other modules.
    sys.path.pop(0)
    try:
        watch(Path(sys.argv[1]))
    except FileNotFoundError:
        sys.exit("The data folder is gone, and with it what there was to stop.")
