"""The points at which users are reminded, and the reminders sent.

Only the app above knows what a deadline is about and when a reminder is due.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection

from gamesvc.json_types import JsonObject
from notifications.models import Outbox, Reminder

DEFAULT_POINTS = ("80%", "2h")
"""Reminders for players who have not set their own: after a share of the time, and before the end."""
KEPT = timedelta(days=60)
_SECONDS = {"m": 60, "h": 3600, "d": 86_400}


@dataclass(frozen=True)
class Point:
    """A point of a deadline: its moment is the asking plus `share` of the time given, minus `before` seconds."""

    text: str
    share: float
    before: float


def point(text: str) -> Point:
    """Return the point written as `80%` or `2h`. Durations are in the service's hours."""
    number, unit = int(text[:-1]), text[-1]
    if unit == "%":
        return Point(text, number / 100, 0.0)
    return Point(text, 1.0, number * _SECONDS[unit] * settings.SECONDS_PER_HOUR / 3600)


def points_in_use() -> list[Point]:
    """Return every point chosen by a user, and the default ones."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT DISTINCT unnest(reminders) FROM notifications_preference WHERE reminders IS NOT NULL")
        chosen = {str(row[0]) for row in cursor.fetchall()}
    return [point(text) for text in sorted(chosen | set(DEFAULT_POINTS))]


def sent(*, topic: str, subject: str, deadline: datetime | None = None) -> list[JsonObject]:
    """Return the reminders of a deadline, or of all deadlines of a subject: point, deadline, delivery and time."""
    rows = Reminder.objects.filter(topic=topic, subject=subject).order_by("made_at", "pk")
    if deadline is not None:
        rows = rows.filter(deadline=deadline)
    return _became(list(rows))


def sent_in(topics: Iterable[str]) -> dict[tuple[str, str, datetime], list[JsonObject]]:
    """Return the reminders of all deadlines of many topics, by topic, subject and deadline."""
    rows = list(Reminder.objects.filter(topic__in=list(topics)).order_by("made_at", "pk"))
    found: dict[tuple[str, str, datetime], list[JsonObject]] = {}
    for row, told in zip(rows, _became(rows), strict=True):
        found.setdefault((row.topic, row.subject, row.deadline), []).append(told)
    return found


def _became(found: list[Reminder]) -> list[JsonObject]:
    if not found:
        return []
    notices = Outbox.objects.in_bulk([row.notice for row in found if row.notice is not None])
    answer = []
    for row in found:
        notice = notices.get(row.notice) if row.notice is not None else None
        told = Outbox.objects.filter(pk=notice.merged_into).first() if notice is not None and notice.merged_into else notice
        answer.append(
            {
                "point": row.point,
                "deadline": row.deadline,
                "status": told.status if told is not None else "skipped",
                "sent_at": told.sent_at if told is not None else None,
            }
        )
    return answer
