"""Handing due notices over to the channels beside mail, so that no slow receiver delays the others.

Several are sent at once (`transfers`), but each user's one by one, by whatever channel. A user whose receiver fails is left alone
until its pause is over, with everything that waits for it. One whose receiver answers slowly rests (`rests`).
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Collection, Iterator
from datetime import timedelta

from django.db import connection
from django.db.models import F, QuerySet
from django.utils import timezone

from gamesvc.time_limits import putting_off
from notifications import channels, registry
from notifications.channels import ChannelBusy, ChannelRefused, Parcel
from notifications.models import Handover
from notifications.other_channels import deliveries, rests, transfers
from notifications.other_channels.transfers import GIVE_UP_AFTER, LEASE, Job, Source
from notifications.wanted import preferences

log = logging.getLogger(__name__)

SWEEP_LASTS = 30.0

# For each user the oldest, of the channels by which none is being sent or waits for its next try, and by which the user does not
# rest. Those that wait longest since their last try or pause come first (`deliveries`).
_CLAIM = f"""
WITH held AS MATERIALIZED (
  SELECT DISTINCT o.user_id, b.channel
  FROM notifications_handover b JOIN notifications_outbox o ON o.id = b.notice_id
  WHERE b.status = 'waiting' AND b.claimed_until > %(now)s::timestamptz),
first AS MATERIALIZED (
  SELECT DISTINCT ON (n.user_id) h.id
  FROM notifications_handover h JOIN notifications_outbox n ON n.id = h.notice_id
  WHERE h.status = 'waiting' AND h.due_at <= %(now)s::timestamptz AND n.user_id <> ALL (%(users)s::bigint[])
    AND NOT EXISTS (SELECT FROM held WHERE held.user_id = n.user_id AND held.channel = h.channel)
    AND {rests.OVER.format(user="n.user_id", channel="h.channel")}
  ORDER BY n.user_id, h.due_at, h.id),
due AS MATERIALIZED (
  SELECT h.id FROM notifications_handover h
  WHERE h.id = ANY (ARRAY(SELECT id FROM first))
    AND h.status = 'waiting' AND (h.claimed_until IS NULL OR h.claimed_until <= %(now)s::timestamptz)
  ORDER BY coalesce(h.claimed_until, h.due_at) LIMIT %(limit)s::int FOR UPDATE OF h SKIP LOCKED)
UPDATE notifications_handover h SET claimed_until = %(until)s::timestamptz
FROM due WHERE h.id = due.id RETURNING h.id
"""  # noqa: S608


def sweep(*more: Source, lasting: float = SWEEP_LASTS) -> int:
    """Hand over due notices, and deliver to webhooks what is due, until nothing is left or `lasting` seconds are over.

    `more`: what is looked at before them each time. Return how many were taken.
    """
    return transfers.sweep([*more, _jobs, deliveries.jobs], lasting=lasting)


def _jobs(limit: int, users: Collection[int]) -> Iterator[Job | bool]:
    for handover in _claim(limit, users):
        packed = _pack(handover)
        if isinstance(packed, Parcel):
            yield Job(packed, functools.partial(_after, handover), functools.partial(_put_off, handover), handover.notice.user_id)
        else:
            yield packed


def _after(handover: Handover, fault: Exception | None, seconds: float) -> bool:
    """Record the result of a transfer. Return True if the notice was handed over."""
    sent = _ended(handover, fault)
    if fault is None or isinstance(fault, ChannelRefused):
        # After other faults the user's next try waits anyway (`_later`).
        rests.note(handover.notice.user_id, handover.channel, seconds)
    return sent


def _claim(limit: int, users: Collection[int]) -> list[Handover]:
    now = timezone.now()
    with connection.cursor() as cursor:
        cursor.execute(_CLAIM, {"now": now, "limit": limit, "until": now + LEASE, "users": list(users)})
        ids = [row[0] for row in cursor.fetchall()]
    return list(Handover.objects.filter(pk__in=ids).select_related("notice__user").order_by("due_at"))


def _pack(handover: Handover) -> Parcel | bool:
    """Return what has to be sent for a current notice; otherwise settle it and return True if it was handed over."""
    until = timezone.now() + LEASE
    if not _ours(handover).update(claimed_until=until, attempts=F("attempts") + 1):
        return False  # the lease expired while those before it were packed, and another sweeper has it
    handover.claimed_until, handover.attempts = until, handover.attempts + 1
    notice, channel = handover.notice, channels.find(handover.channel)
    kind = registry.find(notice.kind)
    unwanted = kind is None or channel is None or notice.user is None or not notice.user.is_active
    if unwanted or preferences.is_muted(notice):
        return _settle(handover, Handover.Status.DROPPED, "no longer wanted")
    assert channel is not None
    try:
        with putting_off(lambda: _later(handover, "the time of the task was over")):
            if channels.answered(notice):
                return _settle(handover, Handover.Status.DROPPED, "acted upon, or no longer so")
            try:
                parcel = channel.pack(notice, handover)
            except Exception:
                # The notice may have become obsolete while it was packed: then there is no fault, and nobody needs to be told.
                if not channels.answered(notice):
                    raise
                return _settle(handover, Handover.Status.DROPPED, "acted upon, or no longer so")
    except Exception as fault:
        # Here other apps' code runs: its faults are recorded and logged, and never stop the other notices.
        return _ended(handover, fault)
    return parcel if parcel is not None else _ended(handover, None)


def _ended(handover: Handover, fault: Exception | None) -> bool:
    """Record the result of a try. Return True if the notice was handed over."""
    if fault is None:
        return _settle(handover, Handover.Status.SENT)
    if isinstance(fault, ChannelRefused):
        _settle(handover, Handover.Status.REFUSED, str(fault))
        channels.hurry(handover.notice)
        return False
    if isinstance(fault, ChannelBusy):
        return _later(handover, str(fault))
    log.error("the notice %s could not be handed over by %s", handover.notice_id, handover.channel, exc_info=fault)
    return _later(handover, transfers.words(fault))


def _later(handover: Handover, reason: str) -> bool:
    now = timezone.now()
    if now - handover.due_at > GIVE_UP_AFTER:
        _settle(handover, Handover.Status.FAILED, reason)
        channels.hurry(handover.notice)
        return False
    _ours(handover).update(claimed_until=now + transfers.pause(handover.attempts), error=reason[:500])
    return False


def _put_off(handover: Handover, pause: timedelta) -> None:
    """Postpone a handover for a moment without a try: its host is busy, or does not answer."""
    _ours(handover).update(claimed_until=timezone.now() + pause, attempts=F("attempts") - 1)


def _settle(handover: Handover, status: Handover.Status, reason: str = "") -> bool:
    done = _ours(handover).update(status=status, done_at=timezone.now(), claimed_until=None, error=reason[:500])
    return bool(done) and status == Handover.Status.SENT


def _ours(handover: Handover) -> QuerySet[Handover]:
    return Handover.objects.filter(pk=handover.pk, status=Handover.Status.WAITING, claimed_until=handover.claimed_until)
