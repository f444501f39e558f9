"""Whether a notice goes now: presence, the threshold of the digest, and the batch window that makes one mail of many.

Only kinds that say until when they hold (`Kind.deadline`) are held back or gathered; all others go at once. The window opens
with a mail and closes when its receiver has answered that mail: so whoever plays briskly gets each turn at once, and whoever
is away gets one mail for all that gathered.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from notifications import channels, preferences, presence, registry
from notifications.models import Outbox, Scope, Status
from notifications.wishes import Wishes, minutes, wishes_of

SUMMARY = "summary"
# A deadline may move while a notice waits for its threshold.
LOOK_AGAIN = timedelta(minutes=15)
_GATHER_LOCK = 0x676174  # "gat"


@dataclass(frozen=True)
class Hold:
    """The notice waits; nothing of it was sent."""

    until: datetime


@dataclass(frozen=True)
class Merged:
    """The notice is told by another mail, which is queued."""

    into: UUID


def look(row: Outbox, kind: registry.Kind) -> Hold | Merged | None:
    """What to do with a claimed notice that nobody has tried to send yet; None: word and send it."""
    if row.user_id is None or row.message_id or kind.essential:
        return None
    now = timezone.now()
    wishes = wishes_of(row.user_id, row.topic)
    if (until := channels.plan(row, wishes.channels, minutes(wishes.channel_minutes), now)) is not None:
        return Hold(until)
    if kind.deadline is None:
        return None
    if (until := presence.wait_until(row, now)) is not None:
        return Hold(until)
    deadline = kind.deadline(row)
    if deadline is None:
        return None  # it no longer holds, and its renderer will say so
    if _waits_for_threshold(wishes, deadline, now):
        return Hold(min(deadline - minutes(60 * (wishes.immediate_below or 0)), now + LOOK_AGAIN))
    window = minutes(wishes.batch_minutes)
    if not window or deadline - now <= window or _unwanted(row):
        return None
    end = _window_ends(row, now, window)
    return Hold(end) if end is not None else gather(row, now)


def gatherable() -> list[str]:
    """The kinds that may be told together."""
    return [kind.name for kind in registry.kinds() if kind.deadline is not None and kind.brief is not None]


def gather(row: Outbox, now: datetime) -> Merged | None:
    """Make one mail of this notice and all others due to the same person; None if there is nothing to put together.

    Senders that meet over one person wait for each other here. A notice whose sending has begun bears a message id and stays
    what it is; one that another sender holds is taken from him, and his next step finds that out.
    """
    assert row.user_id is not None
    others = Outbox.objects.filter(
        user_id=row.user_id, status=Status.QUEUED, message_id="", kind__in=gatherable(), due_at__lte=now
    )
    if not others.exclude(topic=row.topic).exists():
        return None
    with transaction.atomic():
        _lock(row.user_id)
        rows = [one for one in waiting(row.user_id).filter(due_at__lte=now) if one.pk == row.pk or _joins(one, now)]
        if row.pk not in {one.pk for one in rows} or len({one.topic for one in rows}) < 2:
            return None
        told_by = Outbox.objects.create(kind=SUMMARY, user_id=row.user_id, created_at=now, due_at=now)
        merge(rows, told_by.pk)
    return Merged(told_by.pk)


def waiting(user_id: int) -> QuerySet[Outbox]:
    """The notices to a person that can still be told otherwise, locked for the caller's transaction."""
    return Outbox.objects.select_for_update().filter(user_id=user_id, status=Status.QUEUED, message_id="", kind__in=gatherable())


def merge(rows: list[Outbox], into: UUID) -> None:
    """Put down that these notices are told by another one."""
    Outbox.objects.filter(pk__in=[row.pk for row in rows], status=Status.QUEUED).update(
        status=Status.MERGED, merged_into=into, claimed_until=None
    )


def _joins(row: Outbox, now: datetime) -> bool:
    kind = registry.find(row.kind)
    if kind is None or kind.deadline is None or row.user_id is None:
        return False
    deadline = kind.deadline(row)
    wishes = wishes_of(row.user_id, row.topic)
    return (
        deadline is not None
        and wishes.batch_minutes > 0
        # Its other channels are planned when it is looked at itself.
        and (len(wishes.channels) < 2 or row.handovers.exists())
        and not _waits_for_threshold(wishes, deadline, now)
        and not preferences.is_muted(row)
        and presence.wait_until(row, now) is None
    )


def _waits_for_threshold(wishes: Wishes, deadline: datetime, now: datetime) -> bool:
    return wishes.immediate_below is not None and deadline - now > minutes(60 * wishes.immediate_below)


def _window_ends(row: Outbox, now: datetime, window: timedelta) -> datetime | None:
    """When the batch window ends that a mail about something else has opened; None if it was answered, or there is none."""
    assert row.user is not None
    kinds = gatherable()
    recent = Outbox.objects.filter(
        user=row.user, status=Status.SENT, sent_at__gt=now - window, kind__in=[*kinds, SUMMARY]
    ).exclude(topic=row.topic)
    for mail in recent.order_by("-sent_at"):
        told = [mail] if mail.kind != SUMMARY else Outbox.objects.filter(merged_into=mail.pk)
        if mail.sent_at is not None and any(_still_holds(one) for one in told):
            return mail.sent_at + window
    return None


def _still_holds(row: Outbox) -> bool:
    kind = registry.find(row.kind)
    return kind is not None and kind.deadline is not None and kind.deadline(row) is not None


def _unwanted(row: Outbox) -> bool:
    """Whether the receiver has unsubscribed from mails that tell of several notices: then each goes alone."""
    return preferences.receiver_of(row).mutes.filter(scope=Scope.KIND, value=SUMMARY).exists()


def _lock(user_id: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s::int, %s::int)", [_GATHER_LOCK, user_id % 2**31])
