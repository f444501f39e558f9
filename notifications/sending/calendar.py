"""Deadlines as calendar entries (RFC 5545): the file in a mail, and the feed at a secret address.

There is one entry per deadline, with a UID that never changes. When the deadline moves its SEQUENCE increases; when it is settled
it is CANCELLED, and it comes back under the same UID if it is asked again. A row stores what was last published, so a repetition
gives the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

import icalendar
from django.conf import settings
from django.db import transaction
from django.utils import timezone, translation
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _

from accounts.models import User
from gamesvc.database.asking import UNHURRIED, ask
from gamesvc.database.prepared import OneOf, Prepared
from notifications.models import CalendarEntry, CalendarFeed, Outbox
from notifications.registry import Attachment
from notifications.sending.mail import clean_line
from notifications.wanted import shared_reads

# For how long a cancelled entry stays in the feed, for calendars that rarely update.
CANCELLED_FOR = timedelta(days=14)
MOST_CANCELLED_IN_MAILS = 5
# Time before the deadline, for players who only look at the calendar.
ALARM = timedelta(hours=2)
KEPT = timedelta(days=90)
LONGEST_SUMMARY = 200
LONGEST_LINE = 1000
_ENTRIES = Prepared(lambda: CalendarEntry.objects.filter(user=OneOf("users", "bigint"), topic=OneOf("topics", "text")))


@dataclass(frozen=True)
class Deadline:
    """Something a user has to do until a moment. `subject` identifies it within the topic; it is not shown."""

    topic: str
    subject: str
    due_at: datetime
    summary: str
    description: str
    link: str


Source = Callable[[User], list[Deadline]]
_sources: list[Source] = []


def register_source(source: Source) -> None:
    """Register `source(user)`, which returns a user's open deadlines."""
    if source not in _sources:
        _sources.append(source)


def attachment(
    user: User, topic: str, deadlines: Sequence[Deadline], mailed: Mapping[str, int]
) -> tuple[Attachment | None, Mapping[str, int]]:
    """Return the file for a mail about a topic, and the SEQUENCE of each entry in it, by subject.

    It has the entries that have changed since they were `mailed`: new and moved deadlines, and those that are over.
    """
    known = shared_reads.for_all(_entries_of, (user.pk, topic), lambda: _entries([user.pk], [topic]).get((user.pk, topic), []))
    told = [(row, deadline) for row, deadline in _told(user, deadlines, known) if mailed.get(row.subject) != row.sequence]
    over = sorted((row for row, deadline in told if deadline is None and row.subject in mailed), key=lambda row: row.changed_at)
    changed: list[tuple[CalendarEntry, Deadline | None]] = [(row, deadline) for row, deadline in told if deadline is not None]
    changed += [(row, None) for row in over[-MOST_CANCELLED_IN_MAILS:]]
    content = _published(changed)
    if content is None:
        return None, {}
    sequences = {row.subject: row.sequence for row, _deadline in changed}
    return Attachment("deadline.ics", content, "text/calendar; method=PUBLISH"), sequences


def feed(user: User) -> str:
    """Return all open deadlines of a user, and recently cancelled ones, in the user's language."""
    with translation.override(user.language):
        deadlines = [deadline for source in _sources for deadline in source(user)]
        return (
            _published(_told(user, deadlines, list(CalendarEntry.objects.filter(user=user)))) or _calendar([]).to_ical().decode()
        )


# --- the secret address ---


def address(user: User) -> str | None:
    """Return the address of a user's feed; None if there is none."""
    row = CalendarFeed.objects.filter(user=user).first()
    return f"{str(settings.BASE_URL).rstrip('/')}/calendar/{_secret(row.pk)}.ics" if row is not None else None


def renew_address(user: User) -> str:
    """Give a user a new address. The old one stops working."""
    with transaction.atomic():
        User.lock(user.pk)
        CalendarFeed.objects.filter(user=user).delete()
        CalendarFeed.objects.create(user=user)
    found = address(user)
    assert found is not None
    return found


def withdraw_address(user: User) -> bool:
    """Remove the address: it stops working. Return True if there was one."""
    return bool(CalendarFeed.objects.filter(user=user).delete()[0])


def owner_of(secret: str) -> User | None:
    """Return the owner of a feed; None for an address that was not made here or was withdrawn."""
    try:
        identity = UUID(hex=secret[:32])
    except ValueError:
        return None
    for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        if constant_time_compare(secret, _secret(identity, str(key))):
            row = CalendarFeed.objects.select_related("user").filter(pk=identity, user__is_active=True).first()
            return row.user if row is not None else None
    return None


def _secret(identity: UUID, key: str | None = None) -> str:
    return identity.hex + salted_hmac("notifications.calendar", identity.hex, secret=key, algorithm="sha256").hexdigest()[:32]


# --- entries ---


def _entries_of(notices: Sequence[Outbox]) -> dict[tuple[int, str], list[CalendarEntry]]:
    wanted = {(row.user_id, row.topic) for row in notices if row.user_id is not None}
    found = _entries([user for user, _topic in wanted], [topic for _user, topic in wanted])
    return {one: found.get(one, []) for one in wanted}


def _entries(users: Sequence[int], topics: Sequence[str]) -> dict[tuple[int, str], list[CalendarEntry]]:
    found: dict[tuple[int, str], list[CalendarEntry]] = {}
    for row in _ENTRIES.rows(users=users, topics=topics):
        found.setdefault((row.user_id, row.topic), []).append(row)
    return found


def _told(
    user: User, deadlines: Iterable[Deadline], rows: Sequence[CalendarEntry]
) -> list[tuple[CalendarEntry, Deadline | None]]:
    """Store what is published now, and return it: each entry with its deadline, None for one that is over.

    `rows` are the entries as they were stored.
    """
    now = timezone.now()
    known = {(row.topic, row.subject): row for row in rows}
    told: list[tuple[CalendarEntry, Deadline | None]] = []
    changed: list[CalendarEntry] = []
    for deadline in deadlines:
        row = known.pop((deadline.topic, deadline.subject), None)
        if row is None:
            row = CalendarEntry(user=user, topic=deadline.topic, subject=deadline.subject, due_at=deadline.due_at, changed_at=now)
            changed.append(row)
        elif row.cancelled or row.due_at != deadline.due_at:
            row.due_at, row.cancelled, row.changed_at = deadline.due_at, False, now
            changed.append(row)
        told.append((row, deadline))
    for row in known.values():
        if not row.cancelled:
            row.cancelled, row.changed_at = True, now
            changed.append(row)
        if row.changed_at > now - CANCELLED_FOR:
            told.append((row, None))
    _store(changed)
    return told


# Of two mails at once that tell the same change, only the first counts it; both get the number. All store in one order, so that
# none of them locks what another one waits for.
_STORE = f"""
INSERT INTO notifications_calendar_entry AS e (user_id, topic, subject, due_at, cancelled, changed_at, sequence)
SELECT user_id, topic, subject, due_at, cancelled, changed_at, 0
  FROM unnest(%s::bigint[], %s::text[], %s::text[], %s::timestamptz[], %s::bool[], %s::timestamptz[])
    AS n(user_id, topic, subject, due_at, cancelled, changed_at)
  WHERE {UNHURRIED} ORDER BY topic, subject
ON CONFLICT (user_id, topic, subject) DO UPDATE SET due_at = excluded.due_at, cancelled = excluded.cancelled,
  changed_at = CASE WHEN e.due_at = excluded.due_at AND e.cancelled = excluded.cancelled THEN e.changed_at
    ELSE excluded.changed_at END,
  sequence = e.sequence + CASE WHEN e.due_at = excluded.due_at AND e.cancelled = excluded.cancelled THEN 0 ELSE 1 END
RETURNING topic, subject, id, sequence, changed_at
"""  # noqa: S608


def _store(rows: Collection[CalendarEntry]) -> None:
    """Store a user's changed entries, each once, which thereby get their next numbers."""
    if not rows:
        return
    values = [(row.user_id, row.topic, row.subject, row.due_at, row.cancelled, row.changed_at) for row in rows]
    stored = ask(_STORE, [list(column) for column in zip(*values, strict=True)]).fetchall()
    by_name = {(topic, subject): given for topic, subject, *given in stored}
    for row in rows:
        row.pk, row.sequence, row.changed_at = by_name[row.topic, row.subject]


def _published(told: Sequence[tuple[CalendarEntry, Deadline | None]]) -> str | None:
    return _calendar([_event(row, deadline) for row, deadline in told]).to_ical().decode() if told else None


def _calendar(events: Iterable[icalendar.Event]) -> icalendar.Calendar:
    made = icalendar.Calendar()
    made.add("prodid", f"-//{settings.MAIL_DOMAIN}//gamesvc//EN")
    made.add("version", "2.0")
    made.add("method", "PUBLISH")
    for event in events:
        made.add_component(event)
    return made


def _event(row: CalendarEntry, deadline: Deadline | None) -> icalendar.Event:
    """Return an event without duration, so that it occupies no time of the day."""
    event = icalendar.Event()
    event.add("uid", f"{_uid(row)}@{settings.MAIL_DOMAIN}")
    event.add("dtstamp", row.changed_at.astimezone(UTC))
    event.add("last-modified", row.changed_at.astimezone(UTC))
    event.add("sequence", row.sequence)
    event.add("dtstart", row.due_at.astimezone(UTC))
    event.add("transp", "TRANSPARENT")
    event.add("status", "CANCELLED" if deadline is None else "CONFIRMED")
    event.add("summary", clean_line(deadline.summary, LONGEST_SUMMARY) if deadline is not None else _("Done"))
    if deadline is not None:
        event.add("description", "\n".join(clean_line(line, LONGEST_LINE) for line in deadline.description.splitlines()))
        event.add("url", deadline.link)
        event.add_component(_alarm(deadline))
    return event


def _alarm(deadline: Deadline) -> icalendar.Alarm:
    alarm = icalendar.Alarm()
    alarm.add("action", "DISPLAY")
    alarm.add("description", clean_line(deadline.summary, LONGEST_SUMMARY))
    alarm.add("trigger", -ALARM)
    return alarm


def _uid(row: CalendarEntry) -> str:
    """Return the permanent UID of a user's deadline. It reveals nothing about the user."""
    what = f"{row.user_id}\n{row.topic}\n{row.subject}"
    return salted_hmac("notifications.calendar.uid", what, algorithm="sha256").hexdigest()[:32]
