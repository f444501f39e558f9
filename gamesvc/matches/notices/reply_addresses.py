"""Reply addresses in mails about a match: for one seat and question at a version, for an invitation, or for a free seat.

Players may revoke all their addresses. Their open questions are then sent again.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from accounts.models import User
from gamesvc.language import say
from gamesvc.matches.access import daily_limits
from gamesvc.matches.models import Invitation, Match, Question
from gamesvc.matches.record.loading import Loaded
from gamesvc.matches.timekeeping.absence_announcements import ask_again
from notifications.inbound import addresses

PURPOSE = "turn"
INVITATION = "invitation"
SEAT = "seat"
# For this long an answer to a closed question is still received, and answered with an explanation.
GRACE = timedelta(days=14)
# Validity of a mail sent while a match is paused, whose end is not known.
PAUSED_FOR = timedelta(days=366)
# Validity of a call for a substitute. An answer is still refused if the seat is taken by then.
CALLED_FOR = timedelta(days=60)


def reply_address(
    *,
    match: Match,
    loaded: Loaded,
    seat: int,
    user: User | None,
    key: UUID,
    question: Question | None,
    undo_request: int | None = None,
) -> str:
    """Return the address that answers a mail about a match; empty if mails cannot be answered. `key` is the notice's id.

    Without a question it accepts acts that are possible at any time, and service words. `undo_request`: the version of the undo
    request that the mail is about; an answer to the mail accepts or declines no other.
    """
    if user is None or not addresses.answerable():
        return ""
    return addresses.make(
        PURPOSE,
        key=key,
        user=user,
        topic=str(match.id),
        payload={
            "match": str(match.id),
            "seat": seat,
            "question": question.question if question is not None else "",
            "version": loaded.viewer_version(seat),
            "undo_request": undo_request,
        },
        expires_at=_until(question) + GRACE,
    )


def _until(question: Question | None) -> datetime:
    """Return the end of the question's time; of a question whose clock stands, the end of the longest pause we foresee."""
    now = timezone.now()
    if question is None:
        return now
    return max(now, question.due_at) if question.due_at is not None else now + PAUSED_FOR


def invitation_address(invitation: Invitation, *, user: User | None, email: str, key: UUID) -> str:
    """Return the address that answers an invitation, for its user or mailbox; empty if mails cannot be answered."""
    if not addresses.answerable():
        return ""
    return addresses.make(
        INVITATION,
        key=key,
        user=user,
        email=email,
        topic=str(invitation.match_id),
        payload={"invitation": str(invitation.id)},
        expires_at=timezone.now() + timedelta(days=settings.MATCH_LAPSES_AFTER_DAYS) + GRACE,
    )


def seat_address(*, match: Match, seat: int, user: User, key: UUID) -> str:
    """Return the address that answers a call for a substitute; empty if mails cannot be answered."""
    if not addresses.answerable():
        return ""
    return addresses.make(
        SEAT,
        key=key,
        user=user,
        topic=str(match.id),
        payload={"match": str(match.id), "seat": seat},
        expires_at=timezone.now() + CALLED_FOR,
    )


def renew(*, user: User) -> int:
    """Revoke all reply addresses of a player, and send their open questions again with new ones. Return how many were revoked.

    Raises `TooMany`.
    """
    most = daily_limits.RENEWED_PER_DAY
    sentence = say("You can do this at most {most} times a day.", most=most)
    daily_limits.count_for(user, "renewals", most, daily_limits.DAY, sentence)
    with transaction.atomic():
        revoked = addresses.revoke_all(user=user)
        asked = Question.objects.filter(
            match__status=Match.Status.RUNNING, match__seats__user=user, match__seats__index=F("seat")
        )
        ask_again(user=user, questions=asked)
    return revoked
