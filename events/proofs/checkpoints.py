"""Checkpoints over the heads of streams: made, signed, stored, written to a file outside the database, and looked up.

A kept checkpoint proves later that a stream was cut or rewritten. The key is not in the database.

A checkpoint holds the heads that moved since the one before it, to which it is chained, so its cost depends on what moved. Its
tree still has a place for every stream: heads get new random places each time, and everything between them is random (`blind`).
So neither root nor proof reveals how many heads moved, or which. Older checkpoints hold every stream's head.
"""

from __future__ import annotations

import fcntl
import hmac
import logging
import os
import random
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning
from django.core.exceptions import ImproperlyConfigured
from django.db import DEFAULT_DB_ALIAS, connections, transaction

from events import canonical
from events.proofs import merkle, statements
from events.proofs.statements import Checkpoint, Inclusion
from gamesvc.errors import GamesvcError

log = logging.getLogger(__name__)

# "chkp": of two processes that make a checkpoint at once, the second waits for the first.
LOCK = 0x63686B70
COLUMNS = "number, made_at, streams, root, previous, key, signature"
TREES = 4
# Instead of the one salt that all leaves of a checkpoint once shared.
SALTED_BY_LEAF = b""
# Bytes read at the file's end to find its last line; a line has less than a thousand.
LAST_LINES = 8192

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
# No event below it that is invisible now can still appear.
HORIZON = "SELECT epoch, pg_snapshot_xmin(pg_current_snapshot())::text FROM events_epoch"
# The heads of the streams with events since a horizon, each beside the last head in a checkpoint. The horizon is not compared as
# a row, `(epoch, xid) >= ...`: the planner looks at the first column of that alone, expects all events, and reads the whole log.
MOVED = """
SELECT h.stream, h.version, h.hash, k.version, k.hash
FROM (SELECT DISTINCT stream FROM events_event
    WHERE epoch = %s::smallint AND xid >= %s::text::xid8 OR epoch = ANY(%s::smallint[])) AS m,
LATERAL (SELECT stream, version, hash FROM events_event e WHERE e.stream = m.stream ORDER BY version DESC LIMIT 1) AS h
LEFT JOIN LATERAL (
    SELECT version, hash FROM events_checkpoint_head c WHERE c.stream = h.stream ORDER BY checkpoint DESC LIMIT 1
) AS k ON true
"""

Heads = dict[str, tuple[int, bytes]]


class FileParted(GamesvcError):
    """The checkpoint file and the database contradict each other. Nothing was written to the file."""


@dataclass(frozen=True, slots=True)
class _Tree:
    """The tree of one checkpoint, kept for the next proofs from it. `places`: the place of each stream's leaf."""

    heads: Heads
    places: dict[str, int]
    salt: bytes
    blind: bytes
    levels: merkle.Tree


_trees: OrderedDict[bytes, _Tree] = OrderedDict()
_chance = random.SystemRandom()


def seeds() -> list[bytes]:
    """Return the keys of `CHECKPOINT_KEY`, the signing one first. Raises `ImproperlyConfigured` for an invalid key."""
    try:
        return statements.read_seeds(settings.CHECKPOINT_KEY)
    except ValueError:
        raise ImproperlyConfigured("CHECKPOINT_KEY must be base64 of 32 bytes, several separated by commas.") from None


def check_key(app_configs: object, **_: object) -> list[CheckMessage]:
    """Report at the start if no checkpoint can be signed."""
    try:
        if seeds():
            return []
    except ImproperlyConfigured as error:
        return [Error(str(error), id="events.E002")]
    hint = (
        "Without checkpoints nobody can prove that a stream was not rewritten. Set CHECKPOINT_KEY (deploy/README.md, Settings)."
    )
    return [Warning("There is no key to sign checkpoints with.", hint=hint, id="events.W002")]


def trusted() -> list[bytes]:
    """Return the public keys of our own checkpoints, the present one first."""
    return [statements.public_key(seed) for seed in seeds()]


def make(using: str = DEFAULT_DB_ALIAS, *, unless: tuple[UUID, int] | None = None) -> Checkpoint | None:
    """Sign the heads that moved since the newest checkpoint, and store the new one. Return None if there is no stream yet.

    `unless`: a stream and a version; if checkpoints cover it already, the newest is returned and none is made.
    """
    keys = seeds()
    if not keys:
        raise ImproperlyConfigured("Set CHECKPOINT_KEY: the key that signs the checkpoints (deploy/README.md, Settings).")
    with transaction.atomic(using), connections[using].cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s::int)", [LOCK])
        before = newest(using)
        if before is not None and unless is not None and _covered(*unless, using):
            return before
        cursor.execute(HORIZON)
        horizon = cursor.fetchone()
        heads, streams = _moved(before, using)
        if not streams:
            return None
        places = dict(zip(heads, _chance.sample(range(streams), len(heads)), strict=True))
        blind = os.urandom(32)
        made = statements.sign(
            keys[0],
            number=before.number + 1 if before is not None else 1,
            made_at=datetime.now(UTC),
            streams=streams,
            root=grow(heads, places, streams, SALTED_BY_LEAF, blind)[-1][0],
            previous=before.hash if before is not None else statements.NONE_BEFORE,
        )
        _store(made, blind, horizon, using)
        _store_heads(made, heads, places, using)
    return made


def _covered(stream: UUID, version: int, using: str) -> bool:
    """Return True if checkpoints hold a stream's head at this version or a later one."""
    newest_head = heads_of(stream, using, most=1)
    return bool(newest_head) and newest_head[0][1] >= version


def _store(made: Checkpoint, blind: bytes, horizon: tuple[int, str], using: str) -> None:
    """Store the row of a checkpoint, with what is needed for proofs from it and for the next one."""
    signed = (made.number, made.made_at, made.streams, made.root, made.previous, made.key, made.signature)
    with connections[using].cursor() as cursor:
        cursor.execute(
            f"INSERT INTO events_checkpoint ({COLUMNS}, salt, blind, epoch, xid) VALUES"  # noqa: S608
            " (%s::int, %s::timestamptz, %s::int, %s, %s, %s, %s, %s, %s, %s::smallint, %s::text::xid8)",
            [*signed, SALTED_BY_LEAF, blind, *horizon],
        )


def _store_heads(made: Checkpoint, heads: Heads, places: Mapping[str, int], using: str) -> None:
    """Store the heads that a checkpoint itself holds, each with its place."""
    rows = [(stream, *head, places[stream]) for stream, head in heads.items()]
    with connections[using].cursor() as cursor:
        cursor.execute(
            "INSERT INTO events_checkpoint_head (stream, checkpoint, version, hash, place) SELECT stream, %s::int, version, hash,"
            " place FROM unnest(%s::uuid[], %s::int[], %s::bytea[], %s::int[]) AS h(stream, version, hash, place)",
            [made.number, *([row[at] for row in rows] for at in range(4))],
        )


def _moved(before: Checkpoint | None, using: str) -> tuple[Heads, int]:
    """Return the heads that differ from those in checkpoints, and the number of streams including them.

    A deleted stream still counts: its last head remains in the checkpoint that holds it.
    """
    with connections[using].cursor() as cursor:
        horizon = None
        if before is not None:
            cursor.execute("SELECT epoch, xid::text FROM events_checkpoint WHERE number = %s::int", [before.number])
            horizon = cursor.fetchone()
        if before is None or horizon is None or horizon[0] is None:
            known = leaves(before.number, using) if before is not None else {}
            cursor.execute(HEADS)
            heads: Heads = {str(stream): (version, bytes(hash)) for stream, version, hash in cursor.fetchall()}
            return {stream: head for stream, head in heads.items() if known.get(stream) != head}, len(known | heads)
        cursor.execute("SELECT epoch FROM events_epoch")
        later = list(range(horizon[0] + 1, cursor.fetchone()[0] + 1))
        cursor.execute(MOVED, [*horizon, later])
        found = cursor.fetchall()
    moved = {
        str(row[0]): (row[1], bytes(row[2]))
        for row in found
        if row[3] is None or (row[1], bytes(row[2])) != (row[3], bytes(row[4]))
    }
    return moved, before.streams + sum(row[3] is None for row in found)


def grow(heads: Heads, places: Mapping[str, int], size: int, salt: bytes, blind: bytes) -> merkle.Tree:
    """Return the tree of a checkpoint over the heads that moved, each at its place among `size`."""
    found = {places[stream]: merkle.leaf(salt_of(stream, salt, blind), stream, *head) for stream, head in heads.items()}
    return merkle.sparse(found, size, lambda level, place: hmac.digest(blind, b"%d %d" % (level, place), "sha256"))


def salt_of(stream: str, salt: bytes, blind: bytes) -> bytes:
    """Return the salt of one leaf, which its proof shows. If it were known for another leaf, a reader could test guesses of a
    head.
    """
    return salt or hmac.digest(blind, b"salt " + stream.encode(), "sha256")[:16]


def root_of(heads: Heads, salt: bytes) -> bytes:
    """Return the root of a checkpoint over all heads, as old checkpoints have it."""
    return merkle.root([merkle.leaf(salt, stream, *heads[stream]) for stream in sorted(heads)])


def newest(using: str = DEFAULT_DB_ALIAS) -> Checkpoint | None:
    return next(iter(page(limit=1, using=using)), None)


def page(before: int | None = None, limit: int = 50, using: str = DEFAULT_DB_ALIAS) -> list[Checkpoint]:
    """Return checkpoints with a number below `before`, newest first."""
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
    """Return every stream's head at a checkpoint."""
    with connections[using].cursor() as cursor:
        cursor.execute(LEAVES, [number])
        return {str(stream): (version, bytes(hash)) for stream, version, hash in cursor.fetchall()}


def heads_of(
    stream: UUID,
    using: str = DEFAULT_DB_ALIAS,
    *,
    until: int | None = None,
    below: int | None = None,
    most: int | None = None,
) -> list[tuple[int, int, bytes]]:
    """Return the heads of one stream in checkpoints: (number of the first with it, version, hash), newest first.

    Optionally up to a version, from checkpoints below a number, and at most `most`.
    """
    with connections[using].cursor() as cursor:
        cursor.execute(
            "SELECT checkpoint, version, hash FROM events_checkpoint_head WHERE stream = %s::uuid AND version <= %s::int"
            " AND checkpoint < %s::int ORDER BY checkpoint DESC LIMIT %s::int",
            [stream, *(2**31 - 1 if bound is None else bound for bound in (until, below)), most],
        )
        return [(number, version, bytes(hash)) for number, version, hash in cursor.fetchall()]


def prove(stream: UUID, number: int, using: str = DEFAULT_DB_ALIAS) -> Inclusion | None:
    """Return the proof of a stream's head at a checkpoint; None if that checkpoint does not hold the stream."""
    checkpoint = get(number, using)
    if checkpoint is None:
        return None
    tree = _tree(checkpoint, using)
    name = str(stream)
    if name not in tree.places:
        return None
    index = tree.places[name]
    version, hash = tree.heads[name]
    return Inclusion(
        checkpoint, version, hash, salt_of(name, tree.salt, tree.blind), index, tuple(merkle.path(tree.levels, index))
    )


def _tree(checkpoint: Checkpoint, using: str) -> _Tree:
    known = _trees.get(checkpoint.signature)
    if known is not None:
        return known
    with connections[using].cursor() as cursor:
        cursor.execute("SELECT salt, blind FROM events_checkpoint WHERE number = %s::int", [checkpoint.number])
        salt, blind = cursor.fetchone()
    if blind is None:
        heads = leaves(checkpoint.number, using)
        places = {stream: place for place, stream in enumerate(sorted(heads))}
        grown = merkle.levels([merkle.leaf(bytes(salt), stream, *heads[stream]) for stream in places])
    else:
        heads, places = own_leaves(checkpoint.number, using)
        grown = grow(heads, places, checkpoint.streams, bytes(salt), bytes(blind))
    tree = _Tree(heads, places, bytes(salt), bytes(blind or b""), grown)
    _trees[checkpoint.signature] = tree
    while len(_trees) > TREES:
        _trees.popitem(last=False)
    return tree


def forget_trees() -> None:
    """Forget all trees."""
    _trees.clear()


def own_leaves(number: int, using: str = DEFAULT_DB_ALIAS) -> tuple[Heads, dict[str, int]]:
    """Return the heads that a checkpoint itself holds, and the place of each."""
    with connections[using].cursor() as cursor:
        cursor.execute("SELECT stream, version, hash, place FROM events_checkpoint_head WHERE checkpoint = %s::int", [number])
        rows = cursor.fetchall()
    return {str(row[0]): (row[1], bytes(row[2])) for row in rows}, {str(row[0]): row[3] for row in rows}


# --- the file outside the database ---


def append_file(using: str = DEFAULT_DB_ALIAS) -> int:
    """Append the checkpoints missing in the file. Return how many. Raises `FileParted`."""
    path = Path(settings.CHECKPOINT_FILE)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as file:
        # Two processes must not both write what both find missing.
        fcntl.flock(file, fcntl.LOCK_EX)
        end = file.seek(0, os.SEEK_END)
        file.seek(max(0, end - LAST_LINES))
        text = file.read()
        whole = text.rfind(b"\n") + 1
        if whole < len(text):
            # A power cut or a full disk has cut the last line. A line written after it would be unreadable too.
            log.warning("%s ended in the middle of a line; its last %s bytes are rewritten.", path, len(text) - whole)
            file.truncate(end - len(text) + whole)
        lines = text[:whole].splitlines(keepends=True)
        last = next(read_file(lines[-1]), None) if lines else None
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
    """Yield the checkpoints of the file. Raises `BadCheckpoint` with the number of an unreadable line."""
    for number, line in enumerate(text.split(b"\n")[:-1], 1):
        try:
            yield statements.read_checkpoint(canonical.decode(line))
        except ValueError as error:
            raise statements.BadCheckpoint(f"Line {number}: {error}") from None


def _after(number: int, using: str) -> list[Checkpoint]:
    with connections[using].cursor() as cursor:
        cursor.execute(f"SELECT {COLUMNS} FROM events_checkpoint WHERE number > %s::int ORDER BY number", [number])  # noqa: S608
        return [read_row(row) for row in cursor.fetchall()]
