"""Checkpoints: made over the heads of all streams, signed, kept, written to a file outside the database, and found again.

Whoever keeps one can prove later that a stream was cut or written anew. The key is not in the database.
"""

from __future__ import annotations

import fcntl
import logging
import os
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning
from django.core.exceptions import ImproperlyConfigured
from django.db import DEFAULT_DB_ALIAS, connections, transaction

from events import canonical, merkle, statements
from events.statements import Checkpoint, Inclusion

log = logging.getLogger(__name__)

# "chkp": makes of two processes that make a checkpoint at once the second wait for the first.
LOCK = 0x63686B70
COLUMNS = "number, made_at, streams, root, previous, key, signature"
TREES = 4

# Each stream's head, found by hops along the primary key: the log itself is not read.
HEADS = """
WITH RECURSIVE hop AS (
    (SELECT stream FROM events_event ORDER BY stream LIMIT 1)
    UNION ALL
    SELECT (SELECT e.stream FROM events_event e WHERE e.stream > hop.stream ORDER BY e.stream LIMIT 1)
    FROM hop WHERE hop.stream IS NOT NULL
)
SELECT hop.stream, h.version, h.hash FROM hop, LATERAL (
    SELECT version, hash FROM events_event e WHERE e.stream = hop.stream ORDER BY version DESC LIMIT 1) h
WHERE hop.stream IS NOT NULL
"""
LEAVES = """
SELECT DISTINCT ON (stream) stream, version, hash FROM events_checkpoint_head
WHERE checkpoint <= %s::int ORDER BY stream, checkpoint DESC
"""

Heads = dict[str, tuple[int, bytes]]


class FileParted(Exception):
    """The file of checkpoints and the database do not tell the same; nothing was written to the file."""


@dataclass(frozen=True, slots=True)
class _Tree:
    """The tree of one checkpoint, kept for the next proofs from it."""

    heads: Heads
    order: dict[str, int]
    salt: bytes
    levels: list[list[bytes]]


_trees: OrderedDict[bytes, _Tree] = OrderedDict()


def seeds() -> list[bytes]:
    """The keys of `CHECKPOINT_KEY`, the one that signs first. Raises `ImproperlyConfigured` for what is no key."""
    try:
        return statements.read_seeds(settings.CHECKPOINT_KEY)
    except ValueError:
        raise ImproperlyConfigured("CHECKPOINT_KEY must be base64 of 32 bytes, several separated by commas.") from None


def check_key(app_configs: object, **_: Any) -> list[CheckMessage]:
    """Tell at the start where no checkpoint can be signed."""
    try:
        if seeds():
            return []
    except ImproperlyConfigured as error:
        return [Error(str(error), id="events.E002")]
    hint = "Without checkpoints nobody can prove that a stream was not written anew. Set CHECKPOINT_KEY (README.md, Settings)."
    return [Warning("There is no key to sign checkpoints with.", hint=hint, id="events.W002")]


def trusted() -> list[bytes]:
    """The public keys of our own checkpoints, today's first."""
    return [statements.public_key(seed) for seed in seeds()]


def make(using: str = DEFAULT_DB_ALIAS, *, unless: tuple[UUID, int] | None = None) -> Checkpoint | None:
    """Sign the heads of all streams as they are now and keep the checkpoint. None if there is no stream yet.

    `unless`: a stream and a version; when the newest checkpoint covers it already, that one is returned and none is made.
    """
    keys = seeds()
    if not keys:
        raise ImproperlyConfigured("Set CHECKPOINT_KEY: the key that signs the checkpoints (README.md, Settings).")
    with transaction.atomic(using), connections[using].cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s::int)", [LOCK])
        before = newest(using)
        known = leaves(before.number, using) if before is not None else {}
        if unless is not None and before is not None and known.get(str(unless[0]), (0, b""))[0] >= unless[1]:
            return before
        cursor.execute(HEADS)
        heads: Heads = {str(stream): (version, bytes(hash)) for stream, version, hash in cursor.fetchall()}
        # A stream that is gone keeps its last leaf: the checkpoint goes on saying that it was there.
        heads = known | heads
        if not heads:
            return None
        salt = os.urandom(16)
        made = statements.sign(
            keys[0],
            number=before.number + 1 if before is not None else 1,
            made_at=datetime.now(UTC),
            streams=len(heads),
            root=root_of(heads, salt),
            previous=before.hash if before is not None else statements.NONE_BEFORE,
        )
        cursor.execute(
            f"INSERT INTO events_checkpoint ({COLUMNS}, salt) VALUES (%s::int, %s::timestamptz, %s::int, %s, %s, %s, %s, %s)",  # noqa: S608
            [made.number, made.made_at, made.streams, made.root, made.previous, made.key, made.signature, salt],
        )
        changed = [(stream, *head) for stream, head in heads.items() if known.get(stream) != head]
        cursor.execute(
            "INSERT INTO events_checkpoint_head (stream, checkpoint, version, hash)"
            " SELECT stream, %s::int, version, hash FROM unnest(%s::uuid[], %s::int[], %s::bytea[]) AS h(stream, version, hash)",
            [made.number, *([row[at] for row in changed] for at in range(3))],
        )
    return made


def root_of(heads: Heads, salt: bytes) -> bytes:
    return merkle.root([merkle.leaf(salt, stream, *heads[stream]) for stream in sorted(heads)])


def newest(using: str = DEFAULT_DB_ALIAS) -> Checkpoint | None:
    return next(iter(page(limit=1, using=using)), None)


def page(before: int | None = None, limit: int = 50, using: str = DEFAULT_DB_ALIAS) -> list[Checkpoint]:
    """Checkpoints with a number below `before`, the newest first."""
    with connections[using].cursor() as cursor:
        cursor.execute(
            f"SELECT {COLUMNS} FROM events_checkpoint WHERE number < %s::int ORDER BY number DESC LIMIT %s::int",  # noqa: S608
            [2**31 - 1 if before is None else min(before, 2**31 - 1), limit],
        )
        return [read_row(row) for row in cursor.fetchall()]


def get(number: int, using: str = DEFAULT_DB_ALIAS) -> Checkpoint | None:
    found = page(number + 1, 1, using)
    return found[0] if found and found[0].number == number else None


def read_row(row: tuple[Any, ...]) -> Checkpoint:
    number, made_at, streams, *rest = row
    return Checkpoint(number, made_at.astimezone(UTC), streams, *map(bytes, rest))


def leaves(number: int, using: str = DEFAULT_DB_ALIAS) -> Heads:
    """Every stream's head at a checkpoint."""
    with connections[using].cursor() as cursor:
        cursor.execute(LEAVES, [number])
        return {str(stream): (version, bytes(hash)) for stream, version, hash in cursor.fetchall()}


def heads_of(stream: UUID, using: str = DEFAULT_DB_ALIAS) -> list[tuple[int, int, bytes]]:
    """The heads of one stream that checkpoints hold: (number of the first with it, version, hash), the newest first."""
    with connections[using].cursor() as cursor:
        cursor.execute(
            "SELECT checkpoint, version, hash FROM events_checkpoint_head WHERE stream = %s::uuid ORDER BY checkpoint DESC",
            [stream],
        )
        return [(number, version, bytes(hash)) for number, version, hash in cursor.fetchall()]


def prove(stream: UUID, number: int, using: str = DEFAULT_DB_ALIAS) -> Inclusion | None:
    """The proof of a stream's head at a checkpoint; None where that checkpoint does not hold the stream."""
    checkpoint = get(number, using)
    if checkpoint is None:
        return None
    tree = _tree(checkpoint, using)
    name = str(stream)
    if name not in tree.order:
        return None
    index = tree.order[name]
    version, hash = tree.heads[name]
    return Inclusion(checkpoint, version, hash, tree.salt, index, tuple(merkle.path(tree.levels, index)))


def _tree(checkpoint: Checkpoint, using: str) -> _Tree:
    known = _trees.get(checkpoint.signature)
    if known is not None:
        return known
    with connections[using].cursor() as cursor:
        cursor.execute("SELECT salt FROM events_checkpoint WHERE number = %s::int", [checkpoint.number])
        salt = bytes(cursor.fetchone()[0])
    heads = leaves(checkpoint.number, using)
    order = sorted(heads)
    grown = merkle.levels([merkle.leaf(salt, stream, *heads[stream]) for stream in order])
    tree = _Tree(heads, {stream: at for at, stream in enumerate(order)}, salt, grown)
    _trees[checkpoint.signature] = tree
    while len(_trees) > TREES:
        _trees.popitem(last=False)
    return tree


# --- the file outside the database ---


def append_file(using: str = DEFAULT_DB_ALIAS) -> int:
    """Append the checkpoints that the file does not hold yet. Returns how many; raises `FileParted`."""
    path = Path(settings.CHECKPOINT_FILE)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as file:
        # Two processes must not both write what both find missing.
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        text = file.read()
        whole = text.rfind(b"\n") + 1
        if whole < len(text):
            # A power cut or a full disk has torn the last line. Written behind it, the next one could not be read either.
            log.warning("%s ended in the middle of a line; its last %s bytes are written anew.", path, len(text) - whole)
            file.truncate(whole)
        written = list(read_file(text[:whole]))
        last = written[-1] if written else None
        if last is not None and get(last.number, using) != last:
            raise FileParted(
                f"{path} ends with checkpoint {last.number}, and the database has "
                f"{'another one' if get(last.number, using) else 'none'} of that number: one of the two was changed or restored."
            )
        missing = _after(last.number if last is not None else 0, using)
        file.write(b"".join(canonical.encode(one.as_json()) + b"\n" for one in missing))
        file.flush()
        os.fsync(file.fileno())
    return len(missing)


def read_file(text: bytes) -> Iterator[Checkpoint]:
    """The checkpoints of the file. Raises `BadCheckpoint` with the number of the line that cannot be read."""
    for number, line in enumerate(text.split(b"\n")[:-1], 1):
        try:
            yield statements.read_checkpoint(canonical.decode(line))
        except ValueError as error:
            raise statements.BadCheckpoint(f"Line {number}: {error}") from None


def _after(number: int, using: str) -> list[Checkpoint]:
    with connections[using].cursor() as cursor:
        cursor.execute(f"SELECT {COLUMNS} FROM events_checkpoint WHERE number > %s::int ORDER BY number", [number])  # noqa: S608
        return [read_row(row) for row in cursor.fetchall()]
