"""The parts of the mails of a topic to its receiver, so that the next one repeats only what has changed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from django.utils import timezone

from gamesvc.database.prepared import OneOf, Prepared
from notifications.models import LastShown, Outbox
from notifications.registry import Shows
from notifications.wanted import shared_reads

# A picture that is older is shown again.
KEPT = timedelta(days=90)
_LAST = Prepared(lambda: LastShown.objects.filter(user=OneOf("users", "bigint"), topic=OneOf("topics", "text")))


def last(user_id: int, topic: str) -> Shows:
    """Return what the mails that were sent showed last, and all that they explained; nothing if there was none."""
    return shared_reads.for_all(_last_of, (user_id, topic), lambda: _read([(user_id, topic)])[user_id, topic])


def _last_of(rows: Sequence[Outbox]) -> dict[tuple[int, str], Shows]:
    return _read([(row.user_id, row.topic) for row in rows if row.user_id is not None])


def _read(wanted: Sequence[tuple[int, str]]) -> dict[tuple[int, str], Shows]:
    rows = _LAST.rows(users=[user for user, _topic in wanted], topics=[topic for _user, topic in wanted])
    found = {(row.user_id, row.topic): Shows(row.picture, row.calendar, frozenset(row.explained)) for row in rows}
    return {one: found.get(one, Shows()) for one in wanted}


def note(row: Outbox, shows: Shows | None) -> None:
    """Store the parts of a mail, in the transaction that records it as sent. Without a picture, the last one stays."""
    note_all([(row, shows)])


def note_all(mails: Sequence[tuple[Outbox, Shows | None]]) -> None:
    """Store the parts of mails to different receivers, as by `note`, in one statement."""
    now = timezone.now()
    made = []
    known = shared_reads.known(_last_of) or {}
    for row, shows in mails:
        if shows is None or shows == Shows() or row.user_id is None or not row.topic:
            continue
        before = last(row.user_id, row.topic)
        after = Shows(shows.picture or before.picture, {**before.calendar, **shows.calendar}, before.explained | shows.explained)
        if after != before:
            known[row.user_id, row.topic] = after
            made.append(
                LastShown(
                    user_id=row.user_id,
                    topic=row.topic,
                    picture=after.picture,
                    calendar=after.calendar,
                    explained=sorted(after.explained),
                    sent_at=now,
                )
            )
    if made:
        fields = ["picture", "calendar", "explained", "sent_at"]
        LastShown.objects.bulk_create(made, update_conflicts=True, unique_fields=["user", "topic"], update_fields=fields)
