"""The channels beside mail: each is tried when those before it had their time and nothing has happened.

A notice's way through the mail stands in its outbox row, its way through each other channel in a `Handover`. Which channels,
and in which order, each person chooses (`notifications.wishes`).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection
from django.db.models import F, QuerySet
from django.utils import timezone

from notifications import ledger, preferences, registry
from notifications.models import Handover, Outbox, Status

log = logging.getLogger(__name__)

LEASE = timedelta(seconds=60)
BATCH = 5
SWEEP_LASTS = 30.0
FIRST_PAUSE = timedelta(seconds=30)
LONGEST_PAUSE = timedelta(hours=2)
GIVE_UP_AFTER = timedelta(days=1)

_CLAIM = """
WITH due AS MATERIALIZED (
  SELECT id FROM notifications_handover
  WHERE status = 'waiting' AND due_at <= %s::timestamptz AND (claimed_until IS NULL OR claimed_until <= %s::timestamptz)
  ORDER BY due_at LIMIT %s::int FOR UPDATE SKIP LOCKED)
UPDATE notifications_handover h SET claimed_until = %s::timestamptz
FROM due WHERE h.id = due.id RETURNING h.id
"""


class ChannelRefused(Exception):
    """The receiver's side will not take this notice, now or later."""


class ChannelBusy(Exception):
    """It could not be handed over now; another try may succeed."""


@dataclass(frozen=True)
class Channel:
    """A way to a person. `send(notice, handover)` hands it over or raises; `has(user_id)` says whether he has set it up."""

    name: str
    send: Callable[[Outbox, Handover], None]
    has: Callable[[int], bool]


_channels: dict[str, Channel] = {}


def register(name: str, send: Callable[[Outbox, Handover], None], has: Callable[[int], bool]) -> None:
    """Offer a channel beside mail. A name registers once."""
    known = _channels.get(name)
    if known is not None and known.send is not send:
        raise ValueError(f"the channel {name!r} is already registered")
    _channels[name] = Channel(name, send, has)


def names() -> list[str]:
    """All channels but mail, in the order of registration."""
    return list(_channels)


def plan(row: Outbox, order: Sequence[str], step: timedelta, now: datetime) -> datetime | None:
    """Give each channel before the mail its time, once for a notice; the moment of the mail then, None where it comes first.

    Those after the mail have theirs when it is known what became of it (`follow`): a mail may be held back for days.
    """
    before = before_mail(row, order)
    if not before or row.handovers.exists():
        return None
    _give_times(row, before, now, step)
    return now + len(before) * step


def follow(row: Outbox, order: Sequence[str], step: timedelta, settled: datetime) -> None:
    """Give each channel after the mail its time: the first a step after the mail was settled."""
    _give_times(row, _usable(row, order[order.index("mail") + 1 :]), settled + step, step)


def before_mail(row: Outbox, order: Sequence[str]) -> list[str]:
    """The channels that are tried before the mail, as far as the receiver has set them up."""
    return _usable(row, order[: order.index("mail")])


def _usable(row: Outbox, wanted: Sequence[str]) -> list[str]:
    user = row.user_id
    return [name for name in wanted if user is not None and name in _channels and _channels[name].has(user)]


def _give_times(row: Outbox, wanted: Sequence[str], first: datetime, step: timedelta) -> None:
    handovers = [Handover(notice=row, channel=name, due_at=first + at * step) for at, name in enumerate(wanted)]
    Handover.objects.bulk_create(handovers, ignore_conflicts=True)


def withdraw(row: Outbox) -> None:
    """It does not hold any more: no channel that still has to hand it over does so."""
    waiting = Handover.objects.filter(notice=row, status=Handover.Status.WAITING)
    waiting.update(status=Handover.Status.DROPPED, done_at=timezone.now(), claimed_until=None, error="it no longer held")


def hurry(row: Outbox) -> None:
    """A channel has failed: the next one need not wait. The mail of several notices has failed for each of them."""
    for told in [row, *Outbox.objects.filter(merged_into=row.pk)]:
        _hurry(told)


def _hurry(row: Outbox) -> None:
    now = timezone.now()
    following = Handover.objects.filter(notice=row, status=Handover.Status.WAITING).order_by("due_at").first()
    mail = Outbox.objects.filter(pk=row.pk, status=Status.QUEUED, message_id="", due_at__gt=now)
    queued = mail.first()
    if queued is not None and (following is None or queued.due_at < following.due_at):
        mail.update(due_at=now)
    elif following is not None and following.due_at > now:
        Handover.objects.filter(pk=following.pk, status=Handover.Status.WAITING).update(due_at=now)


def answered(row: Outbox) -> bool:
    """Whether nothing more need be said: what it asks for is done or over, or, where it asks nothing, somebody took it."""
    kind = registry.find(row.kind)
    if kind is None:
        return True
    if kind.deadline is not None:
        if kind.deadline(row) is None:
            return True
        ledger.note_acts([row])
        return row.acted_at is not None
    return row.status == Status.SENT or row.handovers.filter(status=Handover.Status.SENT).exists()


def sweep(*, lasting: float = SWEEP_LASTS) -> int:
    """Hand over what is due, until nothing is or the time in seconds is up; returns how many were taken."""
    end = time.monotonic() + lasting
    taken = 0
    while time.monotonic() < end and (rows := _claim(BATCH)):
        for handover in rows:
            taken += _try(handover)
    return taken


def _claim(limit: int) -> list[Handover]:
    now = timezone.now()
    with connection.cursor() as cursor:
        cursor.execute(_CLAIM, [now, now, limit, now + LEASE])
        ids = [row[0] for row in cursor.fetchall()]
    return list(Handover.objects.filter(pk__in=ids).select_related("notice__user").order_by("due_at"))


def _try(handover: Handover) -> bool:
    """Hand one notice over if it still holds and is wanted, and put down what became of it."""
    until = timezone.now() + LEASE
    if not _ours(handover).update(claimed_until=until, attempts=F("attempts") + 1):
        return False  # the lease ran out while those before it were handed over, and another sweeper has it
    handover.claimed_until, handover.attempts = until, handover.attempts + 1
    notice, channel = handover.notice, _channels.get(handover.channel)
    kind = registry.find(notice.kind)
    unwanted = kind is None or channel is None or notice.user is None or not notice.user.is_active
    if unwanted or preferences.is_muted(notice):
        return _settle(handover, Handover.Status.DROPPED, "not wanted any more")
    assert channel is not None
    try:
        if answered(notice):
            return _settle(handover, Handover.Status.DROPPED, "acted upon, or no longer so")
        channel.send(notice, handover)
    except ChannelRefused as refusal:
        _settle(handover, Handover.Status.REFUSED, str(refusal))
        hurry(notice)
        return False
    except ChannelBusy as busy:
        return _later(handover, str(busy))
    except Exception as fault:
        # The border to code of others: its faults are recorded and logged, and never stop the other notices.
        log.exception("the notice %s could not be handed over by %s", notice.pk, handover.channel)
        return _later(handover, f"{type(fault).__name__}: {fault}")
    return _settle(handover, Handover.Status.SENT)


def _later(handover: Handover, reason: str) -> bool:
    now = timezone.now()
    if now - handover.due_at > GIVE_UP_AFTER:
        _settle(handover, Handover.Status.FAILED, reason)
        hurry(handover.notice)
        return False
    pause = min(FIRST_PAUSE * 2 ** min(handover.attempts - 1, 12), LONGEST_PAUSE)
    _ours(handover).update(claimed_until=now + pause, error=reason[:500])
    return False


def _settle(handover: Handover, status: Handover.Status, reason: str = "") -> bool:
    done = _ours(handover).update(status=status, done_at=timezone.now(), claimed_until=None, error=reason[:500])
    return bool(done) and status == Handover.Status.SENT


def _ours(handover: Handover) -> QuerySet[Handover]:
    return Handover.objects.filter(pk=handover.pk, status=Handover.Status.WAITING, claimed_until=handover.claimed_until)
