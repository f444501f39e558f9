"""The time of a notice: presence, the threshold of the digest, and the batch window that combines several into one mail.

Kinds with a deadline (`Kind.deadline`) are held back or gathered. Of the others, those with a subject gather with their like
(messages of several players to the same receivers), and all else goes at once. A mail opens the window, and its receiver's answer
closes it: so quick players get each turn at once, and absent ones get one mail for all that gathered. Of several notices about
one thing only the newest goes, with or without a window. Where questions are asked and withdrawn again and again, the next
one waits: nobody can make the service write to another endlessly.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from gamesvc.database.prepared import Given, OneOf, Prepared
from notifications import channels, registry
from notifications.models import Outbox, Status
from notifications.wanted import carrying, preferences, presence, shared_reads
from notifications.wanted.wishes import Wishes, minutes, wishes_of

SUMMARY = "summary"
# A deadline may move while a notice waits for its threshold.
LOOK_AGAIN = timedelta(minutes=15)
# Minutes after a held-back mail was sent in which a reminder would only repeat it.
LATELY = 10
MOST_GATHERED = 100
"""Notices looked at for one mail: the mails of all others wait meanwhile, and a week without a mail server leaves thousands."""
# After so many mails of a topic within an hour about questions that were gone before their receiver acted, the next one waits.
MOST_IN_VAIN = 3
IN_VAIN_WITHIN = timedelta(hours=1)
# It waits at most this part of the time that its receiver has to act: the question may stand this time.
IN_VAIN_SHARE = 10
# How far back the mails are read that the notices of a batch share, with a second to spare.
_SHARED = IN_VAIN_WITHIN + timedelta(seconds=2)
# So much may the clock of another machine be ahead.
_AHEAD = timedelta(minutes=1)
_DUE_BESIDE = Prepared(
    lambda: (
        Outbox.objects.filter(
            user=Given("user", "bigint"),
            status=Status.QUEUED,
            message_id="",
            kind=OneOf("kinds", "text"),
            due_at__lte=Given("now", "timestamptz"),
        )
        .exclude(topic=Given("topic", "text"))
        .values_list("pk")[:1]
    )
)
_SENT_TO = Prepared(
    lambda: Outbox.objects.filter(
        user=OneOf("users", "bigint"), status=Status.SENT, sent_at__gt=Given("since", "timestamptz")
    ).order_by("-sent_at")
)
_MERGED = Prepared(
    lambda: Outbox.objects.filter(merged_into=OneOf("mails", "uuid"), topic=Given("topic", "text"), kind=OneOf("kinds", "text"))
)


@dataclass(frozen=True)
class Hold:
    """The notice waits; nothing of it was sent."""

    until: datetime


@dataclass(frozen=True)
class Merged:
    """Another, queued mail includes the notice."""

    into: UUID


def look(row: Outbox, kind: registry.Kind, *, takes_summaries: Callable[[], bool]) -> Hold | Merged | None:
    """Return what to do with a claimed notice that was never tried; None: write and send it.

    `takes_summaries` returns False while mails of several notices to its receiver are stopped.
    """
    if row.user_id is None or row.message_id:
        return None
    now = timezone.now()
    if row.topic:
        if (mail := carrying.carrier(row, now)) is not None:
            _begin_channels([row], now)
            return Merged(mail)
        if (until := carrying.awaited_until(row, now)) is not None:
            return Hold(until)
        _begin_channels(carrying.take_along(row, kind), now)
    if kind.essential and kind.urgent is None:
        return None
    wishes = wishes_of(row.user_id, row.topic)
    if kind.urgent is not None:
        return _in_one_mail(row, kind, minutes(wishes.receipt_minutes), now)
    if (until := channels.plan(row, wishes.channels, minutes(wishes.channel_minutes), now)) is not None:
        return Hold(until)
    if kind.deadline is None:
        return _in_one_mail(row, kind, minutes(wishes.batch_minutes), now)
    if (until := presence.wait_until(row, now)) is not None:
        return Hold(until)
    deadline = kind.deadline(row)
    if deadline is None:
        return None  # it is obsolete, and its renderer will say so
    if _waits_for_threshold(wishes, deadline, now):
        return Hold(min(deadline - minutes(60 * (wishes.immediate_below or 0)), now + LOOK_AGAIN))
    if (told := _told_once(row, kind, now)) is not None:
        return told
    if not kind.again and (until := _in_vain_until(row, now)) is not None:
        until = min(until, _at_latest(row, deadline))
        if until > now:
            return Hold(until)
    window = minutes(wishes.batch_minutes)
    # A user who wants or gets no combined mails gets each notice separately.
    if not window or deadline - now <= window or preferences.refuses(row.user_id, SUMMARY) or not takes_summaries():
        return None
    end = _window_ends(row, now, window)
    return Hold(end) if end is not None else gather(row, now)


def _begin_channels(carried: Collection[Outbox], now: datetime) -> None:
    """Schedule the channels before mail for notices that another mail carries: they wait no longer for its answer."""
    for row in carried:
        if row.user_id is not None:
            wishes = wishes_of(row.user_id, row.topic)
            channels.plan(row, wishes.channels, minutes(wishes.channel_minutes), now)


def settled(row: Outbox, status: Status, *, holds: bool = True) -> None:
    """Schedule the channels after a mail that was sent or will not be, in the same transaction.

    If the mail was not sent, they may try at once. A dropped or failed mail releases the notices it was to include, but a failed
    one of several matches, which would only gather them again; an obsolete notice (not `holds`), as its renderer reported, is
    sent by no channel at all.
    """
    now = timezone.now()
    if status in (Status.DROPPED, Status.FAILED) and _gives_back(row, status):
        given_back = {"status": Status.QUEUED, "merged_into": None, "due_at": now}
        Outbox.objects.filter(merged_into=row.pk, status=Status.MERGED).update(**given_back)
    if holds:
        _follow(row, status, now)
    else:
        channels.withdraw(row)


def _gives_back(row: Outbox, status: Status) -> bool:
    kind = registry.find(row.kind)
    return kind is not None and bool(kind.subject is not None or kind.carries or (kind.part and status == Status.DROPPED))


def waits_for_server(row: Outbox) -> None:
    """Schedule the channels after a mail that could not be sent yet, counted from when it was due."""
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
        # If nothing is asked for, a delivered notice needs nothing more.
        if kind is None or kind.essential or (status == Status.SENT and kind.deadline is None) or preferences.is_muted(told):
            continue
        if kind.deadline is not None and kind.subject is not None:
            about = (told.topic, kind.subject(told))
            if about in told_of:
                continue  # the newest replaces the others, as in the mail
            told_of.add(about)
        channels.follow(told, wishes.channels, step, moment - step if in_vain else moment)


def gatherable() -> list[str]:
    """Return the kinds that may be combined."""
    return [kind.name for kind in registry.kinds() if kind.deadline is not None and kind.brief is not None]


def gather(row: Outbox, now: datetime) -> Merged | None:
    """Make one mail of this notice and the others due to the same user; None if there is nothing to combine.

    Of very many the newest are looked at, and the others wait for the window that their mail opens. Concurrent senders for one
    user wait for each other here. A notice whose sending has begun has a message id and stays as it is; one that another sender
    holds is taken away, which that sender notices at the next step.
    """
    assert row.user_id is not None
    if not _DUE_BESIDE.values(user=row.user_id, topic=row.topic, kinds=gatherable(), now=now):
        return None
    with transaction.atomic():
        carrying.lock(row.user_id)
        due = waiting(row.user_id).filter(due_at__lte=now)
        others = list(due.exclude(pk=row.pk).order_by("-created_at", "-pk")[: MOST_GATHERED - 1])
        rows = [*due.filter(pk=row.pk), *(one for one in others if _joins(one, now))]
        if row.pk not in {one.pk for one in rows} or len({one.topic for one in rows}) < 2:
            return None
        told_by = Outbox.objects.create(kind=SUMMARY, user_id=row.user_id, created_at=now, due_at=now)
        carrying.merge([one.pk for one in rows], told_by.pk)
        if len(others) == MOST_GATHERED - 1:
            later = now + min(LOOK_AGAIN, minutes(wishes_of(row.user_id, row.topic).batch_minutes))
            due.exclude(pk__in=[one.pk for one in others]).update(due_at=later, claimed_until=None)
    return Merged(told_by.pk)


def waiting(user_id: int, kinds: Collection[str] | None = None) -> QuerySet[Outbox]:
    """Return the notices to a user that can still be combined, locked for the caller's transaction."""
    names = gatherable() if kinds is None else kinds
    return Outbox.objects.select_for_update().filter(user_id=user_id, status=Status.QUEUED, message_id="", kind__in=names)


def _told_once(row: Outbox, kind: registry.Kind, now: datetime) -> Merged | None:
    """Let one mail, the newest, cover everything due about the same subject; or none, if one has just done so."""
    if kind.subject is None or row.user_id is None:
        return None
    subject = kind.subject(row)
    if kind.again and (said := _said_lately(row, subject, now)) is not None:
        carrying.merge([row.pk], said)
        return Merged(said)
    names, others = gatherable(), [one for one in carrying.unsent(row.user_id, row.topic) if one.pk != row.pk]
    if not any(one.kind in names and one.due_at <= now for one in others):
        return None
    with transaction.atomic():
        carrying.lock(row.user_id)
        rows = [
            one
            for one in waiting(row.user_id).filter(topic=row.topic, due_at__lte=now)
            if one.pk == row.pk or (_is_about(one, subject) and _goes(one, now))
        ]
        newest = max(rows, key=lambda one: (one.created_at, one.pk), default=row)
        if row.pk not in {one.pk for one in rows}:
            return None
        carrying.merge([one.pk for one in rows if one.pk != newest.pk], newest.pk)
    return Merged(newest.pk) if newest.pk != row.pk else None


def _in_one_mail(row: Outbox, kind: registry.Kind, window: timedelta, now: datetime) -> Hold | Merged | None:
    """Send notices of one kind about one subject as one mail, after the window that the last such mail opened.

    The newest contains them; its renderer includes the notices merged into it.
    """
    if kind.subject is None or row.user_id is None or not window:
        return None
    subject = kind.subject(row)
    goes = kind.urgent is not None and any(_is_urgent(one) for one in [row, *carrying.carried(row)])
    for mail in () if goes else sent_since(row.user_id, now - window):
        if (mail.topic, mail.kind) == (row.topic, kind.name) and mail.sent_at is not None and kind.subject(mail) == subject:
            if kind.acted is None or not kind.acted([mail], {mail.pk: mail.sent_at}):
                return Hold(mail.sent_at + window)
            break
    beside = [one for one in carrying.unsent(row.user_id, row.topic) if one.pk != row.pk]
    if not any(one.kind == kind.name and kind.subject(one) == subject for one in beside):
        return None
    with transaction.atomic():
        carrying.lock(row.user_id)
        found = waiting(row.user_id, [kind.name]).filter(topic=row.topic)
        # Including those that still wait for the end of the window: an answer may have closed it before that.
        rows = [one for one in found if one.pk == row.pk or kind.subject(one) == subject]
        if row.pk not in {one.pk for one in rows}:
            return None
        newest = max(rows, key=lambda one: (one.created_at, one.pk))
        if newest.pk != row.pk:
            # If it is the first to be looked at, it includes the others: the newest may be due later, or just being written.
            carrying.hurry(newest, now)
        carrying.merge([one.pk for one in rows if one.pk != newest.pk], newest.pk)
    return Merged(newest.pk) if newest.pk != row.pk else None


def sent_since(user_id: int, since: datetime) -> list[Outbox]:
    """Return the mails that a user got after a moment, newest first.

    None of the future: after a clock was set back, the mails sent before would keep later ones waiting until it has caught up.
    """
    now = timezone.now()
    if since < now - _SHARED:
        mails = _sent_to([user_id], since)[user_id]
    else:
        mails = shared_reads.for_all(_lately_sent, user_id, lambda: _sent_to([user_id], now - _SHARED)[user_id])
    return [mail for mail in mails if mail.sent_at is not None and since < mail.sent_at < now + _AHEAD]


def _lately_sent(rows: Sequence[Outbox]) -> dict[int, list[Outbox]]:
    return _sent_to([row.user_id for row in rows if row.user_id is not None], timezone.now() - _SHARED)


def _sent_to(users: Sequence[int], since: datetime) -> dict[int, list[Outbox]]:
    found: dict[int, list[Outbox]] = {user: [] for user in users}
    for mail in _SENT_TO.rows(users=list(found), since=since):
        if mail.user_id is not None:
            found[mail.user_id].append(mail)
    return found


def sent_more(rows: Collection[Outbox]) -> None:
    """Note mails that were sent, the last one last, for the other notices of the batch."""
    known = shared_reads.known(_lately_sent) or {}
    for row in rows:
        if row.user_id in known:
            known[row.user_id].insert(0, row)


def _is_urgent(row: Outbox) -> bool:
    """Return True if a notice is not to wait for others. What a gathering mail carries besides its like is news."""
    kind = registry.find(row.kind)
    return kind is None or kind.urgent is None or kind.urgent(row)


def _is_about(row: Outbox, subject: str) -> bool:
    kind = registry.find(row.kind)
    return kind is not None and kind.subject is not None and kind.subject(row) == subject


def _said_lately(row: Outbox, subject: str, now: datetime) -> UUID | None:
    """Return the mail that covered the same subject a moment ago, after it had been held back."""
    assert row.user_id is not None
    lately = minutes(LATELY)
    sent = {mail.pk: mail.sent_at for mail in sent_since(row.user_id, now - lately)}
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
    """Return True if a notice would go now, alone or with others."""
    kind = registry.find(row.kind)
    if kind is None or kind.deadline is None or row.user_id is None:
        return False
    deadline = kind.deadline(row)
    wishes = wishes_of(row.user_id, row.topic)
    return (
        deadline is not None
        # The channels before its mail are scheduled when it is looked at itself.
        and (not channels.before_mail(row, wishes.channels) or row.handovers.exists())
        and not _waits_for_threshold(wishes, deadline, now)
        and not preferences.is_muted(row)
        and presence.wait_until(row, now) is None
    )


def _waits_for_threshold(wishes: Wishes, deadline: datetime, now: datetime) -> bool:
    return wishes.immediate_below is not None and deadline - now > minutes(60 * wishes.immediate_below)


def _window_ends(row: Outbox, now: datetime, window: timedelta) -> datetime | None:
    """Return the end of the batch window opened by a mail about something else; None if it was answered, or there is none."""
    assert row.user is not None
    kinds = [*gatherable(), SUMMARY]
    for mail in sent_since(row.user.pk, now - window):
        if mail.kind not in kinds or mail.topic == row.topic:
            continue
        told = [mail] if mail.kind != SUMMARY else Outbox.objects.filter(merged_into=mail.pk)
        if mail.sent_at is not None and any(_still_holds(one) for one in told):
            return mail.sent_at + window
    return None


def _in_vain_until(row: Outbox, now: datetime) -> datetime | None:
    """Return until when the receiver has been mailed too often in this topic about questions that were withdrawn."""
    if row.user_id is None:
        return None
    mails = [mail for mail in sent_since(row.user_id, now - IN_VAIN_WITHIN) if mail.sent_at is not None]
    if len(mails) < MOST_IN_VAIN:
        return None
    gone = 0
    for sent_at, told in _told_in(mails, row.topic):
        kind = registry.find(told.kind)
        if _still_holds(told) or kind is None or kind.acted is None:
            continue
        if kind.acted([told], {told.pk: sent_at}):
            return None
        gone += 1
        if gone == MOST_IN_VAIN:
            return sent_at + IN_VAIN_WITHIN
    return None


def _told_in(mails: Sequence[Outbox], topic: str) -> Iterator[tuple[datetime, Outbox]]:
    """Yield for each of these mails when it was sent and the newest notice of a topic in it, if any. Reads a few at a time."""
    names = gatherable()
    for start in range(0, len(mails), MOST_IN_VAIN):
        few = mails[start : start + MOST_IN_VAIN]
        merged = _MERGED.rows(mails=[mail.pk for mail in few], topic=topic, kinds=names)
        own = (mail for mail in few if mail.topic == topic and mail.kind in names)
        about = sorted([*own, *merged], key=lambda one: (one.created_at, one.pk))
        told = {one.merged_into or one.pk: one for one in about}
        for mail in few:
            if mail.pk in told and mail.sent_at is not None:
                yield mail.sent_at, told[mail.pk]


def _at_latest(row: Outbox, deadline: datetime) -> datetime:
    """Return when a tenth of the time to act on a notice is over: it waits no longer than that, whatever went before it."""
    return row.created_at + (deadline - row.created_at) / IN_VAIN_SHARE


def _still_holds(row: Outbox) -> bool:
    kind = registry.find(row.kind)
    return kind is not None and kind.deadline is not None and kind.deadline(row) is not None
