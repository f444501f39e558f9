"""Orders that are kept until a deadline, carried out there before the clock answers for a seat.

Who keeps them registers here: the clock knows nothing of mail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from uuid import UUID

from gamesvc.matches.models import Match

Waiting = Callable[[Iterable[UUID]], set[tuple[UUID, int]]]
CarryOut = Callable[[Match, int, str], bool]
_keepers: list[tuple[Waiting, CarryOut]] = []


def register(waiting: Waiting, carry_out: CarryOut) -> None:
    """Add a keeper of orders.

    `waiting` returns the seats, as (match, seat), that have orders kept in some of these matches, asked once for many.
    `carry_out` gives those of a match, seat and question, and returns True if there were any.
    """
    if (waiting, carry_out) not in _keepers:
        _keepers.append((waiting, carry_out))


def waiting(matches: Iterable[UUID]) -> set[tuple[UUID, int]]:
    """Return the seats of these matches, as (match, seat), for which orders are kept."""
    ids = list(matches)
    return {seat for ask, _ in _keepers for seat in ask(ids)}


def carry_out(match: Match, seat: int, question: str) -> bool:
    """Give what is kept for a question of a seat. Returns True if there was anything."""
    given = [give(match, seat, question) for _, give in _keepers]
    return any(given)
