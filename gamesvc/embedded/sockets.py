"""The private folder of the sockets.

A socket's path may have 107 bytes, and PostgreSQL reads commas and quotes in it as a list. If the data folder's own path does not
fit, a short folder in the temporary directory is used and recorded in the data folder.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
from pathlib import Path

from gamesvc.embedded.processes import EmbeddedError

LONGEST = 107 - len("/.s.PGSQL.5432")


def find_folder(home: Path, owner: int | None = None) -> Path:
    """Return the folder for the sockets of this data folder, created if needed. Only its owner may enter it."""
    folder = home / "run"
    record = home / "socket-folder"
    if not _fits(folder):
        if record.exists() and _private(recorded := Path(record.read_text()), owner):
            return recorded
        for base in dict.fromkeys((tempfile.gettempdir(), "/tmp")):
            if _fits(Path(base) / "gamesvc-xxxxxxxx"):
                folder = Path(tempfile.mkdtemp(prefix="gamesvc-", dir=base))
                break
        else:
            raise EmbeddedError(f"The path {home} is too long for a socket (107 bytes): choose a shorter data folder.")
        record.write_text(str(folder))
    folder.mkdir(mode=0o700, exist_ok=True)
    if owner is not None:
        os.chown(folder, owner, -1)
    if not _private(folder, owner):
        raise EmbeddedError(f"{folder} must be a folder of mode 0700 that belongs to the user who starts the service.")
    return folder


def remove_folder(home: Path) -> None:
    """Remove the short folder in the temporary directory once no server uses it."""
    record = home / "socket-folder"
    if record.exists():
        shutil.rmtree(record.read_text(), ignore_errors=True)
        record.unlink()


def _fits(path: Path) -> bool:
    return len(os.fsencode(path)) <= LONGEST and re.fullmatch(r"[\w/.+-]+", str(path), re.ASCII) is not None


def _private(path: Path, owner: int | None) -> bool:
    try:
        found = path.lstat()
    except FileNotFoundError:
        return False
    return (
        stat.S_ISDIR(found.st_mode)
        and stat.S_IMODE(found.st_mode) == 0o700
        and found.st_uid == (os.geteuid() if owner is None else owner)
    )
