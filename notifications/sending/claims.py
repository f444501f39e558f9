"""Claiming notices from the outbox and recording their results. Each step is one short statement.

A claim is a lease, renewed while its worker goes on (`kept`). A worker that dies keeps its rows for seconds only. One that just
sleeps too long finds, when it wants to send or settle, that the row's lease is no longer its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime, timedelta
from uuid import UUID

from django.db import IntegrityError, connection, transaction
from django.db.models import F, Q
from django.utils import timezone

from notifications import leases
from notifications.models import Outbox, Status
from notifications.sending import threads

LEASE_SECONDS = 30
_SWEEP_LOCK = 0x6E6F74696365  # "notice"
CHANNELS_LOCK = 0x6368616E6E656C  # "channel"

# The CTE is materialized: inlined into a join it could run again and take more rows than requested.
_CLAIM = """
WITH due AS MATERIALIZED (
  SELECT id FROM notifications_outbox
  WHERE status = 'queued' AND due_at <= %s::timestamptz AND (claimed_until IS NULL OR claimed_until <= %s::timestamptz)
    AND (%s::uuid[] IS NULL OR id = ANY (%s::uuid[]))
  ORDER BY due_at, created_at, id LIMIT %s::int FOR UPDATE SKIP LOCKED)
UPDATE notifications_outbox o SET claimed_until = %s::timestamptz
FROM due WHERE o.id = due.id RETURNING o.id
"""


def claim(limit: int, lease_seconds: int = LEASE_SECONDS, *, ids: Iterable[UUID] | None = None) -> list[Outbox]:
    """Claim up to `limit` due notices, oldest first (of `ids` only, if given), for `lease_seconds`.

    No two callers get the same row while its lease runs.
    """
    now = timezone.now()
    wanted = None if ids is None else list(ids)
    with connection.cursor() as cursor:
        cursor.execute(_CLAIM, [now, now, wanted, wanted, limit, now + timedelta(seconds=lease_seconds)])
        taken = [row[0] for row in cursor.fetchall()]
    return list(Outbox.objects.filter(pk__in=taken).select_related("user").order_by("due_at", "created_at", "id"))


def count(row: Outbox) -> bool:
    """Count a try of a claimed notice, when its turn has come. Return False if the row is no longer ours.

    So a notice that kills its worker is counted too, and those behind it are not.
    """
    if not _change(row, attempts=F("attempts") + 1):
        return False
    row.attempts += 1
    return True


def kept(rows: Sequence[Outbox]) -> AbstractContextManager[None]:
    """Keep the leases of claimed rows while the block runs."""
    return leases.kept(rows, Outbox, LEASE_SECONDS)


@contextmanager
def only_sweeper(lock: int = _SWEEP_LOCK) -> Iterator[bool]:
    """Yield True if the caller is the only one in here. A slow mail server must not bind one worker per sweep.

    The lock belongs to the database session, so a worker that dies releases it.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s::bigint)", [lock])
        (alone,) = cursor.fetchone() or (False,)
    try:
        yield alone
    finally:
        if alone:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s::bigint)", [lock])


def begin(row: Outbox, *, sent_to: str = "", lease_seconds: int = LEASE_SECONDS) -> bool:
    """Renew the lease right before sending, fix the message id and store the address. Return False if the row is no longer ours.

    The id is fixed at the first try and kept: if we die after the server took the mail, the second one has the same id, and mail
    programs show one. The first notice of a topic to a receiver gets the id of the thread's root.
    """
    fixed = row.message_id
    if not fixed and row.topic:
        root = threads.root_id(row)
        if not Outbox.objects.filter(message_id=root).exists():
            try:
                with transaction.atomic():
                    return _renew(row, root, sent_to, lease_seconds)
            except IntegrityError:
                pass  # another sender's mail of this thread has just become the root: ours answers it
    return _renew(row, fixed or threads.own_id(row), sent_to, lease_seconds)


def settle(row: Outbox, status: Status, *, error: str = "") -> bool:
    """Record the final status. Return False if the row is no longer ours and another sender decides."""
    now = timezone.now()
    sent_at = now if status == Status.SENT else None
    return _change(row, status=status, error=error[:500], claimed_until=None, sent_at=sent_at)


def put_back(row: Outbox, *, until: datetime, error: str) -> bool:
    """Schedule another try, not before `until`. The last error stays readable beside it."""
    return _change(row, claimed_until=until, error=error[:500])


def hold(row: Outbox, *, until: datetime) -> bool:
    """Postpone the notice without counting a try. Only before its sending has begun."""
    return _change(row, Q(message_id=""), due_at=until, claimed_until=None, attempts=F("attempts") - 1)


def release(rows: Sequence[Outbox]) -> None:
    """Release rows that were claimed and not tried."""
    for row in rows:
        _change(row, claimed_until=None)


def _renew(row: Outbox, message_id: str, sent_to: str, lease_seconds: int) -> bool:
    until = timezone.now() + timedelta(seconds=lease_seconds)
    with leases.CHANGING:
        if not _change(row, claimed_until=until, message_id=message_id, sent_to=sent_to):
            return False
        row.claimed_until, row.message_id, row.sent_to = until, message_id, sent_to
    return True


def _change(row: Outbox, where: Q | None = None, **values: object) -> bool:
    """Change a row if it is still ours. Return True if so."""
    with leases.CHANGING:
        ours = Outbox.objects.filter(where or Q(), pk=row.pk, status=Status.QUEUED, claimed_until=row.claimed_until)
        return bool(ours.update(**values))
