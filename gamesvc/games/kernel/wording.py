"""Parts of sentences that read right with every value: counts, lists, capitals, names of seats."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from gamesvc.json_types import JsonMapping

SEAT_NAMES = ("Red", "Blue", "Yellow", "Green", "Plum", "White")
"""The colours of the seats, which name them where no player does."""


def seat_name(seat: int, names: Sequence[str] = ()) -> str:
    """Return the name of a seat's player, or the colour of the seat if it has none."""
    return names[seat] if seat < len(names) and names[seat] else SEAT_NAMES[seat]


def to_act(awaited: Iterable[JsonMapping], names: Sequence[str] = ()) -> str:
    """Return `Anna and Ben to act`, from the `awaited` of a view; empty if no seat is awaited."""
    acting = listed(seat_name(waiting["seat"], names) for waiting in awaited)
    return f"{acting} to act" if acting else ""


def counted(number: int, noun: str, many: str = "") -> str:
    """Return a number with its noun: `1 card`, `2 cards`. `many` is the plural where it does not end in `s`."""
    return f"{number} {noun if number == 1 else many or f'{noun}s'}"


def listed(items: Iterable[object], last: str = "and") -> str:
    """Join items as in `a, b and c`."""
    *first, end = [str(item) for item in items] or [""]
    return f"{', '.join(first)} {last} {end}" if first else end


def named(noun: str, items: Iterable[object], last: str = "and") -> str:
    """Return items behind their noun: `slot s1`, `slots s1 and s2`."""
    texts = list(items)
    return f"{noun if len(texts) == 1 else f'{noun}s'} {listed(texts, last)}"


def capital(text: str) -> str:
    """Return the text with a capital first letter, the rest unchanged."""
    return text[:1].upper() + text[1:]


def opening(text: str) -> str:
    """Return a sentence whose leading `you` or `your` has a capital letter. Names of players keep their spelling."""
    return capital(text) if re.match(r"your?\b", text) else text
