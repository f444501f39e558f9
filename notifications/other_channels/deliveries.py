"""Deliveries to webhooks: the queue of subscriptions and test pings, the log of all webhooks, and what becomes of failing ones.

All webhooks of a user get their deliveries one by one, oldest first: with several slow ones a user holds no more places than with
one, and rests in between. A webhook that fails is left alone until its pause is over, with everything that waits for it; one to
which nothing got through for a week is switched off, and its owner gets one mail.
"""

from __future__ import annotations

import functools
import json
import logging
import threading
from collections.abc import Collection, Iterator
from datetime import datetime, timedelta
from uuid import UUID

from django.db import connection, transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from gamesvc.json_types import JsonMapping
from gamesvc.time_limits import putting_off
from notifications import hints, outbox, registry
from notifications.channels import ChannelBusy, ChannelRefused, Parcel
from notifications.models import Handover, Outbox, Webhook, WebhookDelivery
from notifications.other_channels import outward, rests, signing, transfers
from notifications.other_channels.transfers import GIVE_UP_AFTER, LEASE, Job
from notifications.outbox import Notice
from notifications.wanted import preferences

log = logging.getLogger(__name__)

PING = "ping"
DISABLED = "webhook_disabled"
"""The kind of the mail that says that a webhook was switched off."""
SWITCHED_OFF_AFTER = timedelta(days=7)
LOG_KEPT = timedelta(days=30)
LOG_MOST = 500
"""The log of a webhook of a match has about so many entries at most: matches may move every second."""
Status = Handover.Status

# For each user the oldest, of the webhooks for which none is being sent or waits for its next try; none while another one goes to
# the user, or the user rests. Those that wait longest since their last try or pause come first, so that the many of one busy host
# do not stand before all others. Only the oldest of each webhook is read: many thousands may wait for one that is down.
_CLAIM = f"""
WITH RECURSIVE hooks AS (
  (SELECT hook_id FROM notifications_webhook_delivery WHERE status = 'waiting' ORDER BY hook_id LIMIT 1)
  UNION ALL
  SELECT (SELECT d.hook_id FROM notifications_webhook_delivery d WHERE d.status = 'waiting' AND d.hook_id > h.hook_id
    ORDER BY d.hook_id LIMIT 1)
  FROM hooks h WHERE h.hook_id IS NOT NULL),
first AS MATERIALIZED (
  SELECT DISTINCT ON (w.user_id) d.id
  FROM hooks JOIN notifications_webhook w ON w.id = hooks.hook_id CROSS JOIN LATERAL (
    SELECT o.id, o.due_at FROM notifications_webhook_delivery o
    WHERE o.hook_id = w.id AND o.status = 'waiting' AND o.due_at <= %(now)s::timestamptz
    ORDER BY o.due_at, o.id LIMIT 1) AS d
  WHERE w.user_id <> ALL (%(users)s::bigint[])
    AND {rests.OVER.format(user="w.user_id", channel="'webhook'")} AND NOT EXISTS (
      SELECT FROM notifications_webhook_delivery b
      WHERE b.status = 'waiting' AND b.claimed_until > %(now)s::timestamptz AND b.hook_id = w.id)
  ORDER BY w.user_id, d.due_at, d.id),
due AS MATERIALIZED (
  SELECT d.id FROM notifications_webhook_delivery d
  WHERE d.id = ANY (ARRAY(SELECT id FROM first))
    AND d.status = 'waiting' AND (d.claimed_until IS NULL OR d.claimed_until <= %(now)s::timestamptz)
  ORDER BY coalesce(d.claimed_until, d.due_at) LIMIT %(limit)s::int FOR UPDATE OF d SKIP LOCKED)
UPDATE notifications_webhook_delivery d SET claimed_until = %(until)s::timestamptz
FROM due WHERE d.id = due.id RETURNING d.id
"""  # noqa: S608


class Gone(ChannelRefused):
    """The receiver wants no more webhooks."""


class Answered(ChannelBusy):
    """The receiver answered with a status that is no success."""

    def __init__(self, status: int) -> None:
        super().__init__(f"answered with {status}")
        self.response_status = status


def queue(hook: Webhook, kind: str, data: JsonMapping) -> WebhookDelivery:
    """Queue a delivery with these names and numbers. The workers are woken after the commit."""
    now = timezone.now()
    row = WebhookDelivery.objects.create(hook=hook, kind=kind, body=written(kind, now, data).decode(), created_at=now, due_at=now)
    _wake()
    return row


def queue_newest(hook: Webhook, kind: str, data: JsonMapping) -> None:
    """Queue a delivery in place of one of its kind that was not tried yet, and cut the log of the webhook to its length."""
    now = timezone.now()
    waiting = WebhookDelivery.objects.filter(hook=hook, kind=kind, status=Status.WAITING, attempts=0, claimed_until=None)
    if waiting.update(body=written(kind, now, data).decode()):
        return
    queue(hook, kind, data)
    last = WebhookDelivery.objects.filter(hook=hook).order_by("-created_at", "-pk")[LOG_MOST - 1 : LOG_MOST].first()
    if last is not None:
        older = WebhookDelivery.objects.filter(hook=hook, created_at__lt=last.created_at)
        older.exclude(status=Status.WAITING).delete()


def again(row: WebhookDelivery) -> None:
    """Send a delivery once more, with its id and body as they were and a new signature."""
    WebhookDelivery.objects.filter(pk=row.pk).update(
        status=Status.WAITING, due_at=timezone.now(), claimed_until=None, attempts=0, error=""
    )
    _wake()


def _wake() -> None:
    transaction.on_commit(lambda: hints.publish("notifications.tasks.sweep_channels"), robust=True)


def written(kind: str, moment: datetime, data: JsonMapping) -> bytes:
    """Return the body of a delivery: type, time, and data."""
    content = {"type": kind, "timestamp": moment.isoformat(), "data": data}
    return json.dumps(content, separators=(",", ":"), sort_keys=True).encode()


def body_of(notice: Outbox) -> bytes:
    """Return the body for a notice: names and numbers. The receiver fetches the rest."""
    kind = registry.find(notice.kind)
    due = kind.deadline(notice) if kind is not None and kind.deadline is not None else None
    told = {"notice": str(notice.pk), **registry.facts_of(notice)}
    if due is not None and due != registry.NO_END:
        told["due_at"] = due.isoformat()
    return written(notice.kind, notice.created_at, told)


def parcel(hook: Webhook, identity: UUID, kind: str, body: bytes, notice: Outbox | None = None) -> Parcel:
    """Sign a delivery for its webhook. Its result goes to the log, and to the state of the webhook."""
    now = timezone.now()
    headers = signing.headers(hook, str(identity), now, body)
    lane, lookups = outward.lane(hook.url), outward.lookups_of(hook.user_id)
    row = WebhookDelivery(pk=identity, hook=hook, notice=notice, kind=kind, body=body.decode(), created_at=now, due_at=now)
    return Parcel(lane, functools.partial(_deliver, hook.url, body, headers, lookups), functools.partial(_note, row, now))


def _deliver(url: str, body: bytes, headers: dict[str, str], lookups: threading.BoundedSemaphore) -> None:
    status = transfers.post(url, body, headers, lookups)
    if status == 410:
        raise Gone("the receiver says that it is gone (410)")
    if not 200 <= status < 300:
        raise Answered(status)


def _note(row: WebhookDelivery, moment: datetime, fault: Exception | None) -> None:
    """Store the result of a try in the log and in the webhook."""
    hook = row.hook
    tried = {
        "tried_at": moment,
        "error": "" if fault is None else str(fault)[:500],
        "response_status": fault.response_status if isinstance(fault, Answered) else 410 if isinstance(fault, Gone) else None,
    }
    if hook.channel:
        status = Status.SENT if fault is None else Status.REFUSED if isinstance(fault, ChannelRefused) else Status.FAILED
        first = {"hook": hook, "notice": row.notice, "kind": row.kind, "body": row.body, "created_at": moment, "due_at": moment}
        with transaction.atomic():
            if Webhook.objects.select_for_update(no_key=True).filter(pk=hook.pk).exists():
                WebhookDelivery.objects.get_or_create(pk=row.pk, defaults={**first, "status": status})
                _settled(row).update(status=status, attempts=F("attempts") + 1)
    WebhookDelivery.objects.filter(pk=row.pk).update(**tried)
    _judge(hook, moment, fault)


def _settled(row: WebhookDelivery) -> QuerySet[WebhookDelivery]:
    """Return the row of the log, unless its owner has asked for the delivery again: then the queue of this module settles it."""
    return WebhookDelivery.objects.filter(pk=row.pk).exclude(status=Status.WAITING)


def _judge(hook: Webhook, moment: datetime, fault: Exception | None) -> None:
    """Switch a webhook off if it is gone, or if nothing got through to it for a week."""
    same = Webhook.objects.filter(pk=hook.pk, url=hook.url)
    if fault is None:
        same.filter(failing_since__isnull=False).update(failing_since=None)
    elif isinstance(fault, Gone):
        _switch_off(same, moment, tell=False)  # its owner's own program said so
    elif hook.failing_since is None:
        same.filter(failing_since=None).update(failing_since=moment)
    elif moment - hook.failing_since > SWITCHED_OFF_AFTER:
        _switch_off(same, moment, tell=True)


def _switch_off(same: QuerySet[Webhook], moment: datetime, *, tell: bool) -> None:
    with transaction.atomic():
        if same.filter(disabled_at=None).update(disabled_at=moment):
            for hook in same:
                waiting = WebhookDelivery.objects.filter(hook=hook, status=Status.WAITING)
                waiting.update(status=Status.FAILED, claimed_until=None, error="the webhook was switched off")
                if tell:
                    outbox.notify(Notice(DISABLED, user_id=hook.user_id, payload={"hook": str(hook.pk)}))


def jobs(limit: int, users: Collection[int]) -> Iterator[Job | bool]:
    """Claim up to `limit` due deliveries, one for each user but these, and yield what has to be sent."""
    now = timezone.now()
    with connection.cursor() as cursor:
        cursor.execute(_CLAIM, {"now": now, "limit": limit, "until": now + LEASE, "users": list(users)})
        ids = [row[0] for row in cursor.fetchall()]
    for row in WebhookDelivery.objects.filter(pk__in=ids).select_related("hook__user", "notice__user").order_by("due_at"):
        packed = _pack(row)
        if packed is not None:
            yield Job(packed, functools.partial(_ended, row), functools.partial(_put_off, row), row.hook.user_id)
        else:
            yield False


def _pack(row: WebhookDelivery) -> Parcel | None:
    """Return what has to be sent; None for a delivery that is settled without a try, or that another sweeper has."""
    until = timezone.now() + LEASE
    if not _ours(row).update(claimed_until=until, attempts=F("attempts") + 1):
        return None
    row.claimed_until, row.attempts = until, row.attempts + 1
    if row.hook.disabled_at is not None or not row.hook.user.is_active:
        _settle(row, Status.FAILED, "the webhook was switched off")
        return None
    try:
        with putting_off(lambda: _later(row, "the time of the task was over")):
            written = row.body != "" or _write(row)
        if not written:
            _settle(row, Status.DROPPED, "acted upon, no longer so, or not wanted")
            return None
        return parcel(row.hook, row.pk, row.kind, row.body.encode())
    except Exception as fault:
        # Here other apps' code runs, and an address is read: faults are recorded and logged, and never stop other deliveries.
        log.exception("the delivery %s (%s) could not be written", row.pk, row.kind)
        _later(row, transfers.words(fault))
        return None


def _write(row: WebhookDelivery) -> bool:
    """Write the body of a notice that is current and wanted. Return False for any other."""
    notice = row.notice
    if notice is None or preferences.is_muted(notice):
        return False
    kind = registry.find(notice.kind)
    if kind is None or (kind.deadline is not None and kind.deadline(notice) is None):
        return False
    row.body = body_of(notice).decode()
    _ours(row).update(body=row.body)
    return True


def _ended(row: WebhookDelivery, fault: Exception | None, seconds: float) -> bool:
    """Record the result of a try. Return True if the receiver took it."""
    rests.note(row.hook.user_id, "webhook", seconds)
    if fault is None:
        _settle(row, Status.SENT)
        return True
    if isinstance(fault, ChannelRefused):
        _settle(row, Status.REFUSED, str(fault))
        return False
    if not isinstance(fault, ChannelBusy):
        log.error("the delivery %s failed", row.pk, exc_info=fault)
    _later(row, str(fault))
    return False


def _later(row: WebhookDelivery, reason: str) -> None:
    now = timezone.now()
    if now - row.due_at > GIVE_UP_AFTER:
        _settle(row, Status.FAILED, reason)
    else:
        _ours(row).update(claimed_until=now + transfers.pause(row.attempts), error=reason[:500])


def _put_off(row: WebhookDelivery, pause: timedelta) -> None:
    _ours(row).update(claimed_until=timezone.now() + pause, attempts=F("attempts") - 1)


def _settle(row: WebhookDelivery, status: Handover.Status, reason: str = "") -> None:
    _ours(row).update(status=status, claimed_until=None, error=reason[:500])


def _ours(row: WebhookDelivery) -> QuerySet[WebhookDelivery]:
    return WebhookDelivery.objects.filter(Q(pk=row.pk, status=Status.WAITING, claimed_until=row.claimed_until))
