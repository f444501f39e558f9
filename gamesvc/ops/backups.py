"""Backups: database, keys and checkpoint file together, and their restoration into an empty server.

    DIR/database.dump        all tables, by pg_dump (custom format), of one moment
    DIR/checkpoints.jsonl    the signed checkpoints, copied before that moment: the file is never ahead of the tables
    DIR/keys/NAME            SECRET_KEY, MATCH_KEYS, CHECKPOINT_KEY, unless they are kept elsewhere
    DIR/manifest.json        written last: the files with their SHA-256, and their origin

Nothing here knows the tables. After a restore the command migrates, begins a new epoch of the feed, and audits the result.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import psycopg
from django.conf import settings
from django.core.management import call_command
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import TupleRow

from events import canonical, epochs
from events.proofs import checkpoints
from events.proofs.statements import BadCheckpoint
from gamesvc.embedded.postgres import bundled_programs
from gamesvc.errors import GamesvcError
from gamesvc.games.kernel.wording import counted
from gamesvc.json_types import JsonObject
from gamesvc.matches.models import Match
from gamesvc.matches.record import secrets

FORMAT = 1
DUMP, CHECKPOINTS, KEYS, MANIFEST = "database.dump", "checkpoints.jsonl", "keys", "manifest.json"
NAMES = ("SECRET_KEY", "MATCH_KEYS", "CHECKPOINT_KEY")
_PARTS = {"migrations": list, "server": int, "epoch": int, "keys": dict, "files": dict}
"""The parts of a manifest that a restore reads, with their types."""


class BackupError(GamesvcError):
    """The backup cannot be made or restored. The message gives the reason and the remedy. Nothing was changed."""


@dataclass(frozen=True, slots=True)
class Made:
    """A backup in its folder."""

    folder: Path
    manifest: JsonObject


@dataclass(slots=True)
class Restored:
    """The result of a restore. `lost`: parts of the backup that are missing, in sentences."""

    epoch: int
    notes: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)


# --- making a backup ---


def make(folder: Path, *, with_keys: bool = True) -> Made:
    """Write a backup into an empty or new folder while the service runs. Raises `BackupError`."""
    folder = folder.absolute()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BackupError(f"{folder} is not empty: give each backup a folder of its own.")
    with _owner() as connection:
        server = connection.info.server_version // 10_000
        [epoch] = connection.execute("SELECT epoch FROM events_epoch").fetchone() or (0,)
    dump = _program("pg_dump", server)
    partial = folder.with_name(f"{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(mode=0o700, parents=True)
    try:
        _copy_checkpoints(partial)
        if with_keys:
            _write_keys(partial / KEYS)
        _run(dump, "--format=custom", "--no-owner", "--no-privileges", f"--file={partial / DUMP}", f"--dbname={_target()}")
        os.chmod(partial / DUMP, 0o600)
        # Reads the whole table of contents: a dump that is unreadable now would be useless later.
        _run(_program("pg_restore", server), "--list", str(partial / DUMP))
        manifest = {
            "format": FORMAT,
            "made_at": canonical.write_time(datetime.now(UTC)),
            "epoch": epoch,
            "server": server,
            "migrations": sorted(f"{app}.{name}" for app, name in _applied()),
            "keys": _fingerprints(),
            "files": {str(path.relative_to(partial)): _sha256(path) for path in sorted(partial.rglob("*")) if path.is_file()},
        }
        _write(partial / MANIFEST, json.dumps(manifest, indent=1) + "\n")
        if folder.exists():
            folder.rmdir()
        partial.rename(folder)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    return Made(folder, manifest)


def _copy_checkpoints(folder: Path) -> None:
    source = Path(settings.CHECKPOINT_FILE)
    if source.exists():
        written = source.read_bytes()
        _write(folder / CHECKPOINTS, written[: written.rfind(b"\n") + 1])


def _write_keys(folder: Path) -> None:
    folder.mkdir(mode=0o700)
    for name in NAMES:
        _write(folder / name, getattr(settings, name))


def _fingerprints() -> dict[str, str]:
    """Return fingerprints that distinguish keys and reveal nothing else about them."""
    return {name: _fingerprint(getattr(settings, name)) for name in NAMES}


def _fingerprint(key: str) -> str:
    return hmac.digest(key.encode(), b"gamesvc.backup/1", "sha256").hex()[:32] if key else ""


# --- restoring a backup ---


def restore(folder: Path) -> Restored:
    """Restore a backup into an empty server. Raises `BackupError` before anything is changed."""
    folder = folder.absolute()
    manifest = _read_manifest(folder)
    if newer := sorted(set(manifest["migrations"]) - _known()):
        raise BackupError(f"The backup was made by a newer version of the service ({newer[0]} is not known): install that first.")
    with _owner() as connection:
        server = connection.info.server_version // 10_000
        if (tables := _tables(connection)) != 0:
            raise BackupError(
                f"The database {connection.info.dbname} is not empty ({tables} tables): a backup is brought back into an empty "
                "server only. Name a new one in DATABASE_URL and DATABASE_OWNER_URL, or a new folder in GAMESVC_DATA. What a "
                "restore that was broken off has left is such a database, too: its epoch, keys and checkpoints may be missing."
            )
    program = _program("pg_restore", max(server, manifest["server"]))
    _run(
        program, "--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges",
        f"--dbname={_target()}", str(folder / DUMP),
    )  # fmt: skip
    call_command("migrate", interactive=False, verbosity=0, skip_checks=True)
    epoch = _epoch()
    if epoch <= manifest["epoch"]:  # the same server as before: the migration has seen no difference
        epoch = epochs.bump(DEFAULT_DB_ALIAS)
    restored = Restored(epoch)
    _bring_back_keys(folder, manifest, restored)
    _bring_back_checkpoints(folder, restored)
    restored.lost += _lost_secrets()
    return restored


def _read_manifest(folder: Path) -> JsonObject:
    try:
        manifest: JsonObject = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        files = dict(manifest["files"])
    except FileNotFoundError:
        raise BackupError(f"{folder} holds no whole backup: it has no {MANIFEST}.") from None
    except (ValueError, KeyError, TypeError):
        raise BackupError(f"{folder / MANIFEST} cannot be read.") from None
    if manifest.get("format") != FORMAT:
        raise BackupError(f"{folder / MANIFEST} has format {manifest.get('format')}; this version reads format {FORMAT}.")
    # Whatever is missing would be missed only when half of the backup is there.
    if not all(isinstance(manifest.get(name), kind) for name, kind in _PARTS.items()) or DUMP not in files:
        raise BackupError(f"{folder / MANIFEST} is not one that a backup wrote. Take another backup.")
    for name, expected in files.items():
        path = folder / name
        if name.startswith(f"{KEYS}/") and not path.exists():
            continue  # kept elsewhere; the consequences are reported later
        if not path.is_file() or _sha256(path) != expected:
            raise BackupError(f"{path} is missing or damaged: it is not what the backup wrote. Take another backup.")
    return manifest


def _bring_back_keys(folder: Path, manifest: JsonObject, restored: Restored) -> None:
    """Replace keys that this server generated by those of the backup. Keys from the environment stay."""
    for name in NAMES:
        kept, made = folder / KEYS / name, settings.DATA_DIR / "secrets" / name
        if kept.exists() and made.exists() and made.read_text(encoding="ascii") == getattr(settings, name):
            _write(made, kept.read_text(encoding="ascii"))
            setattr(settings, name, kept.read_text(encoding="ascii"))
            os.environ[name] = getattr(settings, name)
        if not manifest["keys"].get(name) or _fingerprint(getattr(settings, name)) == manifest["keys"][name]:
            continue
        if name == "SECRET_KEY":
            restored.lost.append(
                "SECRET_KEY has changed: all users must sign in again, and links and reply addresses in mails sent before "
                "no longer work."
            )
        elif name == "CHECKPOINT_KEY":
            restored.lost.append(
                "CHECKPOINT_KEY has changed: earlier checkpoints can be checked with the old public key only. Tell all who "
                "trust that key about the new one."
            )
        if kept.exists():
            restored.notes.append(f"{name} comes from the environment and is not that of the backup: set it to {kept}.")


def _bring_back_checkpoints(folder: Path, restored: Restored) -> None:
    source, target = folder / CHECKPOINTS, Path(settings.CHECKPOINT_FILE)
    if not source.exists():
        return
    written = source.read_bytes()
    if target.exists() and target.read_bytes() != written:
        aside = target.with_name(f"{target.name}.before-restore-{datetime.now(UTC):%Y%m%dT%H%M%SZ}")
        newer = _last_number(target) - _last_number(source)
        target.rename(aside)
        restored.notes.append(f"The checkpoints found in {target} were put aside as {aside}.")
        if newer > 0:
            restored.lost.append(
                f"Made after this backup: {counted(newer, 'checkpoint')} in {aside}. What happened since the backup is lost."
            )
    target.parent.mkdir(parents=True, exist_ok=True)
    _write(target, written)


def _last_number(path: Path) -> int:
    try:
        return max((one.number for one in checkpoints.read_file(path.read_bytes())), default=0)
    except BadCheckpoint:
        return 0


def _lost_secrets() -> Iterator[str]:
    """Yield the matches that can no longer draw, by the key that would open their secrets."""
    waiting = Match.objects.filter(status__in=Match.UNFINISHED)
    for key_id in sorted(set(waiting.values_list("key_id", flat=True))):
        own = waiting.filter(key_id=key_id).order_by("number")
        try:
            first = own[0]
            secrets.open_secret(first.key_id, first.sealed_secret, first.pk)
        except secrets.WrongKey:
            numbers = list(own.values_list("number", flat=True))
            named = ", ".join(map(str, numbers[:10])) + (f" and {len(numbers) - 10} more" if len(numbers) > 10 else "")
            yield (
                f"MATCH_KEYS does not open what key {key_id!r} sealed: {counted(len(numbers), 'match', 'matches')} cannot draw, "
                f"end or be proved ({named}). Matches that are over are whole: their secret is in their last event."
            )


# --- PostgreSQL ---


def _program(name: str, version: int) -> Path:
    """Return a program of PostgreSQL not older than the server, from the wheel or the PATH. Raises `BackupError`."""
    bundled = bundled_programs()
    on_path = shutil.which(name)
    candidates = [bundled / name] if bundled is not None else []
    candidates += [Path(on_path)] if on_path else []
    candidates += sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), reverse=True)
    for candidate in candidates:
        if candidate.exists() and _version(candidate) >= version:
            return candidate
    raise BackupError(f"There is no {name} of PostgreSQL {version} or newer here: install the PostgreSQL client programs.")


def _version(program: Path) -> int:
    said = subprocess.run([str(program), "--version"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"(\d+)", said)
    return int(found.group(1)) if found else 0


def _run(program: Path, *arguments: str) -> None:
    password = conninfo_to_dict(settings.DATABASE_OWNER_URL).get("password")
    # Not on the command line, which everyone on the machine can read.
    environment = {**os.environ, **({"PGPASSWORD": str(password)} if password else {})}
    done = subprocess.run([str(program), *arguments], env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BackupError(f"{program.name} failed: {' '.join(done.stderr.split())[-600:]}")


def _target() -> str:
    parts = conninfo_to_dict(settings.DATABASE_OWNER_URL)
    parts.pop("password", None)
    return make_conninfo("", **parts)


def _owner() -> psycopg.Connection[TupleRow]:
    return psycopg.connect(settings.DATABASE_OWNER_URL, autocommit=True)


def _tables(connection: psycopg.Connection[TupleRow]) -> int:
    found = connection.execute(
        "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
        " WHERE c.relkind IN ('r', 'p', 'v', 'S') AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'"
    ).fetchone()
    return int(found[0]) if found else 0


def _epoch() -> int:
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute("SELECT epoch FROM events_epoch")
        return int(cursor.fetchone()[0])


def _applied() -> set[tuple[str, str]]:
    return set(MigrationRecorder(connections[DEFAULT_DB_ALIAS]).applied_migrations())


def _known() -> set[str]:
    """Return the migrations of this code and its libraries."""
    return {f"{app}.{name}" for app, name in MigrationLoader(None).disk_migrations}


# --- files ---


def _write(path: Path, content: str | bytes) -> None:
    """Write a private file atomically."""
    fresh = path.with_name(f"{path.name}.new")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
