"""The audit trail of refused commands: who tried what, when, by which channel, and why it was refused. Erasable and pruned.

It tells nobody anything of a running match that he plays in: there a reader gets his own refusals only, the organiser as well.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils import timezone

from accounts.models import User
from gamesvc.matches.models import Match, Refusal
from gamesvc.matches.selectors import Access


def of_match(access: Access) -> QuerySet[Refusal]:
    """The refusals of a match that a reader may see, newest first: the organiser's and operators' all, a player's own."""
    found = Refusal.objects.filter(match=access.match).select_related("user").order_by("-received_at", "-id")
    user, match = access.user, access.match
    if user is None:
        return found.none()
    audits = access.is_host or user.is_operator
    plays = access.seat is not None
    if not audits or (plays and not match.over):
        return found.filter(user=user)
    return found


def for_operator(user: User) -> QuerySet[Refusal]:
    """All refusals but those of others in running matches that this operator plays in."""
    playing = Match.objects.filter(seats__user=user, status__in=[Match.Status.OPEN, Match.Status.RUNNING])
    return Refusal.objects.filter(~Q(match__in=playing) | Q(user=user)).select_related("match", "user")


def as_json(refusal: Refusal, match: Match) -> dict[str, Any]:
    return {
        "id": refusal.pk,
        "seat": refusal.seat,
        "name": refusal.user.username if refusal.user is not None and not match.hides_names else None,
        "channel": refusal.channel,
        "received_at": refusal.received_at.isoformat(),
        "command": refusal.command,
        "code": refusal.code,
        "detail": refusal.detail,
        "parameter": refusal.parameter,
    }


def prune() -> int:
    """Delete what is older than `REFUSALS_KEPT_DAYS`. A command sent again after that is decided anew."""
    before = timezone.now() - timedelta(days=settings.REFUSALS_KEPT_DAYS)
    return Refusal.objects.filter(received_at__lt=before).delete()[0]
