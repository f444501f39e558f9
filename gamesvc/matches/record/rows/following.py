"""Consumers of the feed of all events. A consumer's results and its cursor are written in one transaction.

So no event is missed or processed twice, however writers overlap and whenever a consumer is killed. Not here: what is computed
from the events (`statistics`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from uuid import UUID

from django.db import transaction

from events.feeds import FeedReader
from events.store import START, Cursor, StoredEvent
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
        row = _locked(name)
        if row is None:
            return 0
        # A new reader each time: another process may have applied events since.
        reader = FeedReader(STORE, applied, _cursor(row))
        taken: dict[UUID, list[StoredEvent]] = {}
        events = reader.take(limit)
        for event in events:
            taken.setdefault(event.stream, []).append(event)
        for stream, own in taken.items():
            apply(stream, own)
        _move(row, reader.cursor)
    return len(events)


def each(name: str, *, apply: Callable[[StoredEvent], None], limit: int = BATCH) -> int:
    """Hand each of the next events to `apply`, in the order of the feed. Return their number, as `follow` does.

    For consumers that need single events only: within a stream, the order of the feed need not be that of the versions. All
    earlier events of the stream can be read then.
    """
    with transaction.atomic():
        row = _locked(name)
        if row is None:
            return 0
        events, cursor = STORE.feed(_cursor(row), limit)
        for event in events:
            apply(event)
        _move(row, cursor)
    return len(events)


def position(name: str) -> Cursor:
    """Return how far a consumer has come."""
    row = FeedCursor.objects.filter(name=name).first()
    return _cursor(row) if row is not None else START


def _locked(name: str) -> FeedCursor | None:
    """Return the locked row of a consumer; None while another process holds it."""
    row = FeedCursor.objects.select_for_update(skip_locked=True).filter(name=name).first()
    if row is None:
        if not FeedCursor.objects.filter(name=name).exists():
            FeedCursor.objects.bulk_create([FeedCursor(name=name)], ignore_conflicts=True)
        row = FeedCursor.objects.select_for_update(skip_locked=True).filter(name=name).first()
    return row


def _cursor(row: FeedCursor) -> Cursor:
    return Cursor(row.epoch, row.xid, row.pos)


def _move(row: FeedCursor, cursor: Cursor) -> None:
    if cursor != _cursor(row):
        row.epoch, row.xid, row.pos = cursor
        row.save()


def hold(name: str) -> None:
    """Keep a consumer from moving until the end of this transaction."""
    if not FeedCursor.objects.select_for_update().filter(name=name).exists():
        FeedCursor.objects.bulk_create([FeedCursor(name=name)], ignore_conflicts=True)
        FeedCursor.objects.select_for_update().get(name=name)
