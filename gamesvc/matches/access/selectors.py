"""Reading matches, always on behalf of a user: what they may know by the rules of their seat."""

from __future__ import annotations

import functools
import uuid
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet, prefetch_related_objects
from django.utils import timezone

from accounts import blocks
from accounts.bots import bots
from accounts.models import User
from events.store import StoredEvent
from gamesvc.database.asking import ask
from gamesvc.database.rows import columns, row_of
from gamesvc.games.kernel.game import Viewer
from gamesvc.json_types import JsonObject
from gamesvc.language import say
from gamesvc.matches.access import tenures
from gamesvc.matches.errors import Forbidden, Unknown
from gamesvc.matches.models import Holding, Invitation, Match, Seat
from gamesvc.matches.record.loading import Loaded, hour, load, load_at, load_many
from gamesvc.matches.record.sight import see
from gamesvc.matches.record.stream import STORE, lift, version_at


@dataclass(frozen=True, slots=True)
class Access:
    """A match as one user may use it. `seat` is the user's own, if any; on their analysis board, the one they look from.

    `left`: the user or a bot of theirs gave up a seat of a match that they host, so that they rule on it no longer (`tenures`).
    """

    match: Match
    user: User | None
    seat: Seat | None
    seats: tuple[Seat, ...]
    left: bool = False

    @property
    def viewer(self) -> Viewer:
        return self.seat.index if self.seat is not None else None

    @property
    def may_be(self) -> frozenset[int]:
        """Return the seats whose hidden information the user may see while the match runs."""
        if self.match.board and self.is_host:
            return frozenset(seat.index for seat in self.seats if not seat.bot)
        return frozenset() if self.seat is None else frozenset({self.seat.index})

    @property
    def is_host(self) -> bool:
        return self.user is not None and self.match.creator_id == self.user.pk

    @property
    def is_delayed(self) -> bool:
        """Return True for spectators of a running match that its host shows them late.

        Players see it as it is, and so do the host and operators unless they played in it before; once it is over, everyone does.
        """
        match = self.match
        if not match.watch_delay or match.status != Match.Status.RUNNING or self.seat is not None:
            return False
        if self.is_host:
            return self.left
        return self.user is None or not self.user.is_operator or tenures.played(self.user, match)

    @property
    def shown_until(self) -> datetime | None:
        """Return the moment up to which the user may know of the match: with a delay, not before its start. None: up to now."""
        if not self.is_delayed:
            return None
        assert self.match.started_at is not None
        return max(timezone.now() - self.match.watch_delay * hour(), self.match.started_at)

    def load(self) -> Loaded:
        """Return the match as far as the user may know of it: its newest version, or an earlier one with a delay."""
        return self.limit(load(self.match.id, self.match.game))

    def limit(self, newest: Loaded) -> Loaded:
        """Return the version of a match that the user may know of, from its newest one.

        Nothing that is made of it can tell of later events: it is the match as it was loaded then.
        """
        moment = self.shown_until
        if moment is None or newest.ended:
            return newest
        version = version_at(newest.match_id, moment)
        assert version is not None, "a match that has started has events"
        return newest if version >= newest.version else load_at(newest.game, newest.match_id, version)


def access_match(*, user: User | None, ident: str, link: str = "", as_seat: int | None = None) -> Access:
    """Return a match by uuid or public number for a user (None: not signed in). Raises `Unknown` if they may not know it.

    `as_seat`: on an analysis board, the seat its owner looks from and acts for; without it a seat that is awaited.
    """
    match = Match.objects.filter(by_ident(ident)).select_related("creator").first()
    if match is None:
        raise Unknown
    seats = tuple(match.seats.select_related("user").order_by("index"))
    access = _access(match, user, seats, _Ties(user, [match]), link)
    if access is None:
        raise Unknown
    if match.board:
        return replace(access, seat=_turned_to(seats, load(match.id, match.game), as_seat))
    return access


def access_each(match_id: uuid.UUID, callers: Iterable[tuple[User | None, str]]) -> list[Access | None]:
    """Return a match as each of many callers may use it: a user and a watch link, either may be missing.

    None for those who may not know the match. The match is read once for all of them.
    """
    match = Match.objects.filter(pk=match_id).select_related("creator").first()
    if match is None:
        return [None for _caller in callers]
    seats = tuple(match.seats.select_related("user").order_by("index"))
    found = [_access(match, user, seats, _Ties(user, [match]), link) for user, link in callers]
    if not match.board:
        return found
    seat = _turned_to(seats, load(match.id, match.game))
    return [replace(access, seat=seat) if access is not None else None for access in found]


def access_many(user: User | None, matches: Iterable[Match]) -> list[Access]:
    """Return many matches in their order, in a fixed number of queries. Those the user may not know are left out."""
    found = list(matches)
    prefetch_related_objects(found, Prefetch("seats", Seat.objects.select_related("user").order_by("index")), "creator")
    ties = _Ties(user, found)
    seen = [_access(match, user, tuple(match.seats.all()), ties) for match in found]
    known = [access for access in seen if access is not None]
    boards = load_many({access.match.id: access.match.game for access in known if access.match.board})
    return [
        replace(access, seat=_turned_to(access.seats, boards[access.match.id])) if access.match.board else access
        for access in known
    ]


@dataclass(frozen=True)
class _Ties:
    """Further reasons why a user may know some matches: invitations, and seats held before. Looked up on demand."""

    user: User | None
    matches: Sequence[Match]

    @functools.cached_property
    def invited(self) -> frozenset[uuid.UUID]:
        rows = Invitation.objects.filter(user=self.user, declined_at=None, match__in=self.matches)
        return frozenset(rows.values_list("match_id", flat=True))

    @functools.cached_property
    def held(self) -> frozenset[uuid.UUID]:
        return frozenset(Holding.objects.filter(match__in=self.matches, user=self.user).values_list("match_id", flat=True))

    @functools.cached_property
    def left(self) -> frozenset[uuid.UUID]:
        return left(self.user, self.matches)


def left(user: User | None, matches: Iterable[Match]) -> frozenset[uuid.UUID]:
    """Return the matches shown late that a user hosts and that they or their bots have held a seat of, but for those in which a
    bot of theirs plays. No query where none is shown late.
    """
    hosted = [match.pk for match in matches if match.watch_delay and user is not None and match.creator_id == user.pk]
    if user is None or not hosted:
        return frozenset()
    return frozenset(Match.objects.filter(_held_by(user), pk__in=hosted).values_list("pk", flat=True))


def seen_late(user: User) -> Q:
    """Return the condition of matches that a user sees late, for queries: they have `left`, and have no seat again."""
    hosted = Q(creator=user, watch_delay__gt=0)
    return hosted & _held_by(user) & ~Q(Exists(Seat.objects.filter(match=OuterRef("pk"), user=user)))


def _held_by(user: User) -> Q:
    """Return the condition of matches of which a user or a bot of theirs has held a seat, and no other account of theirs does."""
    accounts = bots.person(user)
    held = Holding.objects.filter(match=OuterRef("pk"), user__in=accounts)
    return Q(Exists(held)) & ~Q(Exists(Seat.objects.filter(match=OuterRef("pk"), user__in=accounts.exclude(pk=user.pk))))


def _access(match: Match, user: User | None, seats: tuple[Seat, ...], ties: _Ties, link: str = "") -> Access | None:
    """Return the match as the user may use it, on a board still without a seat; None if they may not know it."""
    seat = next((seat for seat in seats if user is not None and seat.user_id == user.pk), None)
    if match.board:
        return Access(match, user, None, seats) if user is not None and match.creator_id == user.pk else None
    access = Access(match, user, seat, seats, seat is None and match.pk in ties.left)
    public = match.entry == Match.Entry.PUBLIC
    free_to_know = (
        seat is not None
        or access.is_host
        or match.watch == Match.Watch.ALL
        or (bool(link) and link == match.link_token and (match.watch == Match.Watch.LINK or match.status == Match.Status.OPEN))
        or (match.status == Match.Status.OPEN and public)
    )
    if free_to_know:
        return access
    if user is None:
        return None
    # Users who may take a seat may look at the match first: the invited ones as long as there is one for them, and in a running
    # match everyone, or only former holders. That an open match was called off is told to those invited, too.
    if match.started_at is None:
        return access if match.pk in ties.invited else None
    if any(seat.waits for seat in seats) and (public or match.pk in ties.held or match.pk in ties.invited):
        return access
    return None


def loads(accesses: Sequence[Access]) -> list[Loaded]:
    """Return for each access the match as far as its user may know of it, in a fixed number of queries without delays."""
    newest = load_many({access.match.id: access.match.game for access in accesses})
    return [access.limit(newest[access.match.id]) for access in accesses]


def _turned_to(seats: tuple[Seat, ...], loaded: Loaded, as_seat: int | None = None) -> Seat:
    """Return the seat from which an analysis board's owner looks: the one asked for, else one that must act, else the first."""
    own = [seat for seat in seats if not seat.bot]
    awaited = {one.seat for one in loaded.awaited()}
    wanted = [seat for seat in own if seat.index == as_seat]
    return [*wanted, *(seat for seat in own if seat.index in awaited), *own][0]


@functools.cache
def _seated() -> str:
    """Return the SQL for a match with its seats, all columns of both. Built once, since every turn runs it."""
    both = ", ".join([*columns("m", Match), *columns("s", Seat)])
    return f"SELECT {both} FROM matches_match m JOIN matches_seat s ON s.match_id = m.id WHERE "  # noqa: S608


def access_seat(*, user: User, ident: str, as_seat: int | None = None) -> Access:
    """Return a match for a user who wants to play, in one query. Raises `Unknown`, or `Forbidden` without a seat."""
    if ident.isdecimal() and len(ident) < 18:
        rows = ask(_seated() + "m.number = %s::bigint ORDER BY s.index", [int(ident)]).fetchall()
    else:
        rows = ask(_seated() + "m.id = %s::uuid ORDER BY s.index", [_uuid(ident)]).fetchall()
    if rows:
        width = len(Match._meta.concrete_fields)
        match = row_of(Match, rows[0][:width])
        seats = tuple(row_of(Seat, row[width:]) for row in rows)
        for seat in seats:
            seat.match = match
        if (own := next((seat for seat in seats if seat.user_id == user.pk), None)) is not None:
            return Access(match, user, own, seats)
    access = access_match(user=user, ident=ident, as_seat=as_seat)  # raises Unknown for users who may not know the match
    if access.match.board and access.seat is not None:
        return access
    raise Forbidden(say("You have no seat in this match."))


def by_ident(ident: str) -> Q:
    """Return the condition for a match by number or uuid. Raises `Unknown` for anything else."""
    return Q(number=int(ident)) if ident.isdecimal() and len(ident) < 18 else Q(pk=_uuid(ident))


def _uuid(ident: str) -> uuid.UUID:
    try:
        return uuid.UUID(ident)
    except ValueError:
        raise Unknown from None


def matches_of(user: User) -> QuerySet[Match]:
    """Return the matches in which a user has a seat or which they opened, newest first."""
    # A union of two index look-ups: a join with the seats would read all matches.
    seated = Seat.objects.filter(user=user).order_by().values("match_id")
    own = seated.union(Match.objects.filter(creator=user).order_by().values("pk"))
    return Match.objects.filter(pk__in=own).order_by("-number")


def open_matches(user: User | None) -> QuerySet[Match]:
    """Return the matches a user could join now, newest first. A block keeps them out of some (see `lobby.blocked`)."""
    free = Q(entry=Match.Entry.PUBLIC)
    if user is not None:
        free |= Q(pk__in=Invitation.objects.filter(user=user, declined_at=None).values("match_id"))
    matches = Match.objects.filter(free, status=Match.Status.OPEN).order_by("-number")
    if apart := blocks.apart(user):
        matches = matches.exclude(pk__in=with_any_of(apart))
    return matches.exclude(Exists(Seat.objects.filter(match=OuterRef("pk"), user=user))) if user is not None else matches


def with_any_of(users: Collection[int]) -> QuerySet[Match, uuid.UUID]:
    """Return the ids of the unfinished matches that some users host or play in, where all may know it."""
    open_names = Match.objects.filter(anonymous=False, status__in=Match.UNFINISHED)
    seated = Seat.objects.filter(user__in=users).order_by().values("match_id")
    return open_names.filter(Q(creator__in=users) | Q(pk__in=seated)).values_list("pk", flat=True)


def see_record(loaded: Loaded, stored: StoredEvent, viewer: Viewer, *, ended: bool) -> JsonObject:
    """Return one stored event as a viewer may see it: whole, redacted, or sealed."""
    record = stored.as_record()
    if ended:
        return record
    event = lift(loaded.game, stored)
    seen = see(loaded, event, viewer)
    if seen is None:
        return {key: record[key] for key in ("match", "version", "digest", "hash")}
    meta = record["meta"]
    own = meta["actor"].get("seat") == viewer and viewer is not None
    # By the one that is whole, or by its channel, who has no name would be known for a person or a program.
    nameless = loaded.anonymous and not own and meta["actor"]["kind"] in ("seat", "host") and "channel" in meta
    if not (seen.redacted or nameless or "draws" in meta) and (own or "command" not in meta):
        return record
    hidden = {"draws"} if own else {"draws", "command", "command_id", "channel", "received_at"}
    return {
        **{key: record[key] for key in ("match", "version", "type", "digest", "hash", "occurred_at")},
        "type_version": seen.type_version,
        "data": dict(seen.data),
        "meta": {key: value for key, value in meta.items() if key not in hidden},
        "redacted": True,
    }


def records_for(loaded: Loaded, viewer: Viewer, after: int, limit: int) -> list[JsonObject]:
    """Return the events after a version as a viewer may see them, up to the last one they may know."""
    until = min(after + limit, loaded.viewer_version(viewer))
    if until <= after:
        return []
    return [see_record(loaded, one, viewer, ended=loaded.ended) for one in STORE.read(loaded.match_id, after, until)]


def seat_names(seats: tuple[Seat, ...]) -> tuple[str, ...]:
    """Return the names of seats for pages and mails: players unless hidden, bots by kind, empty seats by number."""
    hidden = bool(seats) and seats[0].match.hides_names
    return tuple(
        f"{seat.bot} bot"
        if seat.bot and seat.user is None
        else f"player {seat.index + 1}"
        if seat.user is None or hidden
        else seat.user.username
        for seat in seats
    )
