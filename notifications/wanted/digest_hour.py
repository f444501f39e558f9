"""The hour of the daily digest, in the user's time zone."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.utils import timezone

from accounts.models import User
from notifications.models import Preference


def next_digest(user: User, hour: int, after: datetime | None = None) -> datetime:
    """Return the first moment after `after` (now) at which clocks in the user's zone show that full hour.

    If the change to summer time skips the hour, it is the same time after midnight; if the hour comes twice, the first one.
    """
    after = after or timezone.now()
    day = after.astimezone(user.zone).date() - timedelta(days=1)
    while True:
        moment = datetime(day.year, day.month, day.day, hour, tzinfo=user.zone)
        if moment.timestamp() > after.timestamp():
            return moment.astimezone(timezone.get_default_timezone())
        day += timedelta(days=1)


def plan_digest(user: User) -> None:
    """Plan the next digest again, after the user's zone has changed."""
    row = Preference.objects.filter(user=user, topic="", digest_hour__isnull=False).first()
    if row is not None and row.digest_hour is not None:
        Preference.objects.filter(pk=row.pk).update(digest_at=next_digest(user, row.digest_hour))
