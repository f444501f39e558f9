"""Claiming notices from the outbox and recording their results. Each step is one short statement.

A claim is a lease, renewed while its worker goes on (`kept`). A worker that dies keeps its rows for seconds only. One that just
sleeps too long finds, when it wants to send or settle, that the row's lease is no longer its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import IntegrityError, connection, transaction
from django.db.models import Q
from django.utils import timezone

from accounts.addresses import user_of_address
from gamesvc.database.asking import UNHURRIED, ask
from gamesvc.database.prepared import OneOf, Prepared
from notifications import leases
from notifications.models import Outbox, Status
from notifications.sending import threads
from notifications.wanted import preferences

LEASE_SECONDS = 30
_SWEEP_LOCK = 0x6E6F74696365  # "notice"
CHANNELS_LOCK = 0x6368616E6E656C  # "channel"

# The receivers take turns: however many notices are due for one of them, the others wait for just one of these. The CTEs are
# materialized: inlined into a join they could run again and take more rows than requested. Some more than those are ranked, for
# the case that another sender is claiming some of them.
_CLAIM = f"""
WITH waiting AS MATERIALIZED (
  SELECT id, due_at, created_at, row_number() OVER (PARTITION BY user_id, address ORDER BY due_at, created_at, id) AS place
  FROM notifications_outbox
  WHERE status = 'queued' AND due_at <= %(now)s::timestamptz
    AND (claimed_until IS NULL OR claimed_until <= %(now)s::timestamptz)
    AND (%(ids)s::uuid[] IS NULL OR id = ANY (%(ids)s::uuid[]))
  ORDER BY place, due_at, created_at, id LIMIT 4 * %(limit)s::int),
due AS MATERIALIZED (
  SELECT o.id, w.place FROM notifications_outbox o JOIN waiting w ON w.id = o.id
  WHERE o.status = 'queued' AND (o.claimed_until IS NULL OR o.claimed_until <= %(now)s::timestamptz)
  ORDER BY w.place, w.due_at, w.created_at, w.id LIMIT %(limit)s::int FOR UPDATE OF o SKIP LOCKED)
UPDATE notifications_outbox o SET claimed_until = %(until)s::timestamptz
FROM due WHERE o.id = due.id AND {UNHURRIED} RETURNING o.id, due.place
"""  # noqa: S608

# These two go with each claimed notice.
_COUNT = f"""
UPDATE notifications_outbox SET attempts = attempts + 1
WHERE id = %s::uuid AND status = 'queued' AND claimed_until IS NOT DISTINCT FROM %s::timestamptz AND {UNHURRIED}
"""  # noqa: S608
_HOLD = f"""
UPDATE notifications_outbox SET due_at = %s::timestamptz, claimed_until = NULL, attempts = attempts - 1
WHERE id = %s::uuid AND status = 'queued' AND claimed_until IS NOT DISTINCT FROM %s::timestamptz AND message_id = ''
  AND {UNHURRIED}
"""  # noqa: S608

# Right before the sending, in one statement: is it still ours and wanted, and may the address have it? The first mail of a thread
# gets the id of its root. What a user has muted holds for mail to their address, too. The commit waits for the disk, and so for
# all that was committed before: what a mail says and where its answers go lasts before the mail does.
_BEGIN = """
UPDATE notifications_outbox o SET claimed_until = %(until)s::timestamptz, sent_to = %(sent_to)s::text, message_id = CASE
  WHEN o.message_id <> '' THEN o.message_id
  WHEN o.topic = '' OR EXISTS (SELECT FROM notifications_outbox WHERE message_id = %(root)s::text) THEN %(own)s::text
  ELSE %(root)s::text END
WHERE o.id = %(id)s::uuid AND o.status = 'queued' AND o.claimed_until IS NOT DISTINCT FROM %(claimed)s::timestamptz
  AND NOT EXISTS (SELECT FROM notifications_suppression s WHERE s.address_hash = %(sent_to)s::text AND s.lifted_at IS NULL
    AND s.kind IN ('', o.kind))
  AND (%(essential)s::bool OR NOT EXISTS (SELECT FROM notifications_mute m
    WHERE (m.user_id = %(user)s::bigint OR m.user_id IS NULL AND m.address_hash = %(address)s::text AND m.address_hash <> '')
    AND (m.scope = 'all' OR m.scope = 'kind' AND m.value = o.kind OR m.scope = 'match' AND m.value = o.topic AND o.topic <> '')))
RETURNING o.message_id
"""

# The mails of a batch that the server has taken.
_SENT = """
UPDATE notifications_outbox o SET status = 'sent', error = '', claimed_until = NULL, sent_at = c.sent_at
FROM unnest(%s::uuid[], %s::timestamptz[], %s::timestamptz[]) AS c(id, until, sent_at)
WHERE o.id = c.id AND o.status = 'queued' AND o.claimed_until = c.until RETURNING o.id
"""

_TAKEN = Prepared(lambda: Outbox.objects.filter(pk=OneOf("wanted", "uuid")).select_related("user"))


def claim(limit: int, lease_seconds: int = LEASE_SECONDS, *, ids: Iterable[UUID] | None = None) -> list[Outbox]:
    """Claim up to `limit` due notices for `lease_seconds`, each receiver's oldest first (of `ids` only, if given).

    No two callers get the same row while its lease runs.
    """
    now = timezone.now()
    wanted = None if ids is None else list(ids)
    with connection.cursor() as cursor:
        until = now + timedelta(seconds=lease_seconds)
        cursor.execute(_CLAIM, {"now": now, "ids": wanted, "limit": limit, "until": until})
        place: dict[UUID, int] = dict(cursor.fetchall())
    taken = _TAKEN.rows(wanted=list(place))
    return sorted(taken, key=lambda row: (place[row.pk], row.due_at, row.created_at, row.pk))


def count(row: Outbox) -> bool:
    """Count a try of a claimed notice, when its turn has come. Return False if the row is no longer ours.

    So a notice that kills its worker is counted too, and those behind it are not.
    """
    with leases.CHANGING:
        if not ask(_COUNT, [row.pk, row.claimed_until]).rowcount:
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


def begin(row: Outbox, *, sent_to: str = "", muteable: bool = False, lease_seconds: int = LEASE_SECONDS) -> bool:
    """Renew the lease right before sending, fix the message id and store the address.

    Return False if the row is no longer ours, if mail to the address is stopped by now, or if its receiver has muted it
    (`muteable`). The id is fixed at the first try and kept: if we die after the server took the mail, the second one has the same
    id, and mail programs show one. The first notice of a topic to a receiver gets the id of the thread's root.
    """
    own = threads.own_id(row)
    until = timezone.now() + timedelta(seconds=lease_seconds)
    values: dict[str, Any] = {
        "id": row.pk,
        "until": until,
        "sent_to": sent_to,
        "own": own,
        "root": threads.root_id(row) if row.topic else own,
        "essential": not muteable,
        **_mutes(row, muteable=muteable),
    }
    with leases.CHANGING:
        fixed = _begun(values | {"claimed": row.claimed_until})
        if fixed is None:
            return False
        row.claimed_until, row.message_id, row.sent_to = until, fixed, sent_to
    return True


def _mutes(row: Outbox, *, muteable: bool) -> dict[str, Any]:
    """Return whose mutes hold for a notice: a user's, or those of an address and of the user who has proved to own it."""
    if row.user_id is not None or not muteable:
        return {"user": row.user_id, "address": ""}
    owner = user_of_address(row.address)
    return {"user": owner.pk if owner is not None else None, "address": preferences.address_hash(row.address)}


def _begun(values: dict[str, Any]) -> str | None:
    """Return the message id that a row has got; None if it may not be sent by us."""
    try:
        with transaction.atomic() if connection.in_atomic_block else nullcontext():
            found = ask(_BEGIN, values).fetchone()
    except IntegrityError:
        # Another sender's mail of this thread has just become the root: ours answers it.
        return _begun(values | {"root": values["own"]})
    return found[0] if found is not None else None


def settle_sent(rows: Mapping[UUID, tuple[Outbox, datetime]]) -> set[UUID]:
    """Record when the mail server took these mails. Return the ids of those that were still ours."""
    with leases.CHANGING:
        moments = [row.claimed_until for row, _sent_at in rows.values()]
        sent = ask(_SENT, [list(rows), moments, [sent_at for _row, sent_at in rows.values()]])
        return {pk for (pk,) in sent.fetchall()}


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
    with leases.CHANGING:
        return bool(ask(_HOLD, [until, row.pk, row.claimed_until]).rowcount)


def release(rows: Sequence[Outbox]) -> None:
    """Release rows that were claimed and not tried."""
    for row in rows:
        _change(row, claimed_until=None)


def _change(row: Outbox, where: Q | None = None, **values: object) -> bool:
    """Change a row if it is still ours. Return True if so."""
    with leases.CHANGING:
        ours = Outbox.objects.filter(where or Q(), pk=row.pk, status=Status.QUEUED, claimed_until=row.claimed_until)
        return bool(ours.update(**values))
