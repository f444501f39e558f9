"""Orders held until a deadline. They are carried out there, before the clock answers for the seat.

Modules that hold orders register here, so the clock knows nothing of mail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from uuid import UUID

from gamesvc.matches.models import Match

Waiting = Callable[[Iterable[UUID]], set[tuple[UUID, int]]]
CarryOut = Callable[[Match, int, str, datetime], bool]
_keepers: list[tuple[Waiting, CarryOut]] = []


def register(waiting: Waiting, carry_out: CarryOut) -> None:
    """Register a keeper of orders.

    `waiting` returns the seats, as (match, seat), with orders held in the given matches; it is called once for many matches.
    `carry_out` gives the orders of a match, seat, question and deadline, and returns True if there were any.
    """
    if (waiting, carry_out) not in _keepers:
        _keepers.append((waiting, carry_out))


def waiting(matches: Iterable[UUID]) -> set[tuple[UUID, int]]:
    """Return the seats of these matches, as (match, seat), with held orders."""
    ids = list(matches)
    return {seat for ask, _ in _keepers for seat in ask(ids)}


def carry_out(match: Match, seat: int, question: str, due_at: datetime) -> bool:
    """Carry out the orders held for a question of a seat that is due. Return True if there were any."""
    given = [give(match, seat, question, due_at) for _, give in _keepers]
    return any(given)
