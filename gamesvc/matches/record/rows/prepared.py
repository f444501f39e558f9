"""Seats read with prepared SQL: for queries of every turn, where building the SQL takes longer than running it."""

from __future__ import annotations

import functools

from gamesvc.database.asking import ask
from gamesvc.database.rows import columns, row_of
from gamesvc.matches.models import Match, Seat


def seats_of(match: Match) -> list[Seat]:
    """Return the seats of a match in order."""
    seats = [row_of(Seat, values) for values in ask(_seats(), [match.pk]).fetchall()]
    for seat in seats:
        seat.match = match
    return seats


@functools.cache
def _seats() -> str:
    return f"SELECT {', '.join(columns('s', Seat))} FROM matches_seat s WHERE s.match_id = %s::uuid ORDER BY s.index"  # noqa: S608
