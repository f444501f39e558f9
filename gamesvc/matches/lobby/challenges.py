"""Challenges: invitations by name, with the match that they open, as a program handles them.

A challenge is nothing of its own: it opens a match for two on invitation, takes a seat in it and invites the opponent. So limits,
blocks, notices and the record are those of invitations, and an invitation from a page is a challenge too. Declining one for two
calls its match off, if nobody else could take the seat.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from django.db import transaction
from django.db.models import Prefetch, Q, QuerySet

from accounts import blocks
from accounts.models import User
from gamesvc.errors import not_there
from gamesvc.games import catalog
from gamesvc.games.kernel.game import Refused
from gamesvc.json_types import JsonMapping
from gamesvc.language import say
from gamesvc.matches import hints
from gamesvc.matches.lobby import invitations, opening
from gamesvc.matches.models import Invitation, Match, Seat

_SEATS = 2
# Whose account an address or a link has led to, their sender is not told.
_BY_NAME = Q(address="", user__isnull=False)
# Nor, in an anonymous match, who of the invited plays in it.
_MAY_WAIT = Q(accepted_at=None) | Q(match__anonymous=True)


def challenge(
    *,
    by: User,
    opponent: str,
    game: str,
    options: JsonMapping | None = None,
    hours: int = opening.USUAL_HOURS,
    clock: JsonMapping | str | None = None,
    seat: int | None = None,
    watch: str = Match.Watch.LINK,
    channel: str = "api",
) -> Invitation:
    """Challenge a user by name to a match for two. `seat`: the one that the challenger takes.

    Raises `Refused` and `TooMany`, as opening a match and inviting do.
    """
    manifest = catalog.game(game).manifest
    if not manifest.min_seats <= _SEATS <= manifest.max_seats:
        raise Refused("bad_seats", say("This game is not for two."), "game")
    if seat is not None and not 0 <= seat < _SEATS:
        raise Refused("bad_seats", say("Seats are 0 to {last}.", last=_SEATS - 1), "seat")
    with transaction.atomic():
        match = opening.create_match(
            by=by,
            game=game,
            options=options,
            seats=_SEATS,
            hours=hours,
            clock=clock,
            entry=Match.Entry.INVITED,
            watch=watch,
            take_seat=False,
            channel=channel,
        )
        match = opening.join_match(by=by, match=match, seat=seat, channel=channel)
        invitation, _token = invitations.invite(by=by, match=match, username=opponent)
        transaction.on_commit(lambda: hints.moved(match.id), robust=True)
    return _of([invitation])[0]


def incoming(user: User, most: int) -> list[Invitation]:
    """Return the unanswered challenges of a user, newest first, with their matches, seats and users."""
    return _of(invitations.pending(user, most))


def outgoing(user: User, most: int) -> list[Invitation]:
    """Return the unanswered challenges that a user has sent by name, newest first."""
    found = Invitation.objects.filter(_BY_NAME, _MAY_WAIT, invited_by=user, declined_at=None)
    found = found.filter(match__status=Match.Status.OPEN).order_by("-created_at", "id")
    return _of(found[:most])


def find(user: User, challenge_id: uuid.UUID) -> Invitation:
    """Return a challenge that a user has sent or got, whatever came of it. Raises `Refused`."""
    return _of([_find(user, Invitation.objects.filter(Q(user=user) | _BY_NAME & Q(invited_by=user)), challenge_id)])[0]


def accept(*, by: User, challenge_id: uuid.UUID, contribution: str = "", channel: str = "api") -> Invitation:
    """Take the seat of a challenge. The match starts when all seats are taken. Raises `Refused`."""
    found = _find(by, Invitation.objects.filter(user=by, declined_at=None), challenge_id)
    opening.join_match(by=by, match=found.match, contribution_text=contribution, channel=channel)
    return find(by, challenge_id)


@transaction.atomic
def decline(*, by: User, challenge_id: uuid.UUID, channel: str = "api") -> Invitation:
    """Decline a challenge. A match for two is called off. Repeating it changes nothing. Raises `Refused`."""
    found = _find(by, Invitation.objects.filter(user=by), challenge_id)
    match = Match.objects.select_for_update(no_key=True).get(pk=found.match_id)
    if found.declined_at is None:
        if not invitations.decline(found):
            raise _none()
        if match.creator_id == found.invited_by_id and _waits_for_nobody(match):
            opening.cancel_match(by=found.invited_by, match=match, channel=channel)
    return find(by, challenge_id)


def _waits_for_nobody(match: Match) -> bool:
    """Return True for an open match for two whose seat nobody else can take: it is on invitation, and no other one waits."""
    others = match.invitations.filter(accepted_at=None, declined_at=None)
    on_invitation = match.status == Match.Status.OPEN and match.entry == Match.Entry.INVITED
    return match.seat_count == _SEATS and on_invitation and not others.exists()


@transaction.atomic
def cancel(*, by: User, challenge_id: uuid.UUID, channel: str = "api") -> Invitation:
    """Take a challenge back, as the host of its match, which is called off. Raises `Refused`."""
    found = _find(by, Invitation.objects.filter(_BY_NAME, _MAY_WAIT, invited_by=by, match__creator=by), challenge_id)
    opening.cancel_match(by=by, match=found.match, channel=channel)
    return find(by, challenge_id)


def status(invitation: Invitation, reader: User) -> str:
    """Return what came of a challenge: `open`, `accepted`, `declined`, `cancelled` or `lapsed`.

    To its sender one that was accepted is as any other while the match is anonymous.
    """
    if invitation.accepted_at is not None and (invitation.user_id == reader.pk or not invitation.match.hides_names):
        return "accepted"
    if invitation.declined_at is not None:
        return "declined"
    return {Match.Status.OPEN: "open", Match.Status.LAPSED: "lapsed"}.get(Match.Status(invitation.match.status), "cancelled")


def _none() -> Refused:
    return not_there(Refused("bad_challenge", say("You have no such challenge, or it is no longer open.")))


def _find(user: User, found: QuerySet[Invitation], challenge_id: uuid.UUID) -> Invitation:
    row = found.filter(pk=challenge_id, user__isnull=False).select_related("match", "invited_by").first()
    if row is None or (row.invited_by_id in blocks.apart(user) and not row.match.hides_names and row.user_id == user.pk):
        raise _none()
    return row


def _of(found: QuerySet[Invitation] | Sequence[Invitation]) -> list[Invitation]:
    """Return invitations with what a program is told of them, in a fixed number of queries."""
    ids = [row.pk for row in found]
    seats = Prefetch("match__seats", Seat.objects.select_related("user").order_by("index"))
    rows = Invitation.objects.filter(pk__in=ids).select_related("match", "match__creator", "invited_by", "user")
    by_id = {row.pk: row for row in rows.prefetch_related(seats)}
    return [by_id[one] for one in ids]
