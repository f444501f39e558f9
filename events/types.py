"""The types of every store: events, heads, cursors, the store's contract and its two conflicts.

Named tuples, because creating them takes a fraction of the time of a frozen dataclass, and each append creates several.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple, Protocol
from uuid import UUID

from events import canonical
from gamesvc.errors import GamesvcError
from gamesvc.json_types import JsonObject


class NewEvent(NamedTuple):
    """An event to append. `data` and `meta` hold plain JSON: no floats, integers under 2^53, ASCII keys."""

    type: str
    type_version: int
    data: JsonObject
    meta: JsonObject
    occurred_at: datetime


class StoredEvent(NamedTuple):
    """An event as the store holds it. Two reads of it are equal.

    `written` is `data` and `meta` as the canonical JSON that was hashed.
    """

    stream: UUID
    version: int
    type: str
    type_version: int
    data: JsonObject
    meta: JsonObject
    occurred_at: datetime
    salt: bytes
    hash: bytes
    written: tuple[str, str]

    @property
    def digest(self) -> bytes:
        """Return the digest, computed on demand: it is not stored, and a replay does not need it."""
        return canonical.digest(
            stream=str(self.stream),
            version=self.version,
            type=self.type,
            type_version=self.type_version,
            data=self.written[0].encode(),
            meta=self.written[1].encode(),
            occurred_at=canonical.write_time(self.occurred_at),
            salt=self.salt,
        )

    def as_record(self) -> JsonObject:
        """Return the event in the JSON format of store, API and exports."""
        return {
            "match": str(self.stream),
            "version": self.version,
            "type": self.type,
            "type_version": self.type_version,
            "data": self.data,
            "meta": self.meta,
            "occurred_at": canonical.write_time(self.occurred_at),
            "salt": self.salt.hex(),
            "digest": self.digest.hex(),
            "hash": self.hash.hex(),
        }

    @property
    def head(self) -> Head:
        """Return the head of its stream at this version, which the next append expects."""
        return Head(self.version, self.hash, self.occurred_at)


class Head(NamedTuple):
    """The last event of a stream, as far as an append needs it."""

    version: int
    hash: bytes
    occurred_at: datetime | None

    @classmethod
    def empty(cls, stream: UUID) -> Head:
        """Return the head of a stream without events."""
        return cls(0, canonical.genesis(stream), None)


class Statement(NamedTuple):
    """A further statement (INSERT, UPDATE or DELETE) that runs inside the append's own SQL statement, as one CTE of it.

    It may read the CTE `appended(version)`: one row with the stream's new version, or none if nothing was appended; then
    it must do nothing. It sees the tables as they were before the append. Parameters are written `%s`; cast numbers.
    """

    sql: str
    params: Sequence[object] = ()


class Cursor(NamedTuple):
    """A place in the feed. Cursors compare in the order of the feed."""

    epoch: int
    xid: int
    pos: int


START = Cursor(0, 0, 0)


class VersionConflict(GamesvcError):
    """The stream's head is not the expected one; nothing was appended. Load again and decide again."""


class DuplicateCommand(GamesvcError):
    """The stream has this command already; nothing was appended. `version` is that of its first event, `count` their number."""

    def __init__(self, version: int, count: int) -> None:
        super().__init__(f"This command was applied already, as version {version} and the {count - 1} after it.")
        self.version = version
        self.count = count


class Store(Protocol):
    """The append-only log of many streams."""

    def append(
        self, stream: UUID, events: Sequence[NewEvent], *, expected: Head, command_id: UUID, also: Sequence[Statement] = ()
    ) -> tuple[StoredEvent, ...]:
        """Append all events of one command, or none.

        Raises `DuplicateCommand` if the stream has the command (whatever was expected), else `VersionConflict` if its head is not
        `expected`, and `canonical.NotCanonical` for values that cannot be written. Time never goes back: an earlier `occurred_at`
        is moved up to that of the event before.
        """

    def read(self, stream: UUID, after: int = 0, until: int | None = None) -> list[StoredEvent]:
        """Return the events with a version above `after` and not above `until`, in order."""

    def head(self, stream: UUID) -> Head | None:
        """Return the stream's head; None if there is no event."""

    def command(self, stream: UUID, command_id: UUID) -> list[StoredEvent]:
        """Return the events of an earlier command, in order; none if it is unknown."""

    def feed(self, cursor: Cursor, limit: int) -> tuple[list[StoredEvent], Cursor]:
        """Return the next events of all streams, at most `limit`, and the cursor to continue from.

        Returns each event once, and skips none, however the writers' transactions overlap. The order within a stream may differ
        from its versions: `FeedReader` corrects that.
        """
