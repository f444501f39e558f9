"""One mail for one thing: a mail that says all that other notices would say takes them along (`Kind.carries`).

A receipt shows that it is its reader's turn again, and a mail that confirms a seat that the match has begun. The other notices
are queued earlier, with the events; so while a mail of their receiver is worked on, they wait a moment for its receipt.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Q, QuerySet

from accounts.addresses import verified_addresses
from notifications import registry
from notifications.models import InboundMail, MailStatus, Outbox, Status

LOOK_AGAIN = timedelta(seconds=2)
LONGEST = timedelta(seconds=30)
_GATHER_LOCK = 0x676174  # "gat"


def carrier(row: Outbox, now: datetime) -> UUID | None:
    """Include a notice in a queued mail that says the same, and return that mail; None if there is none.

    The mail goes now, even if it was to wait: what it carries is news. A sender that is just writing it loses it, so that it is
    written again.
    """
    names = [kind.name for kind in registry.kinds() if row.kind in kind.carries]
    if not names or not _queued(row, names).exists():
        return None
    with transaction.atomic():
        lock(row.user_id)
        mail = next((one for one in _queued(row, names).select_for_update().order_by("-created_at") if same_seat(one, row)), None)
        if mail is None or not merge([row.pk], mail.pk):
            return None
        Outbox.objects.filter(pk=mail.pk).update(due_at=min(mail.due_at, now), claimed_until=None)
    return mail.pk


def awaited_until(row: Outbox, now: datetime) -> datetime | None:
    """Return until when a notice waits because a mail of its receiver is worked on; None if none is, or if it takes too long."""
    latest = row.created_at + LONGEST
    if now >= latest or not any(row.kind in kind.carries for kind in registry.kinds()) or row.user is None:
        return None
    waiting = InboundMail.objects.filter(status=MailStatus.WAITING, address__topic=row.topic)
    if not waiting.exists():
        return None
    own = Q(address__user=row.user_id) | Q(address__user=None, address__email__in=verified_addresses(row.user))
    return min(now + LOOK_AGAIN, latest) if waiting.filter(own).exists() else None


def take_along(row: Outbox, kind: registry.Kind) -> list[Outbox]:
    """Include the queued notices of which this mail says all, and return them.

    A sender that holds one of them notices it at the next step.
    """
    if not kind.carries or not _queued(row, kind.carries).exists():
        return []
    with transaction.atomic():
        lock(row.user_id)
        if not Outbox.objects.filter(pk=row.pk, status=Status.QUEUED).exists():
            return []
        taken = [one for one in _queued(row, kind.carries).select_for_update() if same_seat(row, one)]
        merge([one.pk for one in taken], row.pk)
    return taken


def carried(row: Outbox) -> list[Outbox]:
    """Return the notices that a mail includes."""
    return list(Outbox.objects.filter(merged_into=row.pk, status=Status.MERGED).order_by("created_at", "pk"))


def same_seat(one: Outbox, other: Outbox) -> bool:
    """Return True if two notices of a topic do not concern different seats."""
    seats = {row.payload["seat"] for row in (one, other) if "seat" in row.payload}
    return len(seats) < 2


def lock(user_id: int | None) -> None:
    """Let the senders of one user's notices wait for each other, to the end of the transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s::int, %s::int)", [_GATHER_LOCK, (user_id or 0) % 2**31])


def _queued(row: Outbox, names: Collection[str]) -> QuerySet[Outbox]:
    return Outbox.objects.filter(user=row.user, topic=row.topic, kind__in=names, status=Status.QUEUED, message_id="").exclude(
        pk=row.pk
    )


def merge(rows: Collection[UUID], into: UUID) -> int:
    """Record that notices, with all that they were to include, are included in another one. Return how many were."""
    Outbox.objects.filter(merged_into__in=rows, status=Status.MERGED).update(merged_into=into)
    found = Outbox.objects.filter(pk__in=rows, status=Status.QUEUED)
    return found.update(status=Status.MERGED, merged_into=into, claimed_until=None)
