"""New events made ready for a stream: clamped in time, salted, hashed and linked. Every store writes these rows."""

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
    """An event as it is kept: `payload` and `meta` are the hashed canonical JSON."""

    stream: UUID
    version: int
    type: str
    type_version: int
    payload: str
    meta: str
    occurred_at: datetime
    salt: bytes
    hash: bytes


class Written(NamedTuple):
    """A row on its way into the store, with stream and time as the texts that were hashed."""

    stream: str
    version: int
    type: str
    type_version: int
    payload: str
    meta: str
    occurred_at: str
    salt: bytes
    hash: bytes


def forge(stream: UUID, events: Sequence[NewEvent], expected: Head) -> tuple[list[Written], tuple[StoredEvent, ...]]:
    """Link `events` to the expected head. Raises `canonical.NotCanonical`, or `ValueError` where there is no event."""
    if not events:
        raise ValueError("An append needs at least one event.")
    rows: list[Written] = []
    stored: list[StoredEvent] = []
    stream_text = str(stream)
    version, previous, earliest = expected.version, expected.hash, expected.occurred_at
    for event in events:
        version += 1
        occurred_at = event.occurred_at
        if occurred_at.tzinfo is not UTC:
            occurred_at = canonical.in_utc(occurred_at)
        if earliest is not None and occurred_at < earliest:
            occurred_at = earliest
        moment = canonical.write_time(occurred_at)
        data, meta = canonical.encode(event.data), canonical.encode(event.meta)
        salt = os.urandom(16)
        digest = canonical.digest(
            stream=stream_text,
            version=version,
            type=event.type,
            type_version=event.type_version,
            data=data,
            meta=meta,
            occurred_at=moment,
            salt=salt,
        )
        previous, earliest = canonical.link(previous, digest), occurred_at
        kind, kind_version, texts = event.type, event.type_version, (data.decode(), meta.decode())
        rows.append(Written(stream_text, version, kind, kind_version, *texts, moment, salt, previous))
        # Decoded anew, so that what the caller gets is what a reader gets, and shares nothing with what he handed in.
        data_read, meta_read = orjson.loads(data), orjson.loads(meta)
        stored.append(StoredEvent(stream, version, kind, kind_version, data_read, meta_read, occurred_at, salt, previous, texts))
    return rows, tuple(stored)


def unpack(row: Row) -> StoredEvent:
    """The event that a kept row holds."""
    stream, version, type, type_version, payload, meta, occurred_at, salt, hash = row
    data_read, meta_read = orjson.loads(payload), orjson.loads(meta)
    return StoredEvent(stream, version, type, type_version, data_read, meta_read, occurred_at, salt, hash, (payload, meta))
