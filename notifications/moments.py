"""Moments as our mails write them: "Fri 21 Nov 18:00 CET", in the language that is active."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo

from django.utils import dateformat
from django.utils.translation import pgettext


def local(moment: datetime, zone: tzinfo) -> str:
    """A moment in a zone, the zone named."""
    # Translators: as Django's date formats write it: weekday, day, month, time, zone.
    return str(dateformat.format(moment.astimezone(zone), pgettext("moment", "D j M H:i T")))


def utc(moment: datetime) -> str:
    """The same in UTC: what players in different zones can tell each other."""
    return local(moment, UTC)
