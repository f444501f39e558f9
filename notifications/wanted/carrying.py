"""One mail for one thing: a mail that says all that other notices would say takes them along (`Kind.carries`).

A receipt shows that it is its reader's turn again, and a mail that confirms a seat that the match has begun. The other notices
are queued earlier, with the events; so while a mail of their receiver is worked on, they wait a moment for its receipt.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet

from accounts.addresses import verified_addresses
from gamesvc.database.asking import ask
from gamesvc.database.prepared import OneOf, Prepared
from notifications import registry
from notifications.models import InboundMail, MailStatus, Outbox, Status
from notifications.wanted import shared_reads

LOOK_AGAIN = timedelta(seconds=2)
LONGEST = timedelta(seconds=30)
_GATHER_LOCK = 0x676174  # "gat"
_MERGE = """
UPDATE notifications_outbox SET status = 'merged', merged_into = %s::uuid, claimed_until = NULL
WHERE id = ANY (%s::uuid[]) AND status = 'queued' OR merged_into = ANY (%s::uuid[]) AND status = 'merged' RETURNING id
"""

_COME = Prepared(
    lambda: InboundMail.objects.filter(status=MailStatus.WAITING, address__topic=OneOf("topics", "text")).values_list(
        "address__topic"
    )
)
_CARRIED = Prepared(
    lambda: Outbox.objects.filter(merged_into=OneOf("mails", "uuid"), status=Status.MERGED).order_by("created_at", "pk")
)
_UNSENT = Prepared(
    lambda: Outbox.objects.filter(
        user=OneOf("users", "bigint"), status=Status.QUEUED, message_id="", topic=OneOf("topics", "text")
    )
)


def carrier(row: Outbox, now: datetime) -> UUID | None:
    """Include a notice in a queued mail that says the same, and return that mail; None if there is none.

    The mail goes now, even if it was to wait: what it carries is news. A sender that is just writing it loses it, so that it is
    written again.
    """
    names = [kind.name for kind in registry.kinds() if row.kind in kind.carries]
    if not names or not _is_beside(row, names):
        return None
    with transaction.atomic():
        lock(row.user_id)
        mail = next((one for one in _queued(row, names).select_for_update().order_by("-created_at") if same_seat(one, row)), None)
        if mail is None or not merge([row.pk], mail.pk):
            return None
        hurry(mail, now)
    return mail.pk


def awaited_until(row: Outbox, now: datetime) -> datetime | None:
    """Return until when a notice waits because a mail of its receiver is worked on; None if none is, or if it takes too long."""
    latest = row.created_at + LONGEST
    if now >= latest or not any(row.kind in kind.carries for kind in registry.kinds()) or row.user is None:
        return None
    if not shared_reads.for_all(_written_about, row.topic, lambda: _written_about([row])[row.topic]):
        return None
    waiting = InboundMail.objects.filter(status=MailStatus.WAITING, address__topic=row.topic)
    own = Q(address__user=row.user_id) | Q(address__user=None, address__email__in=verified_addresses(row.user))
    return min(now + LOOK_AGAIN, latest) if waiting.filter(own).exists() else None


def _written_about(rows: Sequence[Outbox]) -> dict[str, bool]:
    """Return about which topics mails have come that are not worked on yet."""
    topics = {row.topic for row in rows}
    found = {topic for (topic,) in _COME.values(topics=list(topics))}
    return {topic: topic in found for topic in topics}


def take_along(row: Outbox, kind: registry.Kind) -> list[Outbox]:
    """Include the queued notices of which this mail says all, and return them.

    A sender that holds one of them notices it at the next step.
    """
    if not kind.carries or not _is_beside(row, kind.carries):
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
    return shared_reads.for_all(_carried_by, row.pk, lambda: _carried_by([row])[row.pk])


def _carried_by(rows: Sequence[Outbox]) -> dict[UUID, list[Outbox]]:
    found: dict[UUID, list[Outbox]] = {row.pk: [] for row in rows}
    for one in _CARRIED.rows(mails=list(found)):
        if one.merged_into is not None:
            found[one.merged_into].append(one)
    return found


def unsent(user_id: int, topic: str) -> list[Outbox]:
    """Return the notices to a user in a topic whose sending has not begun. In all topics thousands may wait."""
    mine: list[Outbox] = shared_reads.for_all(_unsent, user_id, lambda: _unsent_to([user_id], [topic])[user_id])
    return [one for one in mine if one.topic == topic]


def _unsent(rows: Sequence[Outbox]) -> dict[int, list[Outbox]]:
    return _unsent_to([row.user_id for row in rows if row.user_id is not None], [row.topic for row in rows])


def _unsent_to(users: Sequence[int], topics: Sequence[str]) -> dict[int, list[Outbox]]:
    found: dict[int, list[Outbox]] = {user: [] for user in users}
    for one in _UNSENT.rows(users=list(found), topics=list(set(topics))):
        if one.user_id is not None:
            found[one.user_id].append(one)
    return found


def hurry(row: Outbox, now: datetime) -> None:
    """Have a queued mail written now. A sender that is just writing it loses it, so that it is written again."""
    Outbox.objects.filter(pk=row.pk, status=Status.QUEUED).update(due_at=min(row.due_at, now), claimed_until=None)
    for one in (shared_reads.known(_unsent) or {}).get(row.user_id or 0, []):
        if one.pk == row.pk:
            one.due_at = min(row.due_at, now)


def _note_merged(rows: Collection[UUID], into: UUID) -> None:
    """Note a merge for the other notices of the batch."""
    moved: list[Outbox] = []
    for waiting in (shared_reads.known(_unsent) or {}).values():
        moved += [one for one in waiting if one.pk in rows]
        waiting[:] = [one for one in waiting if one.pk not in rows]
    known = shared_reads.known(_carried_by)
    if known is not None:
        for pk in rows:
            moved += known.get(pk, [])
        known[into] = sorted([*known.get(into, []), *moved], key=lambda one: (one.created_at, one.pk))


def same_seat(one: Outbox, other: Outbox) -> bool:
    """Return True if two notices of a topic do not concern different seats."""
    seats = {row.payload["seat"] for row in (one, other) if "seat" in row.payload}
    return len(seats) < 2


def lock(user_id: int | None) -> None:
    """Let the senders of one user's notices wait for each other, to the end of the transaction."""
    ask("SELECT pg_advisory_xact_lock(%s::int, %s::int)", [_GATHER_LOCK, (user_id or 0) % 2**31])


def _is_beside(row: Outbox, names: Collection[str]) -> bool:
    if row.user_id is None:
        return _queued(row, names).exists()
    return any(one.kind in names and one.pk != row.pk for one in unsent(row.user_id, row.topic))


def _queued(row: Outbox, names: Collection[str]) -> QuerySet[Outbox]:
    return Outbox.objects.filter(user=row.user, topic=row.topic, kind__in=names, status=Status.QUEUED, message_id="").exclude(
        pk=row.pk
    )


def merge(rows: Collection[UUID], into: UUID) -> int:
    """Record that notices, with all that they were to include, are included in another one. Return how many were."""
    if not rows:
        return 0
    merged = sum(pk in rows for (pk,) in ask(_MERGE, [into, list(rows), list(rows)]).fetchall())
    _note_merged(rows, into)
    return merged
