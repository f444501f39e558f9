"""The channels beside mail. Each is tried after those before it, if nothing has happened by then.

The outbox row records a notice's delivery by mail, a `Handover` that by each other channel. The user chooses the channels and
their order (`notifications.wanted.wishes`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from gamesvc.errors import GamesvcError
from notifications import ledger, registry
from notifications.models import Handover, Outbox, Status


class ChannelRefused(GamesvcError):
    """The receiver's side will never take this notice."""


class ChannelBusy(GamesvcError):
    """The notice could not be handed over now; another try may succeed."""


class HostSilent(ChannelBusy):
    """The host of the parcel cannot be reached, so other parcels for it would wait in vain as well.

    Never raised for what only one address is at fault for: a user could then hold up everybody else at that host.
    """


@dataclass(frozen=True)
class Parcel:
    """A notice ready to be sent over the network.

    `go` hands it over or raises; it runs in a separate thread and does not query the database. `lane` names scheme, host
    and port. `settled` is called with the exception that `go` raised, or None, and may write to the database.
    """

    lane: str
    go: Callable[[], None]
    settled: Callable[[Exception | None], None]


@dataclass(frozen=True)
class Channel:
    """A way to reach a user.

    `pack(notice, handover)` returns what has to be sent over the network, or None if the notice is handed over already; it raises
    `ChannelRefused` or `ChannelBusy`. `has(user_id)` returns True if the user has set the channel up.
    """

    name: str
    pack: Callable[[Outbox, Handover], Parcel | None]
    has: Callable[[int], bool]


_channels: dict[str, Channel] = {}


def register(name: str, pack: Callable[[Outbox, Handover], Parcel | None], has: Callable[[int], bool]) -> None:
    """Register a channel beside mail. A name registers once."""
    known = _channels.get(name)
    if known is not None and known.pack is not pack:
        raise ValueError(f"the channel {name!r} is already registered")
    _channels[name] = Channel(name, pack, has)


def find(name: str) -> Channel | None:
    """Return the channel of that name, or None if it is not registered."""
    return _channels.get(name)


def names() -> list[str]:
    """Return the names of all channels but mail, in the order of registration."""
    return list(_channels)


def plan(row: Outbox, order: Sequence[str], step: timedelta, now: datetime) -> datetime | None:
    """Schedule the channels before the mail, once per notice. Return the time of the mail; None if it comes first.

    Channels after the mail are scheduled when its result is known (`follow`): a mail may be held back for days.
    """
    before = before_mail(row, order)
    if not before or row.handovers.exists():
        return None
    _give_times(row, before, now, step)
    return now + len(before) * step


def follow(row: Outbox, order: Sequence[str], step: timedelta, settled: datetime) -> None:
    """Schedule the channels after the mail, the first one a step after the mail was settled."""
    _give_times(row, _usable(row, order[order.index("mail") + 1 :]), settled + step, step)


def before_mail(row: Outbox, order: Sequence[str]) -> list[str]:
    """Return the channels to try before the mail, as far as the receiver has set them up."""
    return _usable(row, order[: order.index("mail")])


def _usable(row: Outbox, wanted: Sequence[str]) -> list[str]:
    user = row.user_id
    return [name for name in wanted if user is not None and name in _channels and _channels[name].has(user)]


def _give_times(row: Outbox, wanted: Sequence[str], first: datetime, step: timedelta) -> None:
    handovers = [Handover(notice=row, channel=name, due_at=first + at * step) for at, name in enumerate(wanted)]
    Handover.objects.bulk_create(handovers, ignore_conflicts=True)


def withdraw(row: Outbox) -> None:
    """Drop an obsolete notice from all channels that still have to hand it over."""
    waiting = Handover.objects.filter(notice=row, status=Handover.Status.WAITING)
    waiting.update(status=Handover.Status.DROPPED, done_at=timezone.now(), claimed_until=None, error="it no longer held")


def hurry(row: Outbox) -> None:
    """Let the next channel go ahead after a failure. A mail of several notices has failed for each of them."""
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
    """Return True if the notice needs no further delivery: its question is settled or, without a question, it was delivered."""
    kind = registry.find(row.kind)
    if kind is None:
        return True
    if kind.deadline is not None:
        if kind.deadline(row) is None:
            return True
        ledger.note_acts([row])
        return row.acted_at is not None
    return row.status == Status.SENT or row.handovers.filter(status=Handover.Status.SENT).exists()
