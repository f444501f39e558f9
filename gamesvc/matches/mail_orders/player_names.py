"""Players' names in orders, where the games have the colours of seats."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from django.utils.translation import gettext as _

from gamesvc.games.kernel.game import Refused
from gamesvc.games.kernel.wording import SEAT_NAMES

T = TypeVar("T")
_SEATS = {*(colour.casefold() for colour in SEAT_NAMES), "deck", "all"}


def read_with_names(order: str, names: Sequence[str], read: Callable[[str], T]) -> T:
    """Read an order that may name players where the game has the colours of seats. Raises the refusal of what is written.

    What is written counts wherever it can be read, so that no name of a player blocks the orders of others. But a player may be
    called like the colour of another seat: an order with such a name is refused.
    """
    written, coloured = _tried(read, order), with_colours(order, names)
    named = written if coloured == order else _tried(read, coloured)
    if isinstance(written, Refused):
        if isinstance(named, Refused):
            raise written
        return named
    if named != written and any(_like_a_seat(name) and _found_in(name, order) for name in names):
        detail = _("A player's name also means something else here. Name the seat by its colour: %(order)s")
        raise Refused("unreadable", detail % {"order": coloured})
    return written


def _like_a_seat(name: str) -> bool:
    """Return True for a name that games may read as the colour of a seat, also shortened: Red, re, R-ed."""
    letters = "".join(filter(str.isalpha, name.casefold()))
    return bool(letters) and any(word.startswith(letters) for word in _SEATS)


def _found_in(name: str, order: str) -> bool:
    """Return True if a name stands in an order as a word."""
    return bool(_names([name]).search(order))


def _tried(read: Callable[[str], T], order: str) -> T | Refused:
    try:
        return read(order)
    except Refused as refused:
        return refused


def with_colours(order: str, names: Sequence[str]) -> str:
    """Return an order with the colours of seats in place of their players' names. A name of two players stays as it is."""
    folded = [name.casefold() for name in names]
    seats = {name: seat for seat, name in enumerate(folded) if name and folded.count(name) == 1}
    if not seats:
        return order
    return _names(seats).sub(lambda found: SEAT_NAMES[seats[found[0].casefold()]], order)


def _names(names: Iterable[str]) -> re.Pattern[str]:
    longest_first = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:{longest_first})(?!\w)", re.IGNORECASE)
