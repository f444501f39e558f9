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


def forge(stream: UUID, events: Sequence[NewEvent], expected: Head) -> tuple[list[Row], tuple[StoredEvent, ...]]:
    """Link `events` to the expected head. Raises `canonical.NotCanonical`, or `ValueError` where there is no event."""
    if not events:
        raise ValueError("An append needs at least one event.")
    rows: list[Row] = []
    stored: list[StoredEvent] = []
    version, previous, earliest = expected.version, expected.hash, expected.occurred_at
    salts = os.urandom(16 * len(events))
    for at, event in enumerate(events):
        version += 1
        if event.occurred_at.tzinfo is None:
            raise canonical.NotCanonical("A time must know its zone.")
        occurred_at = event.occurred_at.astimezone(UTC)
        if earliest is not None and occurred_at < earliest:
            occurred_at = earliest
        data, meta = canonical.encode(event.data), canonical.encode(event.meta)
        salt = salts[16 * at : 16 * at + 16]
        digest = canonical.digest(
            stream=stream,
            version=version,
            type=event.type,
            type_version=event.type_version,
            data=data,
            meta=meta,
            occurred_at=occurred_at,
            salt=salt,
        )
        previous, earliest = canonical.link(previous, digest), occurred_at
        rows.append(
            Row(stream, version, event.type, event.type_version, data.decode(), meta.decode(), occurred_at, salt, previous)
        )
        # Decoded anew, so that what the caller gets is what a reader gets, and shares nothing with what he handed in.
        stored.append(
            StoredEvent(
                stream, version, event.type, event.type_version, orjson.loads(data), orjson.loads(meta), occurred_at, salt,
                digest, previous,
            )
        )  # fmt: skip
    return rows, tuple(stored)


def unpack(row: Row) -> StoredEvent:
    """The event that a kept row holds."""
    stream, version, type, type_version, payload, meta, occurred_at, salt, hash = row
    data_bytes, meta_bytes = payload.encode(), meta.encode()
    digest = canonical.digest(
        stream=stream,
        version=version,
        type=type,
        type_version=type_version,
        data=data_bytes,
        meta=meta_bytes,
        occurred_at=occurred_at,
        salt=salt,
    )
    return StoredEvent(
        stream, version, type, type_version, orjson.loads(data_bytes), orjson.loads(meta_bytes), occurred_at, salt, digest, hash
    )
