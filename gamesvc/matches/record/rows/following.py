"""Consumers of the feed of all events. A consumer's results and its cursor are written in one transaction.

So no event is missed or processed twice, however writers overlap and whenever a consumer is killed. Not here: what is computed
from the events (`statistics`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from uuid import UUID

from django.db import transaction

from events.feeds import FeedReader
from events.store import Cursor, StoredEvent
from gamesvc.matches.models import FeedCursor
from gamesvc.matches.record.stream import STORE

# A consumer's transaction delays what other consumers see, so it is kept short.
BATCH = 500


def follow(
    name: str,
    *,
    applied: Callable[[UUID], int],
    apply: Callable[[UUID, Sequence[StoredEvent]], None],
    limit: int = BATCH,
) -> int:
    """Hand the next events to `apply`, in order within each stream. Return their number: 0 also while another process does so.

    `applied(stream)` returns the version up to which the consumer's own tables go. Both functions run in the transaction that
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
        # A new reader each time: another process may have applied events since.
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
    """Keep a consumer from moving until the end of this transaction."""
    if not FeedCursor.objects.select_for_update().filter(name=name).exists():
        FeedCursor.objects.bulk_create([FeedCursor(name=name)], ignore_conflicts=True)
        FeedCursor.objects.select_for_update().get(name=name)
