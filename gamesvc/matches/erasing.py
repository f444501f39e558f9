"""Erasing a user from matches. The matches go on, replay and verify; the user's seats fall free, and their texts are deleted.

In an open match they leave their seat; a match they host is cancelled if nobody else sits in it. In a running match their seat is
vacated as after too many timeouts: a substitute or a bot may take it, and until then the clock answers. In matches that are over,
their seats are shown as "player 2".
"""

from __future__ import annotations

from contextlib import suppress

from django.db.models.functions import Lower

from accounts import erasure
from accounts.addresses import verified_addresses
from accounts.models import User
from gamesvc.games.kernel.game import Refused
from gamesvc.matches.lobby import opening, substitutes
from gamesvc.matches.models import Invitation, Match, Note, Press, Rating, Refusal, Seat
from gamesvc.matches.organising import moderation, reports
from gamesvc.matches.record.append import Actor

CHANNEL = "web"


def register() -> None:
    """Register the erasure of matches."""
    erasure.register("matches", erase_from_matches, before=leave_matches)


def leave_matches(user: User) -> None:
    """Take a user out of all matches that are not over.

    Before the erasure each match is left in a transaction of its own. All in one, hundreds of them would stand still meanwhile,
    and with them the threads of all requests, and the sweeps, that wait for one of them.
    """
    opening.leave_all(user, channel=CHANNEL)
    _vacate_running_matches(user)


def erase_from_matches(user: User) -> None:
    """Remove a user from all matches, and delete their texts: press, notes, reports, refused commands, invitations."""
    leave_matches(user)
    Press.objects.filter(user=user).delete()
    Note.objects.filter(user=user).delete()
    Refusal.objects.filter(user=user).delete()
    reports.erase(user)
    if user.bot_owner_id is not None:
        moderation.hand_to_owner(user, user.bot_owner_id)
    addresses = [address.lower() for address in [*verified_addresses(user), user.email] if address]
    Invitation.objects.annotate(lower=Lower("address")).filter(lower__in=addresses).delete()
    Seat.objects.filter(user=user).update(user=None)
    # The ratings stay without a user: those of their opponents go on from the same numbers.
    Rating.objects.filter(user=user).update(user=None)


def _vacate_running_matches(user: User) -> None:
    for seat in Seat.objects.filter(user=user, match__status=Match.Status.RUNNING).select_related("match"):
        with suppress(Refused):  # it has ended meanwhile
            substitutes.vacate(match=seat.match, seat=seat.index, actor=Actor("system"), channel=CHANNEL)
