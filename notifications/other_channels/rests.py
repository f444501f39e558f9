"""Rests: a user whose receiver answers slowly gets nothing more by that channel for several times as long.

So a few such users cannot hold all places, nor those for a host that they share with others. A rest belongs to the user and not
to an address, which could be deleted and added again. All webhooks of a user are one channel.
"""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from notifications.models import Rest

SLOW_SECONDS = 2.0
SLOW_REST = 8
"""After a transfer of more than `SLOW_SECONDS`, its user rests this many times as long as it took."""

# For the WHERE of a claim that names the moment `now`.
OVER = """NOT EXISTS (
    SELECT FROM notifications_rest r WHERE r.user_id = {user} AND r.channel = {channel} AND r.until > %(now)s::timestamptz)"""


def note(user_id: int | None, channel: str, seconds: float) -> None:
    """Begin a rest after a transfer that took so long, unless it was quick."""
    if user_id is None or seconds <= SLOW_SECONDS:
        return
    until = timezone.now() + SLOW_REST * timedelta(seconds=seconds)
    row = Rest(user_id=user_id, channel=channel, until=until)
    Rest.objects.bulk_create([row], update_conflicts=True, unique_fields=["user", "channel"], update_fields=["until"])
