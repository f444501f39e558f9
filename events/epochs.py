"""Epochs of the feed.

Transaction ids restart when a dump is restored, and are reused after a point-in-time recovery: an older cursor would skip what
follows. So each such beginning gets a higher epoch, which has priority in the order.
"""

from __future__ import annotations

from django.db import connections, transaction


def bump(using: str) -> int:
    """Begin a new epoch, as the owner of the log, for the restore command. Return the new epoch."""
    with transaction.atomic(using), connections[using].cursor() as cursor:
        cursor.execute("SELECT events_bump_epoch()")
        return int(cursor.fetchone()[0])


def bump_if_restored(using: str) -> bool:
    """Begin a new epoch if the database runs in another cluster or on another timeline than at the epoch's start. Return True if
    so.

    Called after each `migrate`, so that the first start after a restore by any other means notices it.
    """
    with connections[using].cursor() as cursor:
        cursor.execute("SELECT to_regclass('events_epoch') IS NOT NULL")
        if not cursor.fetchone()[0]:  # migrated back to nothing
            return False
        cursor.execute(
            "SELECT (e.system_identifier, e.timeline) IS DISTINCT FROM (s.system_identifier, c.timeline_id)"
            " FROM events_epoch e, pg_control_system() s, pg_control_checkpoint() c"
        )
        if not cursor.fetchone()[0]:
            return False
    bump(using)
    return True
