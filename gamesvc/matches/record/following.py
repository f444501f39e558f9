"""Following the feed of all events: what a follower makes of them is written with its cursor, in one transaction.

So nothing is missed and nothing is doubled, however writers overlap and whenever a follower is killed. Not here: what is
made of the events (`statistics`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from uuid import UUID

from django.db import transaction

from events.feeds import FeedReader
from events.store import Cursor, StoredEvent
from gamesvc.matches.models import FeedCursor
from gamesvc.matches.record.loading import STORE

# A follower's transaction holds back what other followers see, so it is kept short.
BATCH = 500


def follow(
    name: str,
    *,
    applied: Callable[[UUID], int],
    apply: Callable[[UUID, Sequence[StoredEvent]], None],
    limit: int = BATCH,
) -> int:
    """Hand the next events to `apply`, each stream's in order. Returns how many; 0 where there are none, or another is at it.

    `applied(stream)` tells up to which version the follower's own tables go; both functions run in the transaction that
    moves the cursor.
    """
    with transaction.atomic():
        row = FeedCursor.objects.select_for_update(skip_locked=True).filter(name=name).first()
        if row is None:
            if not FeedCursor.objects.filter(name=name).exists():
                FeedCursor.objects.bulk_create([FeedCursor(name=name)], ignore_conflicts=True)
            row = FeedCursor.objects.select_for_update(skip_locked=True).filter(name=name).first()
        if row is None:
            return 0
        # A new reader each time: what another process has applied since is asked anew.
        reader = FeedReader(STORE, applied, Cursor(row.epoch, row.xid, row.pos))
        taken: dict[UUID, list[StoredEvent]] = {}
        events = reader.take(limit)
        for event in events:
            taken.setdefault(event.stream, []).append(event)
        for stream, own in taken.items():
            apply(stream, own)
        if reader.cursor != (row.epoch, row.xid, row.pos):
            row.epoch, row.xid, row.pos = reader.cursor
            row.save()
    return len(events)


def hold(name: str) -> None:
    """Keep a follower from moving until the end of this transaction."""
    if not FeedCursor.objects.select_for_update().filter(name=name).exists():
        FeedCursor.objects.bulk_create([FeedCursor(name=name)], ignore_conflicts=True)
        FeedCursor.objects.select_for_update().get(name=name)
