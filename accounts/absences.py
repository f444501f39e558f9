"""Absence of users: quiet hours each night, and vacations from a yearly budget.

Both are read in the user's own time zone, as it was when they were set, so a later change of zone moves nothing. A vacation is
stored as a span of moments when it is announced; quiet hours stay as they are for a week: nobody sleeps at whatever hour their
time runs out. Each match applies its own policy to them. A change is kept with its vacation until the deadlines are moved, so a
process that dies in between leaves no old deadlines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from accounts.models import Absence, AbsenceChange, User
from accounts.throttling import throttle
from gamesvc.errors import Refusal
from gamesvc.language import mark, say

# Quiet hours are for sleep and work, not for stopping the clocks. A match may honour fewer.
MOST_QUIET = timedelta(hours=12)
# So long quiet hours stay as they are set. Clocks read them again when a match goes back or a vacation changes: moved each time
# to the next hours, they would stop a clock for ever. Right after they were set a slip can be corrected.
KEPT_AS_SET = timedelta(days=7)
CORRECTED_WITHIN = timedelta(hours=1)
# How far ahead a vacation may be announced.
FURTHEST = timedelta(days=366)
# How often a day a vacation may be announced: each, and calling it off, moves the deadlines of all matches of its user.
ANNOUNCED_A_DAY = 20
# Limits for announcements that are read late. Being away harms nobody. Being back restarts a clock, so a deadline could lie in
# the past: no further than unread mail may delay one. Both limits lie within the day for which a change that cannot move its
# deadlines is tried again.
AWAY_SINCE = timedelta(hours=12)
BACK_SINCE = timedelta(minutes=10)


QUIET_FIELDS = ("quiet_from", "quiet_until", "quiet_zone", "quiet_since")


class AbsenceRefused(Refusal):
    """A vacation, or quiet hours, that cannot be as requested."""


class Span(NamedTuple):
    """The moments from `start` up to `end`, which is not included; both in UTC."""

    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class QuietHours:
    """The same hours every night, `start` to `end` (past midnight if `end` is the earlier one), in an IANA zone."""

    start: time
    end: time
    zone: str


def quiet_hours(user: User) -> QuietHours | None:
    """Return a user's quiet hours, in the zone in which they were set; None if there are none."""
    if user.quiet_from is None or user.quiet_until is None:
        return None
    return QuietHours(user.quiet_from, user.quiet_until, user.quiet_zone or user.timezone)


def set_quiet_hours(*, user: User, start: time | None, end: time | None) -> None:
    """Set quiet hours, or end them with None for both. They apply from the next deadline on. Raises `AbsenceRefused`.

    They may be ended at any time, and set to others once a week.
    """
    if (start is None) != (end is None):
        raise AbsenceRefused("bad_quiet_hours", say("Quiet hours need a start and an end, such as 22:00 to 07:00."), "start")
    with transaction.atomic():
        User.lock(user.pk)
        row = User.objects.get(pk=user.pk)
        if start is not None and end is not None:
            _check_night(start, end)
            wanted = QuietHours(start, end, row.timezone)
            if wanted == quiet_hours(row):
                return
            _begin_quiet_hours(row, timezone.now())
            row.quiet_zone = wanted.zone
        row.quiet_from, row.quiet_until = start, end
        row.save(update_fields=QUIET_FIELDS)
    for name in QUIET_FIELDS:
        setattr(user, name, getattr(row, name))


def _check_night(start: time, end: time) -> None:
    if start.tzinfo is not None or end.tzinfo is not None or start.second or end.second:
        raise AbsenceRefused("bad_quiet_hours", say("Quiet hours are given in hours and minutes of your own time zone."), "start")
    length = timedelta(hours=end.hour - start.hour, minutes=end.minute - start.minute) % timedelta(days=1)
    if not timedelta(0) < length <= MOST_QUIET:
        most = MOST_QUIET // timedelta(hours=1)
        raise AbsenceRefused("bad_quiet_hours", say("Quiet hours may last up to {most} hours a day.", most=most), "start")


def _begin_quiet_hours(user: User, now: datetime) -> None:
    """Record from when on new quiet hours count. Raises `AbsenceRefused` if those before are less than a week old."""
    since = user.quiet_since
    if since is not None and now < since + CORRECTED_WITHIN:
        return
    if since is not None and now < since + KEPT_AS_SET:
        again = f"{(since + KEPT_AS_SET).astimezone(user.zone):%d %b %Y %H:%M}"
        raise AbsenceRefused(
            "quiet_hours_stay",
            say(
                "Quiet hours can be changed once in {days} days. Set new ones from {again} on, or end them now.",
                days=KEPT_AS_SET.days,
                again=again,
            ),
            "start",
        )
    user.quiet_since = now


def away(user_id: int, since: datetime) -> list[Span]:
    """Return the vacations of a user that are not over at `since`, in order and without overlaps."""
    rows = Absence.objects.filter(user_id=user_id, ends_at__gt=since).order_by("starts_at")
    return [Span(row.starts_at, row.ends_at) for row in rows]


def away_now(user_ids: Iterable[int]) -> dict[int, datetime]:
    """Return the users among these who are away now, each with the end of the vacation."""
    now = timezone.now()
    rows = Absence.objects.filter(user_id__in=list(user_ids), starts_at__lte=now, ends_at__gt=now)
    return dict(rows.values_list("user_id", "ends_at"))


def absences_of(user: User, *, since: datetime | None = None) -> list[Absence]:
    """Return the vacations of a user that are not over, in order."""
    return list(Absence.objects.filter(user=user, ends_at__gt=since or timezone.now()).order_by("starts_at"))


def days_left(user: User, year: int) -> int:
    """Return how many vacation days of a year a user has left."""
    used = sum(days.get(year, 0) for days in map(_days, Absence.objects.filter(user=user)))
    return max(0, settings.VACATION_DAYS_PER_YEAR - used)


def next_away(user_ids: Iterable[int]) -> dict[int, Span]:
    """Return the next vacation of each of these users that has not begun yet. Users without one are missing."""
    rows = Absence.objects.filter(user_id__in=list(user_ids), starts_at__gt=timezone.now()).order_by("-starts_at")
    return {row.user_id: Span(row.starts_at, row.ends_at) for row in rows}


def announce(*, user: User, first: date, last: date, at: datetime | None = None) -> Absence:
    """Announce a vacation from `first` to `last`, whole days in the user's zone; if `first` is today, it begins now.

    `at`: the moment of the announcement if it is read later (a mail); it counts from then. Raises `AbsenceRefused` if it is in
    the past, too far ahead, overlaps another vacation, exceeds the budget of a year, or is one of too many today.
    """
    now = timezone.now()
    # A vacation that has ended since must not come back.
    ended = Absence.objects.filter(user=user, ends_at__lte=now).aggregate(last=Max("ends_at"))["last"]
    now = _said(at, now, now - AWAY_SINCE, ended)
    today = now.astimezone(user.zone).date()
    if first < today or last < first:
        wrong = say("A vacation must start today ({today}) or later, and cannot end before it starts.", today=today)
        raise AbsenceRefused("bad_days", wrong, "first")
    if last > today + FURTHEST:
        raise AbsenceRefused(
            "too_far", say("A vacation can be announced at most {days} days ahead.", days=FURTHEST.days), "first"
        )
    if throttle(f"vacations {user.pk}", ANNOUNCED_A_DAY, 86_400):
        raise AbsenceRefused(
            "too_many",
            say("You can announce {most} vacations a day. Try again tomorrow.", most=ANNOUNCED_A_DAY),
        )
    starts, ends = _midnight(first, user.zone), _midnight(last + timedelta(days=1), user.zone)
    with transaction.atomic():
        User.lock(user.pk)
        if Absence.objects.filter(user=user, starts_at__lt=ends, ends_at__gt=max(starts, now)).exists():
            raise AbsenceRefused("overlaps", say("You have already announced a vacation on some of these days."), "first")
        absence = Absence(
            user=user,
            first_day=first,
            last_day=last,
            zone=user.timezone,
            starts_at=max(starts, now),
            ends_at=ends,
            announced_at=now,
        )
        _check_budget(absence)
        absence.save()
        _changed(absence, now)
    return absence


def _check_budget(absence: Absence) -> None:
    for year, days in _days(absence).items():
        if days > (left := days_left(absence.user, year)):
            needs = mark("This vacation needs {days} of your vacation days of {year}, and you have {left} left.")
            raise AbsenceRefused("budget", say(needs, days=days, year=year, left=left), "first")


def call_off(*, absence: Absence, at: datetime | None = None) -> Absence | None:
    """Cancel a vacation. Return None if it had not begun; otherwise it ends now, and the days begun count as used.

    `at`: the moment of the cancellation if it is read later.
    """
    now = timezone.now()
    with transaction.atomic():
        found = Absence.objects.select_for_update().filter(pk=absence.pk).first()
        if found is None or found.ends_at <= now:  # a second click may find it gone
            raise AbsenceRefused("over", say("This vacation is over."))
        absence = found
        now = _said(at, now, now - BACK_SINCE, absence.announced_at)
        _changed(absence, now)
        if absence.starts_at > now:
            absence.delete()
            return None
        absence.ends_at = now
        absence.last_day = max(absence.first_day, now.astimezone(ZoneInfo(absence.zone)).date())
        absence.save(update_fields=["ends_at", "last_day"])
    return absence


def changes(user_id: int | None = None) -> list[AbsenceChange]:
    """Return vacations announced or cancelled, of one user or of all, that have not moved their deadlines yet; oldest first."""
    rows = AbsenceChange.objects.order_by("pk")
    return list(rows if user_id is None else rows.filter(user_id=user_id))


def forget(user: User) -> None:
    """Delete a user's absences, for an erasure."""
    Absence.objects.filter(user=user).delete()
    AbsenceChange.objects.filter(user=user).delete()
    user.quiet_from = user.quiet_until = user.quiet_since = None
    user.quiet_zone = ""


def _said(at: datetime | None, now: datetime, earliest: datetime, after: datetime | None) -> datetime:
    """Return the moment from which an announcement counts that was made at `at` and is read now."""
    if at is None:
        return now
    return min(now, max(at, earliest, after or earliest))


def _changed(absence: Absence, now: datetime) -> None:
    AbsenceChange.objects.create(user=absence.user, starts_at=absence.starts_at, ends_at=absence.ends_at, made_at=now)


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time(0), zone).astimezone(UTC)


def _days(absence: Absence) -> dict[int, int]:
    """Return how many of a vacation's days fall into each year."""
    found: dict[int, int] = {}
    for day in _each(absence.first_day, absence.last_day):
        found[day.year] = found.get(day.year, 0) + 1
    return found


def _each(first: date, last: date) -> Iterator[date]:
    for at in range((last - first).days + 1):
        yield first + timedelta(days=at)
