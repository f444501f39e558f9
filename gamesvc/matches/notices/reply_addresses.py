"""The reply addresses in mails about a match: for one seat and one question, with the version it was written at, for an
invitation, or for a seat that is free. A player may let all of his die; his open questions are then sent to him again."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from accounts.models import User
from gamesvc.matches.models import Invitation, Match, Question
from gamesvc.matches.record.loading import Loaded
from gamesvc.matches.timekeeping.absence_announcements import ask_again
from notifications.inbound import addresses

PURPOSE = "turn"
INVITATION = "invitation"
SEAT = "seat"
# So long an answer to a question that is over is still taken, and answered in words.
GRACE = timedelta(days=14)
# So long a call for a substitute may be answered; whether the seat is still free is asked then.
CALLED_FOR = timedelta(days=60)


def reply_address(*, match: Match, loaded: Loaded, seat: int, user: User | None, key: UUID, question: Question | None) -> str:
    """Where a mail about a match may be answered; empty where mails cannot be. `key` is the notice's id.

    Without a question it takes what can be done at any time, and the service words.
    """
    if user is None or not addresses.answerable():
        return ""
    until: datetime = question.due_at if question is not None else timezone.now()
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
        },
        expires_at=max(until, timezone.now()) + GRACE,
    )


def invitation_address(invitation: Invitation, *, user: User | None, email: str, key: UUID) -> str:
    """Where an invitation may be answered, by the user or the mailbox it went to; empty where mails cannot be."""
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
    """Where a call for a substitute may be answered; empty where mails cannot be."""
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
    """Let all reply addresses of a player die, and send him his open questions again with new ones. Returns how many died."""
    with transaction.atomic():
        revoked = addresses.revoke_all(user=user)
        asked = Question.objects.filter(
            match__status=Match.Status.RUNNING, match__seats__user=user, match__seats__index=F("seat")
        )
        ask_again(user=user, questions=asked)
    return revoked
