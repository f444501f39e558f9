"""Invitations by name that wait for an answer."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.models import Block
from gamesvc.matches.models import Invitation


def unanswered() -> QuerySet[Invitation]:
    """Return the unanswered invitations by name, without those between users whom a block keeps apart.

    In an anonymous match a block would tell who has invited, so it does nothing there.
    """
    there = Q(user=OuterRef("user"), blocked=OuterRef("invited_by"))
    back = Q(user=OuterRef("invited_by"), blocked=OuterRef("user"))
    waiting = Invitation.objects.filter(user__isnull=False, accepted_at=None, declined_at=None)
    return waiting.filter(~Exists(Block.objects.filter(there | back)) | Q(match__anonymous=True))
