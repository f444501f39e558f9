"""Server programs: the user they run as, checks of recorded processes, and locks between processes."""

from __future__ import annotations

import contextlib
import fcntl
import filecmp
import logging
import os
import pwd
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gamesvc.errors import GamesvcError

log = logging.getLogger(__name__)

LARGEST_LOG = 10_000_000


class EmbeddedError(GamesvcError, RuntimeError):
    """The embedded servers cannot be used here. The message gives the reason and an alternative."""


@dataclass(frozen=True, slots=True)
class Runner:
    """The way to start PostgreSQL: the copy of its programs, the folder of its data, and the user.

    PostgreSQL refuses to run as root. `prefix` is put before each command; `user` and `group` are ids to change to.
    """

    bin: Path
    home: Path
    prefix: tuple[str, ...] = ()
    user: int | None = None
    group: int | None = None

    def run(self, program: str, *args: str, timeout: float = 180) -> None:
        """Run a program of PostgreSQL to its end. Raises `EmbeddedError` with its output if it fails.

        Its output goes to a file, not to a pipe: a server started by it would keep a pipe open for ever.
        """
        with tempfile.TemporaryFile("w+", errors="replace") as output:
            done = subprocess.run(
                [*self.prefix, str(self.bin / program), *args],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=self.home,
                user=self.user,
                group=self.group,
                extra_groups=None if self.user is None else [],
                timeout=timeout,
                check=False,
                # Ctrl-C in a terminal is meant for us: we decide about the server.
                start_new_session=True,
            )
            if done.returncode:
                output.seek(0)
                said = " ".join(output.read().split())[-600:]
                raise EmbeddedError(f"PostgreSQL's {program} failed in {self.home}: {said}")

    def mkdir(self, path: Path) -> None:
        """Create a private folder that the server may use."""
        path.mkdir(mode=0o700, exist_ok=True)
        if self.user is not None and self.group is not None:
            os.chown(path, self.user, self.group)


NAMESPACE = ("unshare", "-U", "--map-user=65534", "--map-group=65534")


def choose_runner(programs: Path, home: Path) -> Runner:
    """Return the way to run PostgreSQL with its programs at `programs` and its data below `home`.

    As an ordinary user: directly. As root: in a user namespace, where the server sees an ordinary user and the files stay root's,
    so that nothing has to be opened to other users. If namespaces are forbidden: from a copy owned by an unprivileged user in a
    separate folder, recorded in `home`, so that its data is found again.
    """
    if os.geteuid() != 0:
        return Runner(programs, home)
    recorded = home / "postgres-home"
    if not recorded.exists() and namespaces_work(programs, home):
        return Runner(programs, home, NAMESPACE)
    return _copied(programs, home, recorded)


def namespaces_work(programs: Path, home: Path) -> bool:
    """Return True if root may enter a user namespace and can still access programs and data as the ordinary user there."""
    probe = 'test -w "$1" && exec "$2" --version'
    with contextlib.suppress(FileNotFoundError):
        command = [*NAMESPACE, "sh", "-c", probe, "sh", str(home), str(programs / "postgres")]
        return subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, check=False).returncode == 0
    return False


def _copied(programs: Path, home: Path, recorded: Path) -> Runner:
    """Return a runner of a copy of the programs, as an unprivileged user in a folder of its own."""
    user = _unprivileged_user()
    elsewhere = _recorded_folder(home, recorded, user)
    os.chown(elsewhere, user.pw_uid, user.pw_gid)
    runner = Runner(_copy_programs(programs, elsewhere, user), elsewhere, user=user.pw_uid, group=user.pw_gid)
    try:
        runner.run("postgres", "--version")
    except (EmbeddedError, OSError) as error:
        raise EmbeddedError(
            f"PostgreSQL runs here neither in a user namespace nor as {user.pw_name} ({error}): "
            "start the service as an ordinary user, or set DATABASE_URL."
        ) from error
    return runner


def _unprivileged_user() -> pwd.struct_passwd:
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    raise EmbeddedError(
        "PostgreSQL does not run as root, and there is neither a user namespace nor a user 'nobody' to run it as: "
        "start the service as an ordinary user, or set DATABASE_URL."
    )


def _recorded_folder(home: Path, recorded: Path, user: pwd.struct_passwd) -> Path:
    """Return the folder named in the file `recorded`. Make one and record it at the first start."""
    try:
        elsewhere = Path(recorded.read_text())
    except FileNotFoundError:
        base = "/var/lib" if os.access("/var/lib", os.W_OK) else tempfile.gettempdir()
        elsewhere = Path(tempfile.mkdtemp(prefix="gamesvc-", dir=base))
        recorded.write_text(str(elsewhere))
        log.warning(
            "PostgreSQL does not run as root and user namespaces are forbidden: it runs as %s, with its data in %s.",
            user.pw_name,
            elsewhere,
        )
    if not elsewhere.is_dir():
        raise EmbeddedError(
            f"The database of {home} was kept in {elsewhere}, which is gone: bring it back, or remove {recorded} to start empty."
        )
    return elsewhere


def _copy_programs(programs: Path, elsewhere: Path, user: pwd.struct_passwd) -> Path:
    """Copy the programs with their libraries, unless a complete copy of this version exists. Return their folder."""
    # programs is PACKAGE/pginstall18/bin. The programs look for their libraries beside PACKAGE, or in it.
    package, version = programs.parents[1], programs.parent.name
    copy = elsewhere / "programs"
    copied = copy / package.name / version / "bin"
    # An incomplete copy lacks the mark, which is written last.
    mark = copy / "copied"
    if not mark.exists() or not filecmp.cmp(programs / "postgres", copied / "postgres"):
        shutil.rmtree(copy, ignore_errors=True)
        for folder in (programs.parent, *package.parent.glob(f"{package.name}.libs"), *package.glob(".dylibs")):
            target = copy / folder.relative_to(package.parent)
            shutil.copytree(folder, target, symlinks=True, ignore=shutil.ignore_patterns("include"))
        for path in (copy, *copy.rglob("*")):
            os.lchown(path, user.pw_uid, user.pw_gid)
        mark.touch()
    return copied


def lives(pid_file: Path, mark: str) -> int | None:
    """Return the process in a pid file if it is alive and its command line contains `mark`.

    After a crash or in a new container the number may belong to an unrelated process: hence the mark.
    """
    try:
        pid = int(pid_file.read_text().split(maxsplit=1)[0])
    except (FileNotFoundError, ValueError, IndexError):
        return None
    return pid if shows(pid, mark) else None


def shows(pid: int, mark: str) -> bool:
    """Return True if the process exists and its command line contains `mark` as a whole word: a path, not the end of one."""
    try:
        command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")
    except OSError:
        if Path("/proc/self").exists():
            return False
        listed = subprocess.run(["ps", "-ww", "-o", "command=", "-p", str(pid)], capture_output=True, check=False)
        command = listed.stdout
    return re.search(rb"(?:^|[\s:=])" + re.escape(os.fsencode(mark)) + rb"(?:$|\s)", command) is not None


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a file's exclusive lock. The system releases it when the process ends, however it ends."""
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def held_by_others(path: Path) -> bool:
    """Return True if any process holds the shared lock of this file. Call it under the start lock.

    The watcher may hold the exclusive lock for a moment, once, before it waits for the start lock. So a refusal is tried twice.
    """
    with path.open("a") as file:
        refusals = 0
        while refusals < 2:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                with contextlib.suppress(BlockingIOError):
                    # Granted beside other users, refused beside the watcher, which then releases its lock.
                    fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
                    fcntl.flock(file, fcntl.LOCK_UN)
                    refusals += 1
                time.sleep(0.001)
            else:
                return False
    return True


def rotate(path: Path, largest: int = LARGEST_LOG) -> None:
    """Copy an oversized log to `NAME.1` and empty it. Its writers continue: they append."""
    with contextlib.suppress(OSError):
        if path.stat().st_size > largest:
            shutil.copyfile(path, path.with_name(f"{path.name}.1"))
            os.truncate(path, 0)


def tail(path: Path, characters: int = 600) -> str:
    """Return the end of a log, on one line."""
    try:
        return " ".join(path.read_text(errors="replace")[-characters:].split())
    except FileNotFoundError:
        return "its log is empty"
