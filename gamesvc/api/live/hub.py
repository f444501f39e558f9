"""The hub of a live process: which streams follow what, and who has to be told when a match moves.

Hints on Valkey wake it after each commit. A sweep finds what a lost hint would have told, and ends the streams of callers whose
token, session or account is gone. All looks at the database run one after another in one thread, so that no older look can
overtake a newer one.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar
from uuid import UUID

import redis.asyncio
from django.conf import settings

from accounts.network import NETWORKS_OF_ONE, provider_network
from gamesvc.api.live import looking
from gamesvc.api.live.errors import TooManyStreams
from gamesvc.api.live.streams import MatchStream, Stream, UserStream
from gamesvc.away import is_away
from gamesvc.matches.reading.following import MOVED
from gamesvc.sent_tasks import client_url

T = TypeVar("T")
log = logging.getLogger(__name__)

AGAIN_SECONDS = 1.0
"""Time before the next try when the database or Valkey is away."""
SAID_AGAIN_SECONDS = 10.0
"""Time that Valkey must have answered before its next failure is logged."""
MOST_PAGES = 4
"""Different pages of past events that are read before it is looked again what has moved."""
MOST_MATCHES = 16
"""Matches that are looked at for streams that wait, before it is looked again what has moved."""
LIMITS = {
    "address": ("STREAMS_PER_ADDRESS", "{} streams are allowed from one network."),
    "provider": ("STREAMS_PER_ADDRESS", "{} streams are allowed from one network of a provider."),
    "user": ("STREAMS_PER_USER", "{} streams are allowed for one user."),
    "token": ("STREAMS_PER_TOKEN", "{} streams are allowed with one token."),
}


class Hub:
    """All open streams of this process. Use it from its event loop only."""

    def __init__(self) -> None:
        self._of_match: dict[UUID, set[Stream]] = {}
        self._of_user: dict[int, set[Stream]] = {}
        self._moved: set[UUID] = set()
        # Matches of which no hint came: a user who opens a stream may have thousands.
        self._missed: dict[UUID, None] = {}
        # Streams of a match, who waits longest first.
        self._waiting: dict[Stream, None] = {}
        # Streams of all matches of a user: by user and the number of the match after which to look, who waits longest first.
        self._users_waiting: dict[tuple[int | None, int], set[UserStream]] = {}
        self._wake = asyncio.Event()
        self._heads: dict[UUID, int] = {}
        self._delayed: set[UUID] = set()
        self._open: Counter[tuple[str, object]] = Counter()
        self._looker = ThreadPoolExecutor(1, "look")
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        for work in (self._listen, self._look, self._sweep):
            self._tasks.append(asyncio.create_task(_forever(work)))

    def stop(self) -> None:
        """End all streams and the work behind them."""
        for task in self._tasks:
            task.cancel()
        for stream in self._streams():
            stream.close()
        self._looker.shutdown(wait=False, cancel_futures=True)

    def add(self, stream: Stream) -> None:
        """Begin to follow. Raises `TooManyStreams`."""
        holders = _holders(stream)
        for name, holder in holders:
            most = getattr(settings, LIMITS[name][0]) * (NETWORKS_OF_ONE if name == "provider" else 1)
            if most and self._open[name, holder] >= most:
                raise TooManyStreams(LIMITS[name][1].format(most), retry_after=60)
        self._open.update(holders)
        followed, key = self._place(stream)
        followed.setdefault(key, set()).add(stream)
        self.look_again(stream)

    def remove(self, stream: Stream) -> None:
        """Forget a stream that has ended."""
        stream.close()
        self._waiting.pop(stream, None)
        followed, key = self._place(stream)
        followed[key].discard(stream)
        if not followed[key]:
            del followed[key]
        for holder in _holders(stream):
            self._open[holder] -= 1
            if not self._open[holder]:
                del self._open[holder]

    def look_again(self, stream: Stream) -> None:
        """Look for a stream as soon as possible, whether or not its match has moved."""
        if isinstance(stream, UserStream):
            self._users_waiting.setdefault((stream.wish.caller.user_id, 0), set()).add(stream)
        else:
            self._waiting.setdefault(stream)
        self._wake.set()

    # --- work ---

    async def _listen(self) -> None:
        """Take hints. Each connection begins with a sweep: hints may have been lost before."""
        async with redis.asyncio.Redis.from_url(client_url(settings.REDIS_URL), protocol=2) as client, client.pubsub() as channel:
            await channel.subscribe(MOVED)
            await self._find_moved()
            async for message in channel.listen():
                if message["type"] == "message":
                    self._moved.add(UUID(bytes=message["data"]))
                    self._wake.set()

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(settings.SWEEP_SECONDS)
            await self._find_moved()
            streams = self._streams()
            valid = await self._ask(looking.valid_users, {stream.wish.caller for stream in streams})
            for stream in streams:
                if stream.wish.caller not in valid:
                    stream.close()

    async def _find_moved(self) -> None:
        """Look for matches whose newest version is not the one that was looked at last, and for those that are seen late."""
        found = await self._ask(looking.versions, list(self._of_match))
        if self._of_user:
            found |= await self._ask(looking.own_versions, list(self._of_user))
        moved = {match_id for match_id, version in found.items() if self._heads.get(match_id) != version}
        if self._users_waiting:
            # Those that nobody has looked at are probably theirs, and their turn comes.
            moved &= self._heads.keys() | self._of_match.keys()
        moved |= self._delayed & found.keys()
        self._delayed.clear()
        self._heads = {match_id: head for match_id, head in self._heads.items() if match_id in found}
        if moved:
            self._missed.update(dict.fromkeys(moved))
            self._wake.set()

    async def _look(self) -> None:
        """Tell followers of what has moved, match by match. In between, one user who waits is told of a page of their matches.

        So nobody's match waits for more than one of these looks, however many users open a stream again and again, and however
        many matches they have.
        """
        while True:
            await self._wake.wait()
            self._wake.clear()
            moved, self._moved = self._moved | self._take_missed(), set()
            waiting = self._take_waiting()
            try:
                await self._tell(moved, waiting)
            except BaseException:
                self._moved |= moved
                self._waiting = {stream: None for stream in (*waiting, *self._waiting) if not stream.closed}
                self._wake.set()
                raise
            await self._tell_user()

    def _take_missed(self) -> set[UUID]:
        """Take a few of the matches of which no hint came."""
        taken = set(itertools.islice(self._missed, MOST_MATCHES))
        for match_id in taken:
            del self._missed[match_id]
        if self._missed:
            self._wake.set()
        return taken

    def _take_waiting(self) -> list[Stream]:
        """Take the streams that have waited longest, as many as few looks serve, and all others that need the same ones."""
        pages: set[object] = set()
        matches: set[object] = set()
        taken = []
        for stream in self._waiting:
            match_id = stream.wish.match_id
            page = (match_id, stream.known) if isinstance(stream, MatchStream) and stream.wish.events else None
            is_early = match_id in matches or len(matches) < MOST_MATCHES
            if is_early and (page is None or page in pages or len(pages) < MOST_PAGES):
                matches.add(match_id)
                pages |= {page} if page else set()
                taken.append(stream)
        for stream in taken:
            del self._waiting[stream]
        if self._waiting:
            self._wake.set()
        return taken

    async def _tell_user(self) -> None:
        """Look at one page of the matches of the user who waits longest, once for all their streams. Then others come first."""
        if not self._users_waiting:
            return
        user_id, after = next(iter(self._users_waiting))
        streams = {stream for stream in self._users_waiting.pop((user_id, after)) if not stream.closed}
        try:
            rest = await self._tell_each(streams, looking.look_for, list(streams), after) if streams else None
        except BaseException:
            for stream in streams:
                if not stream.closed:
                    self.look_again(stream)
            raise
        if rest is not None and (going_on := {stream for stream in streams if not stream.closed}):
            self._users_waiting.setdefault((user_id, rest), set()).update(going_on)
        if self._users_waiting:
            self._wake.set()

    async def _tell(self, moved: set[UUID], waiting: Iterable[Stream]) -> None:
        streams = {match_id: set(self._of_match.get(match_id, ())) for match_id in moved}
        if moved and self._of_user:
            for match_id, users in (await self._ask(looking.followers, moved)).items():
                streams[match_id].update(stream for user_id in users for stream in self._of_user.get(user_id, ()))
        for stream in waiting:
            if stream.wish.match_id is not None:
                streams.setdefault(stream.wish.match_id, set()).add(stream)
        for match_id, followers in streams.items():
            if ready := self._ready(followers):
                # Who follows all their matches goes on with the others.
                alone = [stream for stream in ready if not isinstance(stream, UserStream)]
                await self._tell_each(alone, looking.look_at, match_id, ready)

    async def _tell_each(self, alone: Iterable[Stream], look: Callable[..., looking.Looks], *args: object) -> int | None:
        """Deliver what a look finds, and return where the next one goes on, if anything is left.

        If it fails, end the streams that depend on it `alone`; no other may suffer from it. Raises the error if the database is
        away, which says nothing about the match.
        """
        try:
            found = await self._ask(look, *args)
            self._deliver(found)
            return found.rest
        except Exception as error:
            if is_away(error):
                raise
            log.exception("A match cannot be followed.")
            for stream in alone:
                stream.close()
            return None

    def _ready(self, followers: Iterable[Stream]) -> list[Stream]:
        """Return the streams to look for now. One that still waits for its turn is looked for then, and one with events that are
        still to be sent after that.
        """
        ready = []
        for stream in followers:
            if stream.wish.events and not stream.is_idle:
                stream.behind = True
            elif not stream.closed and stream not in self._waiting:
                ready.append(stream)
        return ready

    def _deliver(self, looks: looking.Looks) -> None:
        for stream, seen in looks.told:
            for look in seen:
                if look is not None:
                    self._heads[look.match_id] = look.head
                    if look.is_delayed:
                        self._delayed.add(look.match_id)
                stream.take(look)

    async def _ask(self, function: Callable[..., T], *args: object) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._looker, function, *args)

    def _streams(self) -> list[Stream]:
        return [stream for followed in (self._of_match, self._of_user) for streams in followed.values() for stream in streams]

    def _place(self, stream: Stream) -> tuple[dict[Any, set[Stream]], object]:
        """Return where a stream is kept: among those of its match or of its user."""
        if isinstance(stream, UserStream):
            return self._of_user, stream.wish.caller.user_id
        return self._of_match, stream.wish.match_id


def _holders(stream: Stream) -> list[tuple[str, object]]:
    """Return by whom a stream counts, with the name of each limit."""
    caller = stream.wish.caller
    networks = (("address", caller.network), ("provider", provider_network(caller.network)))
    named = (*networks, ("user", caller.user_id), ("token", caller.token_id))
    return [(name, holder) for name, holder in named if holder not in (None, "")]


async def _forever(work: Callable[[], Awaitable[None]]) -> None:
    """Begin a work again whenever it fails, for instance because the database or Valkey is away."""
    is_said = False
    while True:
        began = time.monotonic()
        try:
            await work()
        except redis.RedisError as error:
            if not is_said or time.monotonic() - began > SAID_AGAIN_SECONDS:
                log.warning("Valkey does not answer (%s); live streams go on by their sweep.", error)
            is_said = True
        except Exception:
            log.exception("A part of the live streams has failed and begins again.")
        await asyncio.sleep(AGAIN_SECONDS)
