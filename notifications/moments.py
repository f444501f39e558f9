"""Moments in the format of our mails: "Fri 21 Nov 18:00 CET", in the active language."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo

from django.utils import dateformat, timezone
from django.utils.translation import pgettext


def local(moment: datetime, zone: tzinfo) -> str:
    """Return a moment in a zone, with the zone's name."""
    # Translators: in Django's date format: weekday, day, month, time, zone.
    return str(dateformat.format(moment.astimezone(zone), pgettext("moment", "D j M H:i T")))


def shown(moment: datetime) -> str:
    """Return a moment in the active zone: in a mail its receiver's, on a page without sign-in that of the service."""
    return local(moment, timezone.get_current_timezone())


def utc(moment: datetime) -> str:
    """Return a moment in UTC, for players in different zones to compare."""
    return local(moment, UTC)
