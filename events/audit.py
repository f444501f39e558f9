"""The audit of the log and its checkpoints: changed bytes, gaps, cut tails, rewritten streams. It only reads.

It takes every row as it lies in the database and trusts none of it. Not here: the meaning of events.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections

from events import canonical
from events.proofs import checkpoints, statements
from events.proofs.checkpoints import Heads
from events.proofs.statements import BadCheckpoint, Checkpoint
from events.types import StoredEvent
from gamesvc.json_types import JsonObject

# Most leaves to hash again: enough for the newest checkpoints, and for all of them while the service is young.
MOST_LEAVES = 20_000_000

# A checkpoint with its salt, and the blinding key if it holds only what moved.
Kept = tuple[Checkpoint, bytes, bytes | None]

ROWS = """
SELECT version, type, type_version, payload, meta, occurred_at, salt, hash, command_id, command_seq
FROM events_event WHERE stream = %s::uuid ORDER BY version
"""


@dataclass(frozen=True, slots=True)
class Finding:
    """A violation. `stream` and `version` locate it; None if it has no particular place."""

    code: str
    detail: str
    stream: UUID | None = None
    version: int | None = None

    def as_json(self) -> JsonObject:
        stream = str(self.stream) if self.stream is not None else None
        return {"code": self.code, "detail": self.detail, "match": stream, "version": self.version}


@dataclass(slots=True)
class Stream:
    """A stream as far as its chain is valid, and its findings."""

    id: UUID
    events: list[StoredEvent] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


@dataclass(slots=True)
class Anchors:
    """The result of checking the checkpoints. `skipped`: roots that were not computed again."""

    count: int = 0
    skipped: int = 0
    findings: list[Finding] = field(default_factory=list)


def streams(using: str = DEFAULT_DB_ALIAS) -> list[UUID]:
    """Return every stream in the log, and those that only checkpoints still know."""
    with connections[using].cursor() as cursor:
        cursor.execute("SELECT stream FROM events_event UNION SELECT stream FROM events_checkpoint_head ORDER BY 1")
        return [row[0] for row in cursor.fetchall()]


def check_stream(stream: UUID, using: str = DEFAULT_DB_ALIAS) -> Stream:
    """Prove a stream's rows and their chain, up to the first that fails, and compare them with the checkpoints."""
    found = Stream(stream)
    with connections[using].cursor() as cursor:
        cursor.execute(ROWS, [stream])
        rows = cursor.fetchall()
    before = canonical.genesis(stream)
    command: tuple[UUID, int] | None = None
    for expected, row in enumerate(rows, 1):
        *_, hash, command_id, seq = row
        fault = None
        try:
            event = read_row(stream, row)
            if event.version != expected:
                fault = Finding("missing_event", f"Found version {event.version} where version {expected} belongs.")
            elif canonical.link(before, event.digest) != bytes(hash):
                fault = Finding("changed_event", "The hash does not follow from the content and the hash before it.")
            elif found.events and event.occurred_at < found.events[-1].occurred_at:
                fault = Finding("changed_event", "occurred_at goes back.")
            else:
                fault = _command_fault(event.meta, command_id, seq, command)
        except canonical.NotCanonical as error:
            fault = Finding("changed_event", str(error))
        if fault is not None:
            found.findings.append(Finding(fault.code, fault.detail, stream, expected))
            break
        command, before = (command_id, seq), bytes(hash)
        found.events.append(event)
    if not found.findings:
        found.findings += _held_by_checkpoints(found, using)
    return found


def read_row(stream: UUID, row: tuple[Any, ...]) -> StoredEvent:
    """Return a row as an event. Raises `NotCanonical` if payload or meta differ from the hashed bytes."""
    version, kind, type_version, payload, meta, occurred_at, salt, hash, *_ = row
    data_read, meta_read = canonical.decode(payload.encode()), canonical.decode(meta.encode())
    if not isinstance(data_read, dict) or not isinstance(meta_read, dict):
        raise canonical.NotCanonical("payload and meta must be objects.")
    moment = canonical.in_utc(occurred_at)
    return StoredEvent(
        stream, version, kind, type_version, data_read, meta_read, moment, bytes(salt), bytes(hash), (payload, meta)
    )


def _command_fault(meta: JsonObject, command_id: UUID, seq: int, before: tuple[UUID, int] | None) -> Finding | None:
    """Return a finding unless the command columns fit meta: a command's first event has its id, and the others follow it."""
    if "command_id" in meta:
        fits = seq == 0 and meta["command_id"] == str(command_id)
    else:
        fits = before is not None and before[0] == command_id and seq == before[1] + 1
    return None if fits else Finding("changed_event", "command_id and command_seq do not fit what the event says.")


def _held_by_checkpoints(stream: Stream, using: str) -> Iterator[Finding]:
    last = len(stream.events)
    # Oldest first: the first difference is closest to the change.
    for number, version, hash in reversed(checkpoints.heads_of(stream.id, using)):
        if version > last:
            what = "The stream is gone" if not last else f"The stream ends with version {last}"
            yield Finding("cut_tail", f"{what}; checkpoint {number} holds version {version}.", stream.id, last + 1)
            return
        if stream.events[version - 1].hash != hash:
            detail = f"The chain is whole, but checkpoint {number} holds the hash {hash.hex()} here: it was rewritten."
            yield Finding("rewritten_stream", detail, stream.id, version)
            return


def check_checkpoints(using: str = DEFAULT_DB_ALIAS) -> Anchors:
    """Prove the checkpoints themselves: numbers, chain, signatures, roots, and the file outside the database."""
    found = Anchors()
    with connections[using].cursor() as cursor:
        cursor.execute(f"SELECT {checkpoints.COLUMNS}, salt, blind FROM events_checkpoint ORDER BY number")  # noqa: S608
        rows = cursor.fetchall()
        cursor.execute("SELECT checkpoint, stream, version, hash, place FROM events_checkpoint_head ORDER BY checkpoint")
        heads = cursor.fetchall()
    found.count = len(rows)
    ours = set(checkpoints.trusted())
    before = statements.NONE_BEFORE
    read: list[Kept] = []
    for expected, (*row, salt, blind) in enumerate(rows, 1):
        one = checkpoints.read_row(tuple(row))
        read.append((one, bytes(salt), bytes(blind) if blind is not None else None))
        for fault in _faults(one, expected, before, ours):
            found.findings.append(Finding("bad_checkpoint", fault))
        before = one.hash
    if not found.findings:
        found.findings += _roots(read, heads, found)
    found.findings += _file_faults([one for one, *_ in read])
    return found


def _faults(one: Checkpoint, expected: int, before: bytes, ours: set[bytes]) -> Iterator[str]:
    if one.number != expected:
        yield f"Found checkpoint {one.number} where checkpoint {expected} belongs."
    elif one.previous != before:
        yield f"Checkpoint {one.number} is not chained to the one before it."
    try:
        statements.check_signature(one)
    except BadCheckpoint as error:
        yield str(error)
    if one.key not in ours:
        yield f"Checkpoint {one.number} is signed with {one.key.hex()}, which is not among the keys in CHECKPOINT_KEY."


def _roots(read: list[Kept], heads: list[tuple[Any, ...]], found: Anchors) -> Iterator[Finding]:
    """Compute the roots again: of all checkpoints that hold what moved, and of the newest of those that hold every head."""
    leaves: Heads = {}
    at = 0
    whole = [one for one, _salt, blind in read if blind is None]
    found.skipped = max(0, len(whole) - max(1, MOST_LEAVES // max(1, whole[-1].streams))) if whole else 0
    for one, salt, blind in read:
        own: Heads = {}
        places: dict[str, int] = {}
        while at < len(heads) and heads[at][0] == one.number:
            _, stream, version, hash, place = heads[at]
            own[str(stream)], places[str(stream)] = (version, bytes(hash)), place
            at += 1
        leaves |= own
        if one.number <= found.skipped:
            continue
        if len(leaves) != one.streams or _root(one, salt, blind, own, places, leaves) != one.root:
            yield Finding("bad_checkpoint", f"The heads kept for checkpoint {one.number} do not give its signed root.")
            return


def _root(one: Checkpoint, salt: bytes, blind: bytes | None, own: Heads, places: dict[str, int], leaves: Heads) -> bytes | None:
    if blind is None:
        return checkpoints.root_of(leaves, salt)
    if len(set(places.values())) != len(own) or not all(place in range(one.streams) for place in places.values()):
        return None
    return checkpoints.grow(own, places, one.streams, salt, blind)[-1][0]


def _file_faults(kept: list[Checkpoint]) -> Iterator[Finding]:
    path = Path(settings.CHECKPOINT_FILE)
    if not path.exists():
        if kept:
            yield Finding("checkpoint_file", f"{path} is missing: nothing outside the database holds its checkpoints.")
        return
    by_number = {one.number: one for one in kept}
    try:
        for one in checkpoints.read_file(path.read_bytes()):
            if by_number.get(one.number) != one:
                which = "another one" if one.number in by_number else "none"
                yield Finding("checkpoint_file", f"{path} has checkpoint {one.number}; the database has {which} of that number.")
                return
    except BadCheckpoint as error:
        yield Finding("checkpoint_file", f"{path}: {error}")
