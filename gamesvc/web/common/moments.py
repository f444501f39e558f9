"""Moments and durations as text, in the reader's time zone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo

from accounts.models import User
from gamesvc.games.kernel.wording import counted
from gamesvc.language import say
from notifications import moments

NEARLY_OVER = 0.1
"""Below this share of its time a question is shown as urgent."""


def zone_of(user: object) -> tzinfo:
    return user.zone if isinstance(user, User) else UTC


def local(moment: datetime, user: object) -> str:
    """Return a moment like `Mon 23 Nov 20:00 CET`."""
    return moments.local(moment, zone_of(user))


def span(length: timedelta) -> str:
    """Return a duration in its two largest units: `1 day 4 h`, `35 min`."""
    minutes = max(0, int(length.total_seconds() // 60))
    days, rest = divmod(minutes, 24 * 60)
    hours, left = divmod(rest, 60)
    if days:
        return counted(days, "day") + (f" {hours} h" if hours else "")
    if hours:
        return f"{hours} h" + (f" {left} min" if left and hours < 6 else "")
    return f"{left} min"


def pace(hours: int) -> str:
    """Return the length of a turn: `2 days a turn`."""
    return say("{length} a turn", length=counted(hours // 24, "day") if hours % 24 == 0 else counted(hours, "hour"))
