"""Questions of a hub to the database. Functions block: the hub calls them in a thread."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import ParamSpec, TypeVar
from uuid import UUID

from django.db import close_old_connections

from accounts.models import User
from gamesvc.api.live.callers import Caller, still_valid
from gamesvc.api.live.streams import Look, MatchStream, Stream, UserStream
from gamesvc.matches.lobby import press, rematches
from gamesvc.matches.reading import following

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Looks:
    """The news for each stream."""

    told: list[tuple[Stream, list[Look | None]]]
    rest: int | None = None
    """The number of the match after which the next look goes on; None if nothing is left."""


def in_thread(function: Callable[P, T]) -> Callable[P, T]:
    """Mark a function that a thread of ours calls: a connection that has broken meanwhile is opened again."""

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> T:
        close_old_connections()
        return function(*args, **kwargs)

    return called


@in_thread
def look_at(match_id: UUID, streams: Sequence[Stream]) -> Looks:
    """Look at a match for these streams. None where the caller is no longer valid, or may not know the match they follow."""
    users = still_valid({stream.wish.caller for stream in streams})
    asked = [stream for stream in streams if stream.wish.caller in users]
    callers = [(users[stream.wish.caller], stream.wish.link) for stream in asked]
    seen = following.glances(match_id, callers)
    newest = press.newest(match_id)
    pages: dict[object, Look] = {}
    looks: dict[Stream, Look | None] = dict.fromkeys(streams)
    for stream, glance in zip(asked, seen, strict=True):
        if glance is not None:
            after = _after(stream, glance)
            heard = _heard(stream, glance, newest)
            ended = _after_end(stream, glance)
            key = (glance.viewer, glance.is_own, glance.access.is_delayed, after, heard, ended, glance.challenge)
            looks[stream] = pages.get(key) or pages.setdefault(key, Look.of(glance, after, heard, newest, ended))
    # A user goes on following their other matches.
    left = {stream for stream, glance in zip(asked, seen, strict=True) if glance is None and isinstance(stream, UserStream)}
    return Looks([(stream, [look]) for stream, look in looks.items() if stream not in left])


@in_thread
def look_for(streams: Collection[UserStream], after: int = 0) -> Looks:
    """Look once for all streams of a user at their unfinished matches, and those that have ended since they were told.

    Looks at one page of them, those after a number.
    """
    users = still_valid({stream.wish.caller for stream in streams})
    asked: dict[bool, list[UserStream]] = {}
    for stream in streams:
        if stream.wish.caller in users:
            asked.setdefault(_speaking(users, stream).speaks_as_operator, []).append(stream)
    found: list[tuple[Stream, list[Look | None]]] = [(stream, [None]) for stream in streams if stream.wish.caller not in users]
    rests = []
    for alike in asked.values():
        known = {stream: frozenset(stream.known) for stream in alike}
        seen, rest = following.own_glances(_speaking(users, alike[0]), frozenset().union(*known.values()), after)
        pages = [(glance.number, glance.is_unfinished, Look.of(glance)) for glance in seen]
        for stream in alike:
            found.append((stream, [look for number, unfinished, look in pages if unfinished or number in known[stream]]))
        rests += [rest] if rest is not None else []
    return Looks(found, min(rests, default=None))


def _speaking(users: Mapping[Caller, User | None], stream: UserStream) -> User:
    user = users[stream.wish.caller]
    assert user is not None  # nobody follows all their matches as a guest
    return user


@in_thread
def valid_users(callers: Collection[Caller]) -> Mapping[Caller, User | None]:
    return still_valid(callers)


followers = in_thread(following.followers)
versions = in_thread(following.versions)
own_versions = in_thread(following.own_versions)


def _heard(stream: Stream, glance: following.Glance, newest: str) -> str:
    """Return the newest message that a follower may read. It is looked up again only where the match has a newer one."""
    if not isinstance(stream, MatchStream) or stream.wish.events or not newest:
        return ""
    is_known = stream.newest_message == newest and not glance.access.is_delayed
    return stream.heard if is_known else press.mark(glance.access)


def _after_end(stream: Stream, glance: following.Glance) -> str:
    """Return what has followed the end of a match for a follower of it."""
    is_told = isinstance(stream, MatchStream) and not stream.wish.events
    return rematches.mark(glance.access, glance.loaded) if is_told else ""


def _after(stream: Stream, glance: following.Glance) -> int | None:
    """Return the version after which a stream wants the events; None if it wants none."""
    if not isinstance(stream, MatchStream) or not stream.wish.events:
        return None
    return glance.version if stream.known is None else stream.known
