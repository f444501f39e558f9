"""Snapshots: states stored to shorten a replay. They can be deleted at any time, and are never upcast.

A snapshot is valid only with the fingerprint of the code that reads it and the hash of the event it belongs to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connections

from gamesvc.database.asking import ask, unhurried

KEPT = 2
# Besides the newest, the oldest of each stretch of this many versions stays, so that no version is far from one.
STRETCH = 100

# Losing one costs a longer replay, so nobody waits for the disk.
_PUT = """
WITH put AS (
  INSERT INTO events_snapshot (stream, version, fingerprint, hash, payload)
  SELECT %(stream)s::uuid, %(version)s::int, %(fingerprint)s::text, %(hash)s::bytea, %(payload)s::bytea WHERE {first}
  ON CONFLICT (stream, fingerprint, version) DO UPDATE SET hash = excluded.hash, payload = excluded.payload)
DELETE FROM events_snapshot o WHERE o.stream = %(stream)s::uuid AND (o.fingerprint <> %(fingerprint)s::text
  OR o.version <> %(version)s::int
  AND o.version NOT IN (SELECT k.version FROM events_snapshot k WHERE k.stream = o.stream
    AND k.fingerprint = o.fingerprint AND k.version <> %(version)s::int ORDER BY k.version DESC LIMIT %(kept)s::int)
  AND EXISTS (SELECT FROM events_snapshot b WHERE b.stream = o.stream AND b.fingerprint = o.fingerprint
    AND b.version < o.version AND b.version / %(stretch)s::int = o.version / %(stretch)s::int))
"""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A state at a version, as bytes that only its maker understands."""

    version: int
    hash: bytes
    payload: bytes


def get(stream: UUID, fingerprint: str, *, until: int | None = None, using: str = DEFAULT_DB_ALIAS) -> Snapshot | None:
    """Return the newest snapshot (at `until` or before) whose event is in the log with its hash; None if there is none."""
    return get_many({stream: fingerprint}, until=until, using=using).get(stream)


def get_many(
    fingerprints: Mapping[UUID, str], *, until: int | None = None, using: str = DEFAULT_DB_ALIAS
) -> dict[UUID, Snapshot]:
    """Return the newest snapshots of many streams, each with its fingerprint, in one query. Streams without one are missing."""
    with connections[using].cursor() as cursor:
        cursor.execute(
            "SELECT w.stream, f.version, f.hash, f.payload FROM unnest(%s::uuid[], %s::text[]) AS w(stream, fingerprint),"
            " LATERAL (SELECT s.version, s.hash, s.payload FROM events_snapshot s"
            " JOIN events_event e ON e.stream = s.stream AND e.version = s.version AND e.hash = s.hash"
            " WHERE s.stream = w.stream AND s.fingerprint = w.fingerprint AND s.version <= %s::int"
            " ORDER BY s.version DESC LIMIT 1) AS f",
            [list(fingerprints), list(fingerprints.values()), 2**31 - 1 if until is None else until],
        )
        return {stream: Snapshot(version, bytes(hash), bytes(payload)) for stream, version, hash, payload in cursor.fetchall()}


def put(stream: UUID, fingerprint: str, snapshot: Snapshot, *, using: str = DEFAULT_DB_ALIAS) -> None:
    """Store a snapshot. Of the others with this fingerprint, the newest and the oldest of each stretch stay; the rest are
    deleted.
    """
    ask(
        _PUT.format(first=unhurried(using)),
        {
            "stream": stream,
            "version": snapshot.version,
            "fingerprint": fingerprint,
            "hash": snapshot.hash,
            "payload": snapshot.payload,
            "kept": KEPT - 1,
            "stretch": STRETCH,
        },
        using=using,
    )
