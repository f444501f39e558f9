"""Reading the feed so that each stream's events come in version order.

The feed is complete but not always ordered within a stream: a writer that took its transaction id early and appended
late comes first. A reader that meets a version too far ahead reads the missing ones directly and skips them later.
"""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from events.types import START, Cursor, Store, StoredEvent


class FeedReader:
    """Gives every event once, each stream's in version order.

    `applied` tells for a stream the version up to which the reader's own, lasting record goes (0: nothing). It is asked
    once for each stream that comes along. Keep `cursor` in the same transaction as what was made of the events.
    """

    def __init__(self, store: Store, applied: Callable[[UUID], int], cursor: Cursor = START) -> None:
        self.cursor = cursor
        self._store = store
        self._applied = applied
        self._versions: dict[UUID, int] = {}

    def take(self, limit: int = 500) -> list[StoredEvent]:
        """The next events, about `limit` of them; none where the reader is up to date, or all that came was known."""
        found, self.cursor = self._store.feed(self.cursor, limit)
        given: list[StoredEvent] = []
        for event in found:
            stream = event.stream
            known = self._versions.get(stream)
            if known is None:
                known = self._applied(stream)
            if event.version > known + 1:
                given += self._store.read(stream, known, event.version - 1)
            if event.version > known:
                given.append(event)
                known = event.version
            self._versions[stream] = known
        return given
