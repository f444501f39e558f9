"""Inbound mail as rows: stored before it is accepted, claimed by one worker at a time, settled once, deleted after a month."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.addresses import verified_sql
from accounts.models import User
from gamesvc.database.asking import UNHURRIED, ask
from gamesvc.database.rows import columns, row_of
from gamesvc.json_types import JsonObject
from notifications import hints, leases, outbox
from notifications.inbound.addresses import owner_of
from notifications.models import InboundMail, MailStatus, ReplyAddress
from notifications.outbox import Notice
from notifications.parsing.cutting import Cut
from notifications.parsing.reading import body_of, message_id

LEASE_SECONDS = 30
MOST_ATTEMPTS = 6
# Pause after a fault of the database.
PUT_OFF = timedelta(seconds=5)
KEPT_OF_DONE = 16 * 1024
"""Bytes that stay of a mail once it was worked on: its headers and its text. Rows stay for weeks, and a player may send hundreds
of mails an hour."""
KEPT_OF_REFUSED = 4 * 1024
"""The same of one that nobody will work on: it shows why."""
KEPT_OF_UNANSWERED = 1024
"""The same of one that was worked on beyond the answers of a day: its report is not kept either."""

# Mails of one sender about one topic are processed in the order of arrival, by whatever worker: a later one waits for those
# before it, which are soon done or set aside. From each sender one mail is taken at a time, longest ago served first: however
# many mails one of them sends, the others wait for just one of these. Above all, mails with the fewest tries come first: one that
# was put back may be slow again (`names`).
_TAKE = f"""
WITH waiting AS MATERIALIZED (
  SELECT m.id, m.received_at, m.claimed_until, m.owner, a.topic, a.user_id, a.email,
    row_number() OVER (PARTITION BY a.topic, a.user_id, a.email ORDER BY m.counts_at, m.id) AS place
  FROM notifications_inbound_mail m JOIN notifications_reply_address a ON a.id = m.address_id
  WHERE m.status = 'waiting'),
turns AS MATERIALIZED (
  SELECT DISTINCT ON (user_id, email) id, owner FROM waiting
  WHERE (topic = '' OR place = 1) AND (claimed_until IS NULL OR claimed_until <= %(now)s::timestamptz)
    AND (%(ids)s::uuid[] IS NULL OR id = ANY (%(ids)s::uuid[]))
  ORDER BY user_id, email, received_at, id),
due AS MATERIALIZED (
  SELECT m.id FROM notifications_inbound_mail m JOIN turns t ON t.id = m.id
    CROSS JOIN LATERAL (
      SELECT max(coalesce(o.finished_at, o.claimed_until)) AS last FROM notifications_inbound_mail o
      WHERE o.owner = t.owner AND t.owner <> '' AND o.received_at > %(now)s::timestamptz - interval '1 hour') AS s
  WHERE m.status = 'waiting' AND (m.claimed_until IS NULL OR m.claimed_until <= %(now)s::timestamptz)
  ORDER BY m.attempts, s.last NULLS FIRST, m.received_at, m.id LIMIT %(limit)s::int FOR UPDATE OF m SKIP LOCKED)
UPDATE notifications_inbound_mail m SET claimed_until = %(until)s::timestamptz
FROM due WHERE m.id = due.id AND {UNHURRIED} RETURNING m.*
"""  # noqa: S608

# This goes with each claimed mail. It returns the addresses from which the owner may answer: one query less.
_BEGIN = f"""
UPDATE notifications_inbound_mail SET claimed_until = %s::timestamptz, attempts = attempts + 1
WHERE id = %s::uuid AND status = 'waiting' AND claimed_until IS NOT DISTINCT FROM %s::timestamptz AND {UNHURRIED}
RETURNING ARRAY({verified_sql("%s::bigint")})
"""  # noqa: S608

# In one statement, while the sender's server waits.
_STORE = """
INSERT INTO notifications_inbound_mail
  (id, address_id, owner, envelope_from, message_id, body_hash, raw,
  body_digests, received_at, counts_at, status, error, attempts)
VALUES (%(id)s::uuid, %(address)s, %(owner)s::text, %(envelope_from)s::text, %(message_id)s::text, %(body_hash)s::text,
  %(raw)s::bytea, %(body_digests)s::jsonb, %(received_at)s::timestamptz, %(received_at)s::timestamptz, 'waiting', '', 0)
ON CONFLICT DO NOTHING RETURNING id
"""

# With the notice about it, whose statement takes rows only if `appended` has one. A result that is lost is found again: the mail
# is stored, and what it ordered is recorded once.
_SETTLE = f"""
WITH appended AS (
  UPDATE notifications_inbound_mail SET status = %s::text, error = %s::text, report = %s::jsonb, claimed_until = NULL,
    finished_at = %s::timestamptz, raw = coalesce(%s::bytea, raw)
  WHERE id = %s::uuid AND status = 'waiting' AND claimed_until IS NOT DISTINCT FROM %s::timestamptz AND {UNHURRIED}
  RETURNING id)
"""  # noqa: S608


def store(mail: Cut, *, address: ReplyAddress, envelope_from: str, received_at: datetime) -> UUID | None:
    """Store a mail as it came, or without its attachments. Return its id.

    None if the same mail was stored before: a sender's server may send it twice.
    """
    new = ask(
        _STORE,
        {
            "id": uuid4(),
            "address": address.pk,
            "owner": owner_of(address),
            "envelope_from": storable(envelope_from)[:320],
            "message_id": message_id(mail.raw),
            "body_hash": hashlib.sha256(body_of(mail.raw)).hexdigest(),
            "raw": mail.raw,
            "body_digests": json.dumps(mail.digests) if mail.digests is not None else None,
            "received_at": received_at,
        },
    ).fetchone()
    return new[0] if new is not None else None


def wake(ids: Iterable[UUID]) -> None:
    """Notify the workers of new mail. If the broker is away, the next sweep finds it."""
    hints.publish("notifications.inbound.tasks.work_soon", [str(one) for one in ids])


def claim(limit: int, *, ids: Iterable[UUID] | None = None) -> list[InboundMail]:
    """Lease up to `limit` waiting mails, one from each sender."""
    now = timezone.now()
    wanted = None if ids is None else list(ids)
    until = now + timedelta(seconds=LEASE_SECONDS)
    taken = ask(_claim(), {"now": now, "ids": wanted, "limit": limit, "until": until}).fetchall()
    return [_mail_of(row) for row in taken]


@functools.cache
def _claim() -> str:
    wanted = ", ".join([*columns("t", InboundMail), *columns("a", ReplyAddress), *columns("u", User)])
    return (
        f"WITH taken AS ({_TAKE}) SELECT {wanted} FROM taken t JOIN notifications_reply_address a ON a.id = t.address_id"  # noqa: S608
        " LEFT JOIN accounts_user u ON u.id = a.user_id ORDER BY t.attempts, t.received_at, t.id"
    )


def _mail_of(values: Sequence[object]) -> InboundMail:
    """Return a mail with its address and that one's user, if it has one."""
    own, address = len(InboundMail._meta.concrete_fields), len(ReplyAddress._meta.concrete_fields)
    mail = row_of(InboundMail, values[:own])
    mail.address = row_of(ReplyAddress, values[own : own + address])
    if mail.address.user_id is not None:
        mail.address.user = row_of(User, values[own + address :])
    return mail


def begin(mail: InboundMail) -> list[str] | None:
    """Renew the lease and count the try of a claimed mail, when its turn has come. Return the addresses that the owner of its
    reply address has verified; None if another worker has the mail.

    So a mail that kills its worker is counted too, and those behind it are not.
    """
    until = timezone.now() + timedelta(seconds=LEASE_SECONDS)
    with leases.CHANGING:
        begun = ask(_BEGIN, [until, mail.pk, mail.claimed_until, mail.address.user_id]).fetchone()
        if begun is None:
            return None
        mail.claimed_until, mail.attempts = until, mail.attempts + 1
    verified: list[str] = begun[0]
    return verified


def is_first(mail: InboundMail, fingerprint: str, *, among_all: bool) -> bool:
    """Note the fingerprint of a proved mail (`covering`). Return False if another mail about the same topic has it.

    One mail to two addresses of a match counts once. `among_all`: also to any other address of the same owner. Several runs of
    one mail get the same answer.
    """
    same = InboundMail.objects.filter(
        fingerprint=fingerprint, address__user=mail.address.user_id, address__email=mail.address.email
    ).exclude(pk=mail.pk)
    if not among_all:
        same = same.filter(address__topic=mail.address.topic)
    if same.exists():
        return False
    try:
        with transaction.atomic():
            return _change(mail, fingerprint=fingerprint)
    except IntegrityError:
        return False


def release(mails: Sequence[InboundMail]) -> None:
    """Release claimed mails whose turn has not come, for any worker to take at once."""
    for mail in mails:
        _change(mail, claimed_until=None)


def kept(mails: Sequence[InboundMail]) -> AbstractContextManager[None]:
    """Keep the leases of claimed mails while the block runs."""
    return leases.kept(mails, InboundMail, LEASE_SECONDS)


def settle(
    mail: InboundMail, status: MailStatus, *, error: str = "", report: JsonObject | None = None, notice: Notice | None = None
) -> bool:
    """Store the result of a mail, together with its notice. Return False if the mail is no longer ours.

    Only of a held mail about which the owner is asked everything stays, until they have confirmed it.
    """
    queued, notices = outbox.insert_sql([notice] if notice is not None else [])
    told = json.dumps(report) if report is not None else None
    with leases.CHANGING:
        values: list[Any] = [
            status.value,
            storable(error),
            told,
            timezone.now(),
            _shortened(mail, status, asked=notice is not None, reported=report is not None),
        ]
        values += [mail.pk, mail.claimed_until, *notices]
        ours: bool = ask(f"{_SETTLE}, queued AS ({queued}) SELECT FROM appended", values).rowcount > 0
    if ours and notice is not None:
        transaction.on_commit(lambda: outbox.wake([notice.id]), robust=True)
    return ours


def _shortened(mail: InboundMail, status: MailStatus, *, asked: bool, reported: bool) -> bytes | None:
    """Return what stays of a mail with this result; None for all of it."""
    if status == MailStatus.HELD and asked:
        return None
    if status == MailStatus.DONE and not reported:
        most = KEPT_OF_UNANSWERED
    else:
        most = KEPT_OF_DONE if status in (MailStatus.DONE, MailStatus.FAILED) else KEPT_OF_REFUSED
    return bytes(mail.raw[:most]) if len(mail.raw) > most else None


def put_back(mail: InboundMail, *, error: str) -> None:
    """Schedule another try after a pause that grows with the tries. After the last one the mail is set aside."""
    if mail.attempts >= MOST_ATTEMPTS:
        settle(mail, MailStatus.FAILED, error=error)
        return
    until = timezone.now() + timedelta(seconds=2**mail.attempts)
    _change(mail, claimed_until=until, error=storable(error))


def put_off(mail: InboundMail, *, error: str) -> None:
    """Schedule another try after a fault that is not the mail's. Only the first of them counts: the next ones know of it."""
    with leases.CHANGING:
        values = {"attempts": min(mail.attempts, 1), "claimed_until": timezone.now() + PUT_OFF, "error": storable(error)}
        _change(mail, **values)


def confirm(mail_id: UUID) -> bool:
    """Confirm a held mail, which counts from now on. Return False if it was no longer held."""
    now = timezone.now()
    held = InboundMail.objects.filter(pk=mail_id, status=MailStatus.HELD)
    done = held.update(status=MailStatus.WAITING, confirmed_at=now, counts_at=now, claimed_until=None, attempts=0, error="")
    if done:
        transaction.on_commit(lambda: wake([mail_id]), robust=True)
    return bool(done)


def failed_notice(mail: InboundMail, *, code: str = "") -> Notice:
    """Return the notice that tells the owner of the reply address why a mail was not processed (`refusals`).

    An order lost in silence could lose the game.
    """
    payload = {"mail": str(mail.id), "code": code} if code else {"mail": str(mail.id)}
    return Notice("mail_failed", mail.address.user_id, mail.address.email, payload=payload)


def _change(mail: InboundMail, **values: object) -> bool:
    """Change a mail if it is still ours. Return True if so."""
    with leases.CHANGING:
        waiting = InboundMail.objects.filter(pk=mail.pk, status=MailStatus.WAITING)
        return bool(waiting.filter(claimed_until=mail.claimed_until).update(**values))


def storable(text: str) -> str:
    """Return text from a hostile mail in a form that a column accepts."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode()[:500]
