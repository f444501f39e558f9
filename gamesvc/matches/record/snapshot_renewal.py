"""Running matches whose snapshots a release has made stale, so that a background task writes them again."""

from __future__ import annotations

import time
from uuid import UUID

from django.db import connection

from gamesvc.matches.record import snapshots

LOOK_AGAIN = 3600.0
"""Seconds until a process that found no missing snapshots looks again."""
# The moment at which this process last found none missing.
_whole_at: float | None = None


def without_snapshot(limit: int) -> list[tuple[UUID, str]]:
    """Return running matches, with their games, that are long enough for a snapshot and have none of today's rules code."""
    found: list[tuple[UUID, str]] = []
    with connection.cursor() as cursor:
        cursor.execute("SELECT DISTINCT game FROM matches_match WHERE status = 'running'")
        for (game,) in cursor.fetchall():
            cursor.execute(
                "SELECT id, game FROM matches_match m WHERE status = 'running' AND game = %s::text AND version > %s::int"
                " AND NOT EXISTS (SELECT FROM events_snapshot s WHERE s.stream = m.id AND s.fingerprint = %s::text)"
                " ORDER BY started_at LIMIT %s::int",
                [game, snapshots.TAIL, snapshots.fingerprint(game), limit - len(found)],
            )
            found += cursor.fetchall()
    return found


def wanted(limit: int) -> list[tuple[UUID, str]]:
    """Return the result of `without_snapshot`, but look at most once an hour after nothing was missing."""
    global _whole_at
    if _whole_at is not None and time.monotonic() - _whole_at < LOOK_AGAIN:
        return []
    found = without_snapshot(limit)
    _whole_at = None if found else time.monotonic()
    return found


def look_again() -> None:
    """Look for missing snapshots at the next call of `wanted`."""
    global _whole_at
    _whole_at = None
