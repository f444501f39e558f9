"""When a person is not to be asked: quiet hours each night, and vacations from a yearly budget.

Both are read in the person's own time zone. A vacation is promised as a span of moments when it is announced, so that a
later change of zone moves nothing. What a match does with them is its own policy: each change is kept with the vacation it
changes until the deadlines are moved, so that a process that dies in between leaves nobody with the old ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from accounts.models import Absence, AbsenceChange, User

# Quiet hours are for sleep and work, not for stopping the clocks; a match may honour fewer.
MOST_QUIET = timedelta(hours=12)
# How far ahead a vacation may be announced.
FURTHEST = timedelta(days=366)
# How far back what was said counts where it is heard later. To be away is to nobody's harm; to be back lets a clock run, so that
# a deadline could lie in the past: no longer than unread mail holds one back. Both lie within the day for which a change that
# cannot move its deadlines is tried again.
AWAY_SINCE = timedelta(hours=12)
BACK_SINCE = timedelta(minutes=10)


class Span(NamedTuple):
    """The moments from `start` up to, and without, `end`; both in UTC."""

    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class QuietHours:
    """The same hours every night, `start` to `end` (over midnight where `end` is the earlier one), in an IANA zone."""

    start: time
    end: time
    zone: str


def quiet_hours(user: User) -> QuietHours | None:
    """The quiet hours a person has set, in his own zone; None without any."""
    if user.quiet_from is None or user.quiet_until is None:
        return None
    return QuietHours(user.quiet_from, user.quiet_until, user.timezone)


def set_quiet_hours(*, user: User, start: time | None, end: time | None) -> None:
    """Set or (with None for both) end quiet hours. They count from the next deadline on. Raises `ValidationError`."""
    if (start is None) != (end is None):
        raise ValidationError("Quiet hours need a beginning and an end, such as 22:00 to 07:00.", code="bad_quiet_hours")
    if start is not None and end is not None:
        if start.tzinfo is not None or end.tzinfo is not None or start.second or end.second:
            raise ValidationError("Quiet hours are given in hours and minutes of your own time zone.", code="bad_quiet_hours")
        length = timedelta(hours=end.hour - start.hour, minutes=end.minute - start.minute) % timedelta(days=1)
        if not timedelta(0) < length <= MOST_QUIET:
            most = MOST_QUIET // timedelta(hours=1)
            raise ValidationError(f"Quiet hours may last up to {most} hours a day.", code="bad_quiet_hours")
    user.quiet_from, user.quiet_until = start, end
    user.save(update_fields=["quiet_from", "quiet_until"])


def away(user_id: int, since: datetime) -> list[Span]:
    """The vacations of a person that are not over at `since`, in order, none overlapping."""
    rows = Absence.objects.filter(user_id=user_id, ends_at__gt=since).order_by("starts_at")
    return [Span(row.starts_at, row.ends_at) for row in rows]


def away_now(user_ids: Iterable[int]) -> dict[int, datetime]:
    """Who of these is away at this moment, and until when."""
    now = timezone.now()
    rows = Absence.objects.filter(user_id__in=list(user_ids), starts_at__lte=now, ends_at__gt=now)
    return dict(rows.values_list("user_id", "ends_at"))


def absences_of(user: User, *, since: datetime | None = None) -> list[Absence]:
    """The vacations of a person that are not over, in order."""
    return list(Absence.objects.filter(user=user, ends_at__gt=since or timezone.now()).order_by("starts_at"))


def days_left(user: User, year: int) -> int:
    """How many vacation days of a year are not given away yet."""
    used = sum(days.get(year, 0) for days in map(_days, Absence.objects.filter(user=user)))
    return max(0, settings.VACATION_DAYS_PER_YEAR - used)


def next_away(user_ids: Iterable[int]) -> dict[int, Span]:
    """The next announced vacation, not begun yet, of each of these who has one."""
    rows = Absence.objects.filter(user_id__in=list(user_ids), starts_at__gt=timezone.now()).order_by("-starts_at")
    return {row.user_id: Span(row.starts_at, row.ends_at) for row in rows}


def announce(*, user: User, first: date, last: date, at: datetime | None = None) -> Absence:
    """Be away from `first` to `last`, whole days in one's own zone; from this moment where `first` is today.

    `at`: the moment it was said, where it is heard later (a mail), and counts from then.
    Raises `ValidationError`: in the past, too far ahead, overlapping another vacation, more than the budget of a year.
    """
    now = timezone.now()
    # One that has ended since does not come back.
    ended = Absence.objects.filter(user=user, ends_at__lte=now).aggregate(last=Max("ends_at"))["last"]
    now = _said(at, now, now - AWAY_SINCE, ended)
    today = now.astimezone(user.zone).date()
    if first < today or last < first:
        raise ValidationError(f"A vacation begins today ({today}) or later and ends no earlier than it begins.", code="bad_days")
    if last > today + FURTHEST:
        raise ValidationError(f"A vacation is announced at most {FURTHEST.days} days ahead.", code="too_far")
    starts, ends = _midnight(first, user.zone), _midnight(last + timedelta(days=1), user.zone)
    with transaction.atomic():
        User.objects.select_for_update().get(pk=user.pk)
        if Absence.objects.filter(user=user, starts_at__lt=ends, ends_at__gt=max(starts, now)).exists():
            raise ValidationError("You have announced a vacation on some of these days already.", code="overlaps")
        absence = Absence(
            user=user,
            first_day=first,
            last_day=last,
            zone=user.timezone,
            starts_at=max(starts, now),
            ends_at=ends,
            announced_at=now,
        )
        for year, days in _days(absence).items():
            if days > (left := days_left(user, year)):
                raise ValidationError(f"{days} days fall into {year}, and {left} of that year are left.", code="budget")
        absence.save()
        _changed(absence, now)
    return absence


def call_off(*, absence: Absence, at: datetime | None = None) -> Absence | None:
    """End a vacation: one that has not begun is struck out (None), one that runs ends now; the days begun stay used.

    `at`: the moment it was said, where it is heard later.
    """
    now = timezone.now()
    with transaction.atomic():
        absence = Absence.objects.select_for_update().get(pk=absence.pk)
        if absence.ends_at <= now:
            raise ValidationError("This vacation is over.", code="over")
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
    """What was announced or called off, of one person or of all, and has not moved its deadlines yet; the oldest first."""
    rows = AbsenceChange.objects.order_by("pk")
    return list(rows if user_id is None else rows.filter(user_id=user_id))


def forget(user: User) -> None:
    """What erasing a person takes away here."""
    Absence.objects.filter(user=user).delete()
    AbsenceChange.objects.filter(user=user).delete()
    user.quiet_from = user.quiet_until = None


def _said(at: datetime | None, now: datetime, earliest: datetime, after: datetime | None) -> datetime:
    """The moment something counts from that was said at `at` and is heard now."""
    if at is None:
        return now
    return min(now, max(at, earliest, after or earliest))


def _changed(absence: Absence, now: datetime) -> None:
    AbsenceChange.objects.create(user=absence.user, starts_at=absence.starts_at, ends_at=absence.ends_at, made_at=now)


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time(0), zone).astimezone(UTC)


def _days(absence: Absence) -> dict[int, int]:
    """How many of a vacation's days fall into each year."""
    found: dict[int, int] = {}
    for day in _each(absence.first_day, absence.last_day):
        found[day.year] = found.get(day.year, 0) + 1
    return found


def _each(first: date, last: date) -> Iterator[date]:
    for at in range((last - first).days + 1):
        yield first + timedelta(days=at)
