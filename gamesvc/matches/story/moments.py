"""Moments in words, in a player's zone and in UTC."""

from __future__ import annotations

from datetime import UTC, datetime

from django.utils.translation import gettext as _

from accounts.models import User
from gamesvc.matches.models.core import NEVER
from notifications import moments


def local_time(moment: datetime, user: User | None) -> str:
    """A moment in the player's zone, the zone named, in the language that is active: "Fri 21 Nov 18:00 CET"."""
    if moment >= NEVER:
        return str(_("when the pause ends"))
    return moments.local(moment, user.zone if user is not None else UTC)


def utc_time(moment: datetime) -> str:
    """The same in UTC."""
    return moments.utc(moment)
