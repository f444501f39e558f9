"""Bans from messages, by decision of the operators: for how long a user may write nothing that other players read."""

from __future__ import annotations

from django.utils import timezone

from accounts.bots import bots
from accounts.models import User
from gamesvc.matches.models import MessageBan


def end_for(user: User) -> str | None:
    """Return when a user's ban ends, in their zone; None without a ban.

    Bots write for their owner, so a ban of one of these accounts is one of all.
    """
    ban = MessageBan.objects.filter(user__in=bots.person(user), until__gt=timezone.now()).order_by("-until").first()
    return None if ban is None else ban.until.astimezone(user.zone).strftime("%Y-%m-%d %H:%M")
