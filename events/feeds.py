"""Reading the feed with each stream's events in version order.

The feed is complete but not always ordered within a stream: a writer that took its transaction id early and appended late comes
first. A reader that meets a version too far ahead reads the missing ones directly and skips them later.
"""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from events.types import START, Cursor, Store, StoredEvent

REMEMBERED = 100_000


class FeedReader:
    """A reader that returns every event once, each stream's in version order.

    `applied` returns for a stream the version up to which the reader's own, durable record goes (0: nothing). It is called for
    streams that the reader does not remember, always about events taken before this call of `take`. So store your results and
    `cursor` in the same transaction before you take more.
    """

    def __init__(self, store: Store, applied: Callable[[UUID], int], cursor: Cursor = START) -> None:
        self.cursor = cursor
        self._store = store
        self._applied = applied
        self._versions: dict[UUID, int] = {}

    def take(self, limit: int = 500) -> list[StoredEvent]:
        """Return the next events, about `limit` of them; none only if the reader is up to date."""
        if len(self._versions) > REMEMBERED:
            self._versions.clear()
        given: list[StoredEvent] = []
        while not given:
            found, self.cursor = self._store.feed(self.cursor, limit)
            if not found:
                break
            for event in found:
                given += self._ordered(event)
        return given

    def _ordered(self, event: StoredEvent) -> list[StoredEvent]:
        """Return the event, after those before it that are still to come in the feed; nothing if it was returned already."""
        known = self._versions.get(event.stream)
        if known is None:
            known = self._versions[event.stream] = self._applied(event.stream)
        if event.version <= known:
            return []
        self._versions[event.stream] = event.version
        missing = self._store.read(event.stream, known, event.version - 1) if event.version > known + 1 else []
        return [*missing, event]
