"""Presence on a page: it delays a notice by a few minutes and never drops it.

An open window is not a reader: so only pages in view report it, each time for a short while, and no notice waits long for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.utils import timezone

from accounts.models import User
from gamesvc.database.prepared import Given, OneOf, Prepared
from notifications.models import Outbox, Presence
from notifications.wanted import shared_reads

# A page in view reports once a minute.
FRESH = timedelta(seconds=90)
LOOK_AGAIN = timedelta(minutes=1)
LONGEST = timedelta(minutes=5)
KEPT = timedelta(days=1)
_SEEN = Prepared(
    lambda: Presence.objects.filter(user=OneOf("users", "bigint"), seen_at__gt=Given("since", "timestamptz")).values_list(
        "user_id", "topic"
    )
)


def note(user: User, topic: str) -> None:
    """Record that the user has this topic's page in view now."""
    now = timezone.now()
    row = Presence(user=user, topic=topic, seen_at=now)
    Presence.objects.bulk_create([row], update_conflicts=True, unique_fields=["user", "topic"], update_fields=["seen_at"])


def leave(user: User, topic: str) -> None:
    """Record that the user no longer has this topic's page in view."""
    Presence.objects.filter(user=user, topic=topic).delete()


def _present(rows: Sequence[Outbox]) -> dict[tuple[int | None, str], bool]:
    """Return which receivers seem to look at the page of their notice."""
    wanted = {(row.user_id, row.topic) for row in rows if row.user_id is not None}
    present = set(_SEEN.values(users=[user for user, _topic in wanted], since=timezone.now() - FRESH))
    return {one: one in present for one in wanted}


def wait_until(row: Outbox, now: datetime) -> datetime | None:
    """Return until when a notice waits because its receiver seems to look at the page; None if it need not wait."""
    latest = row.created_at + LONGEST
    if row.user_id is None or not row.topic or now >= latest:
        return None
    reader: tuple[int | None, str] = (row.user_id, row.topic)
    if not shared_reads.for_all(_present, reader, lambda: _present([row])[reader]):
        return None
    return min(now + LOOK_AGAIN, latest)
