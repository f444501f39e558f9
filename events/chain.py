"""New events prepared for a stream: ordered in time, salted, hashed and linked. Every store writes these rows."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID

import orjson

from events import canonical
from events.types import Head, NewEvent, StoredEvent


class Row(NamedTuple):
    """An event as it is stored: `payload` and `meta` are the hashed canonical JSON."""

    stream: UUID
    version: int
    type: str
    type_version: int
    payload: str
    meta: str
    occurred_at: datetime
    salt: bytes
    hash: bytes


def forge(stream: UUID, events: Sequence[NewEvent], expected: Head) -> tuple[StoredEvent, ...]:
    """Return `events` linked to the expected head. Raises `canonical.NotCanonical`, or `ValueError` if there are no events."""
    if not events:
        raise ValueError("An append needs at least one event.")
    stored: list[StoredEvent] = []
    stream_text = str(stream)
    version, previous, earliest = expected
    for kind, kind_version, data, meta, occurred_at in events:
        version += 1
        if occurred_at.tzinfo is not UTC:
            occurred_at = canonical.in_utc(occurred_at)
        if earliest is not None and occurred_at < earliest:
            occurred_at = earliest
        data_bytes, meta_bytes = canonical.encode(data), canonical.encode(meta)
        salt = os.urandom(16)
        digest = canonical.digest(
            stream=stream_text,
            version=version,
            type=kind,
            type_version=kind_version,
            data=data_bytes,
            meta=meta_bytes,
            occurred_at=canonical.write_time(occurred_at),
            salt=salt,
        )
        previous, earliest = canonical.link(previous, digest), occurred_at
        # Decoded again, so that the caller gets what a reader gets, sharing nothing with the caller's objects.
        read, texts = (orjson.loads(data_bytes), orjson.loads(meta_bytes)), (data_bytes.decode(), meta_bytes.decode())
        stored.append(StoredEvent(stream, version, kind, kind_version, *read, occurred_at, salt, previous, texts))
    return tuple(stored)


def unpack(row: Row) -> StoredEvent:
    """Return the event in a stored row."""
    stream, version, type, type_version, payload, meta, occurred_at, salt, hash = row
    data_read, meta_read = orjson.loads(payload), orjson.loads(meta)
    return StoredEvent(stream, version, type, type_version, data_read, meta_read, occurred_at, salt, hash, (payload, meta))
