"""The channels beside mail: each is tried when those before it had their time and nothing has happened.

A notice's way through the mail stands in its outbox row, its way through each other channel in a `Handover`. Which channels,
and in which order, each person chooses (`notifications.wanted.wishes`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from notifications import ledger, registry
from notifications.models import Handover, Outbox, Status


class ChannelRefused(Exception):
    """The receiver's side will not take this notice, now or later."""


class ChannelBusy(Exception):
    """It could not be handed over now; another try may succeed."""


@dataclass(frozen=True)
class Parcel:
    """A notice packed for its way over the net.

    `go` hands it over or raises, in a thread of its own, so it asks no database. `lane` names the machine it goes to.
    `settled` is called with the exception that `go` raised, or None, and may write to the database.
    """

    lane: str
    go: Callable[[], None]
    settled: Callable[[Exception | None], None]


@dataclass(frozen=True)
class Channel:
    """A way to a user.

    `pack(notice, handover)` returns what has to go over the net, or None if the notice is handed over already; it raises
    `ChannelRefused` or `ChannelBusy`. `has(user_id)` tells if the user has set the channel up.
    """

    name: str
    pack: Callable[[Outbox, Handover], Parcel | None]
    has: Callable[[int], bool]


_channels: dict[str, Channel] = {}


def register(name: str, pack: Callable[[Outbox, Handover], Parcel | None], has: Callable[[int], bool]) -> None:
    """Offer a channel beside mail. A name registers once."""
    known = _channels.get(name)
    if known is not None and known.pack is not pack:
        raise ValueError(f"the channel {name!r} is already registered")
    _channels[name] = Channel(name, pack, has)


def find(name: str) -> Channel | None:
    """Return the channel of that name, or None if nobody offers it."""
    return _channels.get(name)


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
