"""The store in memory, for tests. It passes the same contract suite as PostgreSQL."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from uuid import UUID

from events.canonical import genesis
from events.chain import Row, forge, unpack
from events.types import Cursor, DuplicateCommand, Head, NewEvent, Statement, StoredEvent, VersionConflict


class MemoryStore:
    """A log for one process; many threads may use it at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._streams: dict[UUID, list[Row]] = {}
        self._commands: dict[tuple[UUID, UUID], tuple[int, int]] = {}
        self._all: list[Row] = []

    def append(
        self, stream: UUID, events: Sequence[NewEvent], *, expected: Head, command_id: UUID, also: Sequence[Statement] = ()
    ) -> tuple[StoredEvent, ...]:
        """Append as `Store.append`. Raises `ValueError` for `also`: there are no tables here."""
        if also:
            raise ValueError("MemoryStore has no tables: it cannot run the statements in `also`.")
        stored = forge(stream, events, expected)
        rows = [Row(*one[:4], *one.written, one.occurred_at, one.salt, one.hash) for one in stored]
        with self._lock:
            if found := self._commands.get((stream, command_id)):
                raise DuplicateCommand(*found)
            kept = self._streams.get(stream, [])
            if len(kept) != expected.version or (kept[-1].hash if kept else genesis(stream)) != expected.hash:
                raise VersionConflict(f"Stream {stream} does not end with version {expected.version} and the expected hash.")
            self._streams.setdefault(stream, kept).extend(rows)
            self._commands[stream, command_id] = (rows[0].version, len(rows))
            self._all.extend(rows)
        return stored

    def read(self, stream: UUID, after: int = 0, until: int | None = None) -> list[StoredEvent]:
        with self._lock:
            rows = self._streams.get(stream, [])[max(after, 0) : until]
        return [unpack(row) for row in rows]

    def head(self, stream: UUID) -> Head | None:
        with self._lock:
            rows = self._streams.get(stream)
            return Head(rows[-1].version, rows[-1].hash, rows[-1].occurred_at) if rows else None

    def command(self, stream: UUID, command_id: UUID) -> list[StoredEvent]:
        with self._lock:
            first, count = self._commands.get((stream, command_id), (1, 0))
        return self.read(stream, first - 1, first + count - 1)

    def feed(self, cursor: Cursor, limit: int) -> tuple[list[StoredEvent], Cursor]:
        with self._lock:
            rows = self._all[cursor.pos : cursor.pos + limit]
        if not rows:
            return [], cursor
        place = cursor.pos + len(rows)
        return [unpack(row) for row in rows], Cursor(1, place, place)
