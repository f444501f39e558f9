"""The right to act for a seat, checked where an act is decided and not where its request came in.

A seat may change hands between the two: a body arrives late, a mail waits, another request is faster. Every function that acts
for a seat on behalf of a user checks here that they still hold it. Not checked: bots, the clock, organisers.
"""

from __future__ import annotations

from collections.abc import Iterable

from gamesvc.database.prepared import Given, Prepared
from gamesvc.games.kernel.game import Refused
from gamesvc.language import say
from gamesvc.matches.models import Match, Seat

_LOCKED = Prepared(lambda: Seat.objects.filter(match=Given("match", "uuid")).select_for_update().order_by("index"))


def no_seat() -> Refused:
    """Return the refusal for a user without a seat in the match."""
    return Refused("no_seat", say("You have no seat in this match, so you cannot act in it. Look at who holds its seats now."))


def check(match: Match, seats: Iterable[Seat], seat: int, user_id: int | None) -> None:
    """Raise `Refused` unless a user holds a seat; on an analysis board, its owner plays all of them.

    `seats` must be as new as what the act is decided on: rows that fit the loaded version (`append.fresh_seats`), whose append
    fails if the seat changes hands meanwhile, or rows that are locked.
    """
    if user_id is None or user_id != (match.creator_id if match.board else _holder(seats, seat)):
        raise no_seat()


def lock_seats(match: Match) -> list[Seat]:
    """Lock the seats of a match until the transaction ends, and return them in order."""
    seats = _LOCKED.rows(match=match.pk)
    for seat in seats:
        seat.match = match
    return seats


def lock_and_check(match: Match, seat: int, user_id: int | None) -> list[Seat]:
    """Lock the seats of a match until the transaction ends, and check that the user holds one. Raises `Refused`."""
    seats = lock_seats(match)
    check(match, seats, seat, user_id)
    return seats


def _holder(seats: Iterable[Seat], seat: int) -> int | None:
    return next((row.user_id for row in seats if row.index == seat), None)
