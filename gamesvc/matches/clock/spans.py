"""Spans of time that do not count, and the time that counts between and across them.

All moments are aware and in UTC. Local times are read in IANA zones, so a night is a night on both sides of a change to
daylight-saving time. A local time that the change skips is moved past the change by the same amount.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

import holidays

from gamesvc.errors import GamesvcError

DAY = timedelta(days=1)
SECOND = timedelta(seconds=1)
# A deadline further away than this counts as none: the policy leaves no time to act.
FURTHEST = timedelta(days=5 * 366)


class Span(NamedTuple):
    """The moments from `start` up to `end`, which is not included."""

    start: datetime
    end: datetime


Calendar = Callable[[datetime, datetime], Iterable[Span]]
"""The spans that do not count between two moments, in any order. They may reach beyond both."""


class NoTime(GamesvcError):
    """Nearly all time is excluded, so no deadline can be found."""


def moment(day: date, at: time, zone: ZoneInfo) -> datetime:
    """Return a local time of a day in UTC. Of two equal local times it takes the first."""
    return datetime.combine(day, at, zone).astimezone(UTC)


def local_days(zone: ZoneInfo, since: datetime, until: datetime) -> Iterator[date]:
    """Yield the local dates in a zone between two moments, starting one day early."""
    day = since.astimezone(zone).date() - DAY
    last = until.astimezone(zone).date()
    while day <= last:
        yield day
        day += DAY


def nightly(start: time, end: time, zone: ZoneInfo, cap: timedelta, since: datetime, until: datetime) -> Iterator[Span]:
    """Yield the same hours of every day, past midnight if `end` is not after `start`. Each span lasts at most `cap`."""
    for day in local_days(zone, since, until):
        begins = moment(day, start, zone)
        ends = min(moment(day if end > start else day + DAY, end, zone), begins + cap)
        if begins < ends:
            yield Span(begins, ends)


def whole_days(wanted: Callable[[date], bool], zone: ZoneInfo, since: datetime, until: datetime) -> Iterator[Span]:
    """Yield the wanted days, from midnight to midnight of the zone."""
    for day in local_days(zone, since, until):
        if wanted(day):
            yield Span(moment(day, time(0), zone), moment(day + DAY, time(0), zone))


def merged(spans: Iterable[Span], since: datetime, until: datetime) -> list[Span]:
    """Return the spans that touch the time between two moments, in order, with touching or overlapping ones joined."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if start >= end or end <= since or start > until:
            continue
        if found and start <= found[-1].end:
            found[-1] = Span(found[-1].start, max(found[-1].end, end))
        else:
            found.append(Span(start, end))
    return found


def counted(since: datetime, until: datetime, spans: Iterable[Span]) -> timedelta:
    """Return how much time counts between two moments. `spans` must be merged."""
    if until <= since:
        return timedelta(0)
    lost = sum((max(min(end, until) - max(start, since), timedelta(0)) for start, end in spans), timedelta(0))
    return until - since - lost


def advance(since: datetime, left: timedelta, calendar: Calendar) -> tuple[datetime, tuple[Span, ...]]:
    """Return the moment at which `left` has been counted, and the excluded spans up to it.

    The moment is never within a span: if the time runs out as a span begins, it is the end of that span. Raises `NoTime`.
    """
    reach = 2 * left + 10 * DAY
    while True:
        horizon = since + reach
        spans = merged(calendar(since, horizon), since, horizon)
        at, rest, passed = since, left, 0
        for start, end in spans:
            if start - at > rest:
                break
            rest -= max(start - at, timedelta(0))
            at = max(at, end)
            passed += 1
        if at + rest < horizon:
            return at + rest, tuple(spans[:passed])
        if reach > FURTHEST:
            raise NoTime
        reach *= 4


def next_fixed(
    times: Iterable[time], wanted: Callable[[date], bool], zone: ZoneInfo, after: datetime, furthest: timedelta = FURTHEST
) -> datetime:
    """Return the first of the given local times on a wanted day that is not before `after`. Raises `NoTime`."""
    for day in local_days(zone, after, after + furthest):
        if wanted(day):
            found = [at for at in (moment(day, one, zone) for one in times) if at >= after]
            if found:
                return min(found)
    raise NoTime


@functools.cache
def holiday_places() -> dict[str, tuple[str, ...]]:
    """Return the countries with a holiday list, each with the regions that have their own."""
    return {country: tuple(parts) for country, parts in holidays.list_supported_countries().items()}


@functools.lru_cache(256)
def holidays_of(place: str, year: int) -> frozenset[date]:
    """Return the public holidays of a country (`DE`) or a region (`DE-BY`) in a year, from the pinned library."""
    country, _, part = place.partition("-")
    return frozenset(holidays.country_holidays(country, subdiv=part or None, years=year))
