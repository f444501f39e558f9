"""Whether a notice goes now: presence, the threshold of the digest, and the batch window that makes one mail of many.

Kinds that say until when they hold (`Kind.deadline`) are held back or gathered; of the others those with a subject gather with
their like (what several people write to the same ones), and all else goes at once. The window opens
with a mail and closes when its receiver has answered that mail: so whoever plays briskly gets each turn at once, and whoever
is away gets one mail for all that gathered. Of several notices about one thing only the newest goes, with or without a window.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import connection, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from notifications import channels, registry
from notifications.models import Outbox, Status
from notifications.wanted import preferences, presence
from notifications.wanted.wishes import Wishes, minutes, wishes_of

SUMMARY = "summary"
# A deadline may move while a notice waits for its threshold.
LOOK_AGAIN = timedelta(minutes=15)
# A mail that was held back and went so lately has said what a reminder would only say again.
LATELY = 10
_GATHER_LOCK = 0x676174  # "gat"


@dataclass(frozen=True)
class Hold:
    """The notice waits; nothing of it was sent."""

    until: datetime


@dataclass(frozen=True)
class Merged:
    """The notice is told by another mail, which is queued."""

    into: UUID


def look(row: Outbox, kind: registry.Kind) -> Hold | Merged | None:
    """What to do with a claimed notice that nobody has tried to send yet; None: word and send it."""
    if row.user_id is None or row.message_id or kind.essential:
        return None
    now = timezone.now()
    wishes = wishes_of(row.user_id, row.topic)
    if (until := channels.plan(row, wishes.channels, minutes(wishes.channel_minutes), now)) is not None:
        return Hold(until)
    if kind.deadline is None:
        return _in_one_mail(row, kind, minutes(wishes.batch_minutes), now)
    if (until := presence.wait_until(row, now)) is not None:
        return Hold(until)
    deadline = kind.deadline(row)
    if deadline is None:
        return None  # it no longer holds, and its renderer will say so
    if _waits_for_threshold(wishes, deadline, now):
        return Hold(min(deadline - minutes(60 * (wishes.immediate_below or 0)), now + LOOK_AGAIN))
    if (told := _told_once(row, kind, now)) is not None:
        return told
    window = minutes(wishes.batch_minutes)
    # Whoever wants no mails that tell of several notices gets each alone.
    if not window or deadline - now <= window or preferences.refuses(row.user_id, SUMMARY):
        return None
    end = _window_ends(row, now, window)
    return Hold(end) if end is not None else gather(row, now)


def settled(row: Outbox, status: Status, *, holds: bool = True) -> None:
    """What follows when a mail was sent or will not be, in that transaction: the channels after it have their time now.

    A mail that did not go lets them try at once. One that is dropped gives back the notices it was to speak for; and what
    does not hold any more (`holds`), as its renderer said, is told by no channel at all.
    """
    now = timezone.now()
    if status == Status.DROPPED and (kind := registry.find(row.kind)) is not None and kind.subject is not None:
        given_back = {"status": Status.QUEUED, "merged_into": None, "due_at": now}
        Outbox.objects.filter(merged_into=row.pk, status=Status.MERGED).update(**given_back)
    if holds:
        _follow(row, status, now)
    else:
        channels.withdraw(row)


def waits_for_server(row: Outbox) -> None:
    """A mail was to go and could not yet: the channels after it have their time all the same, from when it was due."""
    _follow(row, Status.QUEUED, row.due_at)


def _follow(row: Outbox, status: Status, moment: datetime) -> None:
    if row.user_id is None:
        return
    wishes = wishes_of(row.user_id)
    if len(wishes.channels) < 2:
        return
    step = minutes(wishes.channel_minutes)
    in_vain = status in (Status.DROPPED, Status.FAILED)
    told_of: set[tuple[str, str]] = set()
    for told in [row, *Outbox.objects.filter(merged_into=row.pk).order_by("-created_at", "-pk")]:
        kind = registry.find(told.kind)
        # Where nothing is asked for, a notice that was taken is all there is to do.
        if kind is None or kind.essential or (status == Status.SENT and kind.deadline is None) or preferences.is_muted(told):
            continue
        if kind.deadline is not None and kind.subject is not None:
            about = (told.topic, kind.subject(told))
            if about in told_of:
                continue  # the newest speaks for all, as in the mail
            told_of.add(about)
        channels.follow(told, wishes.channels, step, moment - step if in_vain else moment)


def gatherable() -> list[str]:
    """The kinds that may be told together."""
    return [kind.name for kind in registry.kinds() if kind.deadline is not None and kind.brief is not None]


def gather(row: Outbox, now: datetime) -> Merged | None:
    """Make one mail of this notice and all others due to the same person; None if there is nothing to put together.

    Senders that meet over one person wait for each other here. A notice whose sending has begun bears a message id and stays
    what it is; one that another sender holds is taken from him, and his next step finds that out.
    """
    assert row.user_id is not None
    others = Outbox.objects.filter(
        user_id=row.user_id, status=Status.QUEUED, message_id="", kind__in=gatherable(), due_at__lte=now
    )
    if not others.exclude(topic=row.topic).exists():
        return None
    with transaction.atomic():
        _lock(row.user_id)
        rows = [one for one in waiting(row.user_id).filter(due_at__lte=now) if one.pk == row.pk or _joins(one, now)]
        if row.pk not in {one.pk for one in rows} or len({one.topic for one in rows}) < 2:
            return None
        told_by = Outbox.objects.create(kind=SUMMARY, user_id=row.user_id, created_at=now, due_at=now)
        merge(rows, told_by.pk)
    return Merged(told_by.pk)


def waiting(user_id: int, kinds: Collection[str] | None = None) -> QuerySet[Outbox]:
    """The notices to a person that can still be told otherwise, locked for the caller's transaction."""
    names = gatherable() if kinds is None else kinds
    return Outbox.objects.select_for_update().filter(user_id=user_id, status=Status.QUEUED, message_id="", kind__in=names)


def merge(rows: list[Outbox], into: UUID) -> None:
    """Put down that these notices, with all they were to tell themselves, are told by another one."""
    Outbox.objects.filter(merged_into__in=[row.pk for row in rows], status=Status.MERGED).update(merged_into=into)
    Outbox.objects.filter(pk__in=[row.pk for row in rows], status=Status.QUEUED).update(
        status=Status.MERGED, merged_into=into, claimed_until=None
    )


def _told_once(row: Outbox, kind: registry.Kind, now: datetime) -> Merged | None:
    """Have one mail told of all that is due about the same subject: the newest; or none, if one has just told it."""
    if kind.subject is None or row.user_id is None:
        return None
    subject = kind.subject(row)
    if kind.again and (said := _said_lately(row, subject, now)) is not None:
        merge([row], said)
        return Merged(said)
    others = Outbox.objects.filter(
        user_id=row.user_id, topic=row.topic, status=Status.QUEUED, message_id="", kind__in=gatherable(), due_at__lte=now
    )
    if not others.exclude(pk=row.pk).exists():
        return None
    with transaction.atomic():
        _lock(row.user_id)
        rows = [
            one
            for one in waiting(row.user_id).filter(topic=row.topic, due_at__lte=now)
            if one.pk == row.pk or (_is_about(one, subject) and _goes(one, now))
        ]
        newest = max(rows, key=lambda one: (one.created_at, one.pk), default=row)
        if row.pk not in {one.pk for one in rows}:
            return None
        merge([one for one in rows if one.pk != newest.pk], newest.pk)
    return Merged(newest.pk) if newest.pk != row.pk else None


def _in_one_mail(row: Outbox, kind: registry.Kind, window: timedelta, now: datetime) -> Hold | Merged | None:
    """Have notices of one kind about one subject go as one mail once the window is over that the last such mail opened.

    The newest carries them; its renderer tells those that are merged into it as well.
    """
    if kind.subject is None or row.user_id is None or not window:
        return None
    subject = kind.subject(row)
    alike = Outbox.objects.filter(user_id=row.user_id, topic=row.topic, kind=kind.name)
    for mail in alike.filter(status=Status.SENT, sent_at__gt=now - window).order_by("-sent_at"):
        if mail.sent_at is not None and kind.subject(mail) == subject:
            if kind.acted is None or not kind.acted([mail], {mail.pk: mail.sent_at}):
                return Hold(mail.sent_at + window)
            break
    with transaction.atomic():
        _lock(row.user_id)
        found = waiting(row.user_id, [kind.name]).filter(topic=row.topic)
        # Also those that still wait for the end of the window: it may have been closed before that by an answer.
        rows = [one for one in found if one.pk == row.pk or kind.subject(one) == subject]
        if row.pk not in {one.pk for one in rows}:
            return None
        newest = max(rows, key=lambda one: (one.created_at, one.pk))
        if newest.pk != row.pk:
            # Itself the first to be looked at, it carries the others: the newest may be due later.
            Outbox.objects.filter(pk=newest.pk, status=Status.QUEUED).update(due_at=now)
        merge([one for one in rows if one.pk != newest.pk], newest.pk)
    return Merged(newest.pk) if newest.pk != row.pk else None


def _is_about(row: Outbox, subject: str) -> bool:
    kind = registry.find(row.kind)
    return kind is not None and kind.subject is not None and kind.subject(row) == subject


def _said_lately(row: Outbox, subject: str, now: datetime) -> UUID | None:
    """The mail that told the same subject a moment ago, after it had been held back."""
    assert row.user_id is not None
    lately = minutes(LATELY)
    mails = Outbox.objects.filter(user_id=row.user_id, status=Status.SENT, sent_at__gt=now - lately)
    sent = {mail.pk: mail.sent_at for mail in mails}
    if not sent:
        return None
    for one in Outbox.objects.filter(Q(pk__in=sent) | Q(merged_into__in=sent), topic=row.topic, created_at__lt=now - lately):
        carrier = one.merged_into or one.pk
        sent_at = sent.get(carrier)
        if sent_at is not None and sent_at - one.created_at > lately and _is_about(one, subject):
            return carrier
    return None


def _joins(row: Outbox, now: datetime) -> bool:
    return row.user_id is not None and wishes_of(row.user_id, row.topic).batch_minutes > 0 and _goes(row, now)


def _goes(row: Outbox, now: datetime) -> bool:
    """Whether a notice would go now, by itself or with others."""
    kind = registry.find(row.kind)
    if kind is None or kind.deadline is None or row.user_id is None:
        return False
    deadline = kind.deadline(row)
    wishes = wishes_of(row.user_id, row.topic)
    return (
        deadline is not None
        # The channels before its mail have their time when it is looked at itself.
        and (not channels.before_mail(row, wishes.channels) or row.handovers.exists())
        and not _waits_for_threshold(wishes, deadline, now)
        and not preferences.is_muted(row)
        and presence.wait_until(row, now) is None
    )


def _waits_for_threshold(wishes: Wishes, deadline: datetime, now: datetime) -> bool:
    return wishes.immediate_below is not None and deadline - now > minutes(60 * wishes.immediate_below)


def _window_ends(row: Outbox, now: datetime, window: timedelta) -> datetime | None:
    """When the batch window ends that a mail about something else has opened; None if it was answered, or there is none."""
    assert row.user is not None
    kinds = gatherable()
    recent = Outbox.objects.filter(
        user=row.user, status=Status.SENT, sent_at__gt=now - window, kind__in=[*kinds, SUMMARY]
    ).exclude(topic=row.topic)
    for mail in recent.order_by("-sent_at"):
        told = [mail] if mail.kind != SUMMARY else Outbox.objects.filter(merged_into=mail.pk)
        if mail.sent_at is not None and any(_still_holds(one) for one in told):
            return mail.sent_at + window
    return None


def _still_holds(row: Outbox) -> bool:
    kind = registry.find(row.kind)
    return kind is not None and kind.deadline is not None and kind.deadline(row) is not None


def _lock(user_id: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s::int, %s::int)", [_GATHER_LOCK, user_id % 2**31])
