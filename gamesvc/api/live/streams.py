"""One open stream: what its follower was told, and what waits to be sent. Lives in the event loop; nothing here blocks."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from gamesvc.api.live.callers import Caller
from gamesvc.api.live.messages import Format, read_cursor, write_cursor
from gamesvc.games.kernel.game import Viewer
from gamesvc.json_types import JsonObject
from gamesvc.matches.reading.following import Glance

HEARTBEAT_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class Wish:
    """A stream as it was asked for. `match_id` is None for the stream of all matches of the user."""

    caller: Caller
    form: Format
    match_id: UUID | None = None
    link: str = ""
    events: bool = False
    since: str = ""
    """The last id that the follower has got; empty at the first time."""


@dataclass(frozen=True, slots=True)
class Look:
    """The knowledge that a follower may have of a match now, in plain values: made in a thread, read in the event loop."""

    match_id: UUID
    number: int
    viewer: Viewer
    head: int
    """The newest version of the match. No follower may be told: it counts sealed events."""
    version: int
    awaited: bool
    over: bool
    is_own: bool
    is_board: bool
    after: int = 0
    """The version after which `records` begin."""
    records: Sequence[JsonObject] = ()
    messages: str = ""
    """The newest message that the follower may read; empty without one."""
    newest_message: str = ""
    """The newest message of the match. No follower may be told."""
    after_end: str = ""
    """The mark of a rematch and ratings that have followed the end, as the follower may know them; empty before."""
    challenge: str = ""
    """The id of the challenge that the follower can accept; empty without one."""
    is_delayed: bool = False
    """True if more will be shown as time passes, without an event."""

    @classmethod
    def of(
        cls, glance: Glance, after: int | None = None, messages: str = "", newest_message: str = "", after_end: str = ""
    ) -> Look:
        """Return the look behind a glance, with a page of the events after a version if one is given."""
        return cls(
            glance.match_id,
            glance.number,
            glance.viewer,
            glance.loaded.version,
            glance.version,
            glance.awaited,
            glance.loaded.ended,
            glance.is_own,
            glance.access.match.board,
            after or 0,
            () if after is None else glance.records(after),
            messages,
            newest_message,
            after_end,
            glance.challenge,
            glance.access.is_delayed,
        )


class Stream(ABC):
    """The base of both kinds of streams. Messages that were not sent yet are replaced by newer ones of the same match.

    Heartbeats come at fixed times after the first chunk, whatever happens in between.
    """

    def __init__(self, wish: Wish) -> None:
        self.wish = wish
        self.closed = False
        self.behind = False
        """True if there is more to look at once everything is sent."""
        self._messages: dict[object, tuple[str, JsonObject]] = {}
        self._beats = False
        self._wake = asyncio.Event()
        self._heart: asyncio.TimerHandle | None = None

    @property
    def is_idle(self) -> bool:
        """Return True if everything is sent."""
        return not self._messages

    @abstractmethod
    def take(self, look: Look | None) -> None:
        """Take what the follower may know of a match now; None if they no longer may."""

    def close(self) -> None:
        """End the stream, after what waits to be sent."""
        self.closed = True
        if self._heart is not None:
            self._heart.cancel()
        self._wake.set()

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield what is to be sent, as it comes, until the stream is closed."""
        if not self.closed:
            # Not before: the clock keeps a stream in memory, and one that is refused is never closed.
            self._heart = self._next_beat()
        yield self.wish.form.opening()
        while not self.closed or self._messages:
            await self._wake.wait()
            if not self.closed:
                self._wake.clear()
            ready = self._written()
            self._messages.clear()
            self._beats = False
            if ready:
                yield b"".join(ready)

    def _written(self) -> list[bytes]:
        """Return what waits to be sent. It is written only now, and what was replaced meanwhile never is."""
        form = self.wish.form
        messages = [form.message(ident, data) for ident, data in self._messages.values()]
        return [*messages, form.heartbeat] if self._beats else messages

    def _send(self, key: object, ident: str, data: JsonObject) -> None:
        self._messages.pop(key, None)
        self._messages[key] = (ident, data)
        self._wake.set()

    def _beat(self) -> None:
        self._beats = True
        self._wake.set()
        self._heart = self._next_beat()

    def _next_beat(self) -> asyncio.TimerHandle:
        return asyncio.get_running_loop().call_later(HEARTBEAT_SECONDS, self._beat)


class MatchStream(Stream):
    """The stream of one match. The id of a message is the version. It ends where its follower's view becomes another one.

    Without events it also tells that a message between players has come which its follower may read, and after the end, that a
    rating or a rematch has.
    """

    def __init__(self, wish: Wish) -> None:
        super().__init__(wish)
        self.known = int(wish.since) if wish.since.isdecimal() and len(wish.since) < 10 else None
        self.heard = ""
        self.newest_message = ""
        self.after_end = ""
        self._viewer: Viewer = None
        self._has_looked = False

    def take(self, look: Look | None) -> None:
        if look is None or (self._has_looked and look.viewer != self._viewer and not look.is_board):
            return self.close()
        self._viewer = look.viewer
        is_first, self._has_looked = not self._has_looked, True
        is_heard = (look.messages, look.after_end) == (self.heard, self.after_end)
        self.heard, self.newest_message, self.after_end = look.messages, look.newest_message, look.after_end
        if not is_heard:
            return self._tell(look, look.version)
        if look.version == self.known or (self.wish.events and not is_first and look.version < (self.known or 0)):
            return None
        if not self.wish.events:
            return self._tell(look, look.version)
        version = look.records[-1]["version"] if look.records else look.version
        self._tell(look, version, {"events": look.records})
        self.behind = version < look.version
        return None

    def _tell(self, look: Look, version: int, more: JsonObject | None = None) -> None:
        self.known = version
        news = {"messages": look.messages, "after_end": look.after_end}
        said = {name: mark for name, mark in news.items() if mark}
        data = {"match": str(look.match_id), "version": version, "awaited": look.awaited, **said, **(more or {})}
        self._send(version if self.wish.events else "version", str(version), data)


class UserStream(Stream):
    """The stream of all unfinished matches of a user. The id of a message is a cursor: all matches with their versions.

    Of the messages that are sent at once only the last has the new cursor: writing one for each would take long for who has many
    matches, and all other streams wait meanwhile. The others have the one before; who comes back with it is told of all again.

    A match is told again at the same version if what is said of it differs: a look reads the seats of a match before its events,
    and may find those of a version newer than the seats.
    """

    def __init__(self, wish: Wish) -> None:
        super().__init__(wish)
        self.known = read_cursor(wish.since) if wish.since else {}
        self._cursor = write_cursor(self.known)
        self._said: dict[int, JsonObject] = {}

    def take(self, look: Look | None) -> None:
        if look is None:
            return self.close()
        challenged = {"challenge": look.challenge} if look.challenge else {}
        data = {"match": str(look.match_id), "version": look.version, "awaited": look.awaited, **challenged}
        if self.known.get(look.number) == look.version and self._said.get(look.number, data) == data:
            return None
        if not look.is_own:
            self._forget(look)
            return None
        self.known[look.number], self._said[look.number] = look.version, data
        if look.over:
            # Said once more, and then out of the cursor: nothing comes after the end.
            self._forget(look)
        self._send(look.match_id, self._cursor, data)
        return None

    def _written(self) -> list[bytes]:
        if self._messages:
            before, self._cursor = self._cursor, write_cursor(self.known)
            *others, last = self._messages
            self._messages.update({key: (before, self._messages[key][1]) for key in others})
            self._messages[last] = (self._cursor, self._messages[last][1])
        return super()._written()

    def _forget(self, look: Look) -> None:
        self.known.pop(look.number, None)
        self._said.pop(look.number, None)
