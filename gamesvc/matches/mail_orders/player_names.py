"""Players' names in orders, where the games have the colours of seats."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from django.utils.translation import gettext as _

from gamesvc.games.kernel.game import Refused
from gamesvc.games.kernel.wording import SEAT_NAMES

T = TypeVar("T")


def read_with_names(order: str, names: Sequence[str], read: Callable[[str], T]) -> T:
    """Read an order that names players where the game has the colours of seats. Raises the refusal of what is written.

    An order that means something else once its names are read as players is refused: a player may be called like a colour.
    """
    coloured = with_colours(order, names)
    written = _tried(read, order)
    named = written if coloured == order else _tried(read, coloured)
    if isinstance(named, Refused):
        named = written
    if isinstance(named, Refused):
        raise named
    if not isinstance(written, Refused) and written != named:
        detail = _("A player's name also means something else here. Name the seat by its colour: %(order)s")
        raise Refused("unreadable", detail % {"order": coloured})
    return named


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
