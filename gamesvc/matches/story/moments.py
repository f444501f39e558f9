"""Moments as text, in a player's zone and in UTC."""

from __future__ import annotations

from datetime import UTC, datetime

from django.utils.translation import gettext as _

from accounts.models import User
from notifications import moments


def local_time(moment: datetime | None, user: User | None) -> str:
    """Return a moment in the player's zone and the active language, with the zone's name: "Fri 21 Nov 18:00 CET".

    None is the deadline of a stopped clock.
    """
    if moment is None:
        return str(_("when the pause ends"))
    return moments.local(moment, user.zone if user is not None else UTC)


def utc_time(moment: datetime | None) -> str:
    """Return a moment in UTC, in the active language; None is the deadline of a stopped clock."""
    return moments.utc(moment) if moment is not None else str(_("when the pause ends"))
