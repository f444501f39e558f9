"""The archive for programs: finished matches that everyone may look at, in the order of their ends, and their results.

A cursor is the place of a match in this order. A client that keeps the last one goes on after it, however much later.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db.models import Prefetch, Q, prefetch_related_objects
from django.utils import timezone

from gamesvc.json_types import JsonObject
from gamesvc.matches.access import selectors
from gamesvc.matches.models import Match, Seat
from gamesvc.matches.reading import lists
from gamesvc.matches.statistics import leaderboards
from gamesvc.matches.statistics.leaderboards import Change

SETTLED = timedelta(minutes=1)
"""Matches are shown this long after their end. An end that is written later than one after it would be missed."""
CURSOR = "^[0-9]{1,17}-[0-9]{1,17}$"
"""A cursor as text: microseconds and number."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Cursor:
    """A place in the archive: right behind the match with this end and number."""

    ended_at: datetime
    number: int

    @classmethod
    def parse(cls, text: str) -> Cursor | None:
        """Return the cursor that `str` wrote; None for any other text."""
        if not re.fullmatch(CURSOR, text):
            return None
        microseconds, number = (int(part) for part in text.split("-"))
        return cls(_EPOCH + timedelta(microseconds=microseconds), number)

    @classmethod
    def of(cls, match: Match) -> Cursor:
        """Return the cursor behind a match that is over."""
        assert match.ended_at is not None
        return cls(match.ended_at, match.number)

    def __str__(self) -> str:
        return f"{(self.ended_at - _EPOCH) // timedelta(microseconds=1)}-{self.number}"


def after(cursor: Cursor | None, *, game: str | None, most: int) -> list[Match]:
    """Return the next matches of the archive, of all games or of one, those that ended first before the others."""
    found = lists.archived(None).filter(ended_at__lte=timezone.now() - SETTLED).order_by("ended_at", "number")
    if game is not None:
        found = found.filter(game=game)
    if cursor is not None:
        # The first condition is a range of the index, which the comparison of two columns would not be.
        behind = Q(ended_at__gt=cursor.ended_at) | Q(number__gt=cursor.number)
        found = found.filter(behind, ended_at__gte=cursor.ended_at)
    return list(found[:most])


def together(matches: Sequence[Match], events: int) -> list[Match]:
    """Return the first of these matches with at most so many events together; always one, if there is any."""
    totals = itertools.accumulate(match.version for match in matches)
    return [match for at, (match, total) in enumerate(zip(matches, totals, strict=True)) if total <= events or at == 0]


def results(matches: Sequence[Match]) -> Iterator[JsonObject]:
    """Yield the result of each match, in a fixed number of queries."""
    prefetch_related_objects(list(matches), Prefetch("seats", Seat.objects.select_related("user").order_by("index")))
    changes = leaderboards.changes(matches)
    for match in matches:
        yield _result(match, changes.get(match.pk, {}))


def _result(match: Match, changes: dict[int, Change]) -> JsonObject:
    seats = tuple(match.seats.all())
    for seat in seats:
        seat.match = match
    names = selectors.seat_names(seats)
    return {
        "cursor": str(Cursor.of(match)),
        "match": str(match.id),
        "number": match.number,
        "game": match.game,
        "rules": match.rules,
        "options": match.options,
        "seats": [_seat(seat, names[seat.index], changes.get(seat.index)) for seat in seats],
        "outcome": match.outcome,
        "events": match.version,
        "started_at": match.started_at,
        "ended_at": match.ended_at,
    }


def _seat(seat: Seat, name: str, change: Change | None) -> JsonObject:
    """Return a seat as the match ended, with the rating of its player before and after, where both are shown."""
    return {
        "seat": seat.index,
        "name": name if seat.holder else "",
        "kind": "bot" if seat.bot else "user" if seat.holder else "free",
        "is_bot": bool(seat.bot) or (seat.user is not None and seat.user.is_bot),
        "rating_before": change.before if change is not None else None,
        "rating_after": change.after if change is not None else None,
    }
