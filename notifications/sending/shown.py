"""The parts of the mails of a topic to its receiver, so that the next one repeats only what has changed."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from notifications.models import LastShown, Outbox
from notifications.registry import Shows

# A picture that is older is shown again.
KEPT = timedelta(days=90)


def last(user_id: int, topic: str) -> Shows:
    """Return what the mails that were sent showed last, and all that they explained; nothing if there was none."""
    row = LastShown.objects.filter(user_id=user_id, topic=topic).first()
    return Shows(row.picture, row.calendar, frozenset(row.explained)) if row is not None else Shows()


def note(row: Outbox, shows: Shows | None) -> None:
    """Store the parts of a mail, in the transaction that records it as sent. Without a picture, the last one stays."""
    if shows is None or shows == Shows() or row.user_id is None or not row.topic:
        return
    before = last(row.user_id, row.topic)
    picture, calendar = shows.picture or before.picture, {**before.calendar, **shows.calendar}
    explained = before.explained | shows.explained
    if Shows(picture, calendar, explained) == before:
        return
    known = {"picture": picture, "calendar": calendar, "explained": sorted(explained), "sent_at": timezone.now()}
    made = LastShown(user_id=row.user_id, topic=row.topic, **known)
    LastShown.objects.bulk_create([made], update_conflicts=True, unique_fields=["user", "topic"], update_fields=list(known))
