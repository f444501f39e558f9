"""The reply addresses in mails about a match: each is for one seat and one question, and says at which version it was written."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from django.utils import timezone

from accounts.models import User
from gamesvc.matches.loading import Loaded
from gamesvc.matches.models import Match, Question
from notifications.inbound import addresses

PURPOSE = "turn"
# So long an answer to a question that is over is still taken, and answered in words.
GRACE = timedelta(days=14)


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
