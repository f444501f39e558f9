"""Rematches: the same match again, after its end, for the same players."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Exists, OuterRef

from accounts.models import User
from gamesvc.games.kernel.game import Refused
from gamesvc.language import say
from gamesvc.matches import hints
from gamesvc.matches.access import holders, tenures
from gamesvc.matches.access.selectors import Access
from gamesvc.matches.lobby import blocked, invitations, opening
from gamesvc.matches.models import Beginning, Match, Rated, Seat
from gamesvc.matches.record.loading import Loaded

TERMS = ("options", "hours", "clock", "watch", "watch_delay", "press", "anonymous", "undo", "reliability")
"""The terms that a rematch shares with the match before it, beside game and number of seats."""


@dataclass(frozen=True, slots=True)
class Offer:
    """The way to a rematch for a player: join the match `open`, wait in it if `seated`, or open one if there is none."""

    open: Match | None = None
    seated: bool = False
    alone: bool = False
    """True if no other player would be asked: the rematch starts at once."""


def offer(access: Access) -> Offer | None:
    """Return what the reader of a match can do for a rematch; None if they held no seat at its end, or it cannot be repeated."""
    match, user = access.match, access.user
    if user is None or access.seat is None or not match.over or not _repeatable(match):
        return None
    opened = _opened(match, access.seats)
    found = _by(user, opened) or _inviting(user, opened)
    alone = all(seat.user_id in (None, user.pk) for seat in access.seats)
    return Offer(found, seated=found is not None and found.seats.filter(user=user).exists(), alone=alone)


def mark(access: Access, loaded: Loaded) -> str:
    """Return what has followed the end of a match for its reader, as an opaque text: ratings, a rematch. Empty before."""
    if not loaded.ended:
        return ""
    rated = Rated.objects.filter(match=access.match).exists()
    offered = offer(access)
    opened = f"{offered.open.number}{'s' if offered.seated else ''}" if offered is not None and offered.open is not None else ""
    return f"{'rated ' if rated else ''}{opened}".strip()


def rematch(*, by: User, match: Match, channel: str = "api") -> Match:
    """Open the same match again and invite its players, or take the seat in the one that another of them has opened.

    Seats move on by one, so that another player begins. It counts as a match opened and as invitations sent, within the same
    limits. Raises `Refused` and `TooMany`.
    """
    with transaction.atomic():
        tenures.lock_user(by)
        match = Match.objects.select_for_update(no_key=True).get(pk=match.pk)
        seats = list(match.seats.select_related("user").order_by("index"))
        own = next((seat for seat in seats if seat.user_id == by.pk), None)
        if own is None:
            raise holders.no_seat()
        _check_over(match)
        opened = _opened(match, seats)
        if (mine := _by(by, opened)) is not None:
            raise Refused("rematch_open", say("Your rematch is open already: match {number}.", number=mine.number))
        transaction.on_commit(lambda: hints.moved(match.pk), robust=True)
        if (invited := _inviting(by, opened)) is not None:
            return opening.join_match(by=by, match=invited, channel=channel)
        return _open(by, match, seats, own.index, channel)


def _check_over(match: Match) -> None:
    if not match.over:
        raise Refused("not_over", say("The match is not over yet."))
    if not _repeatable(match):
        raise Refused("no_rematch", say("This match cannot be played again. Open a new one."))


def _repeatable(match: Match) -> bool:
    """Return False for a match that never started, an analysis board, and a match from a described position."""
    return match.started_at is not None and not match.board and not Beginning.objects.filter(match=match).exists()


def _by(user: User, opened: Sequence[Match]) -> Match | None:
    return next((match for match in opened if match.creator_id == user.pk), None)


def _inviting(user: User, opened: Sequence[Match]) -> Match | None:
    """Return the first of some open matches to which a user is invited, and in which no block keeps them from a seat."""
    invited = [match for match in opened if match.invitations.filter(user=user, declined_at=None).exists()]
    apart = blocked.apart(user) if invited else frozenset()
    return next((match for match in invited if match.hides_names or match.creator_id not in apart), None)


def _opened(match: Match, seats: Sequence[Seat]) -> list[Match]:
    """Return the open matches on the same terms that its players have opened since its end.

    Who joins a rematch has not read its terms again. So another clock, a described position, a host who does not play and could
    rule on it, or another player on a seat, makes another match of it.
    """
    players = [seat.user_id for seat in seats if seat.user_id is not None]
    hosts = Seat.objects.filter(match=OuterRef("pk"), user=OuterRef("creator"))
    since = Match.objects.filter(status=Match.Status.OPEN, creator__in=players, created_at__gte=match.ended_at)
    alike = since.filter(game=match.game, seat_count=match.seat_count, entry=Match.Entry.INVITED, board=False)
    found = alike.filter(Exists(hosts)).exclude(pk__in=Beginning.objects.values("match")).order_by("number")
    same = [one for one in found if all(getattr(one, term) == getattr(match, term) for term in TERMS)]
    return [one for one in same if not _any_stranger(one, seats)]


def _any_stranger(opened: Match, seats: Sequence[Seat]) -> bool:
    """Return True if a seat of an open match is held by a user, or a bot of the game, that held none of these seats."""
    known = Counter((seat.user_id, seat.user_id is None and seat.bot) for seat in seats)
    taken = Counter((seat.user_id, seat.user_id is None and seat.bot) for seat in opened.seats.exclude(holder=None))
    return bool(taken - known)


def _open(by: User, match: Match, seats: Sequence[Seat], own: int, channel: str) -> Match:
    count = match.seat_count
    again = opening.create_match(
        by=by,
        game=match.game,
        options=match.options,
        seats=count,
        hours=match.hours,
        clock=match.clock,
        entry=Match.Entry.INVITED,
        watch=match.watch,
        watch_delay=match.watch_delay,
        press=match.press,
        anonymous=match.anonymous,
        undo=match.undo,
        bots={(seat.index + 1) % count: seat.bot for seat in seats if seat.bot and seat.user_id is None},
        take_seat=False,
        reliability=match.reliability,
        channel=channel,
    )
    again = opening.join_match(by=by, match=again, seat=(own + 1) % count, channel=channel)
    apart = blocked.apart(by)
    for seat in seats:
        if seat.user is not None and seat.user_id not in {by.pk, *apart} and User.named(seat.user.username):
            invitations.invite(by=by, match=again, username=seat.user.username)
    return again
