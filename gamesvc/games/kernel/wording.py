"""Sentences that read right with every value and in every language: counts, lists, capitals, players by name or as `you`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from gamesvc.json_types import JsonMapping
from gamesvc.language import joined, mark, say, say_many

SEAT_NAMES = (mark("Red"), mark("Blue"), mark("Yellow"), mark("Green"), mark("Plum"), mark("White"))
"""The colours of the seats, which name them where no player does."""


def seat_name(seat: int, names: Sequence[str] = ()) -> str:
    """Return the name of a seat's player, or the colour of the seat if it has none."""
    return names[seat] if seat < len(names) and names[seat] else SEAT_NAMES[seat]


def to_act(awaited: Iterable[JsonMapping], names: Sequence[str] = ()) -> str:
    """Return `Anna and Ben to act`, from the `awaited` of a view; empty if no seat is awaited."""
    acting = listed(seat_name(waiting["seat"], names) for waiting in awaited)
    return say("{acting} to act", acting=acting) if acting else ""


def counted(number: int, noun: str, many: str = "") -> str:
    """Return a number with its noun: `1 card`, `2 cards`. `many` is the plural where it does not end in `s`."""
    return say_many(f"{{number}} {noun}", f"{{number}} {many or f'{noun}s'}", number)


def listed(items: Iterable[object], last: str = "and") -> str:
    """Join items as in `a, b and c`."""
    *first, end = [item if isinstance(item, str) else str(item) for item in items] or [""]
    if not first:
        return end
    return say("{items} or {last}" if last == "or" else "{items} and {last}", items=joined(*first, between=", "), last=end)


def named(noun: str, items: Iterable[object], last: str = "and") -> str:
    """Return items behind their noun: `slot s1`, `slots s1 and s2`."""
    texts = list(items)
    return say_many(f"{noun} {{items}}", f"{noun}s {{items}}", len(texts), items=listed(texts, last))


def capital(text: str) -> str:
    """Return the text with a capital first letter, the rest unchanged."""
    return text[:1].upper() + text[1:]


def opening(text: str) -> str:
    """Return a sentence whose leading `you` or `your` has a capital letter. Names of players keep their spelling."""
    return capital(text) if re.match(r"your?\b", text) else text


class Speaker:
    """Sentences about players from one viewer's point of view, who is `you`."""

    def __init__(self, viewer: int | None, names: Sequence[str]) -> None:
        self.viewer = viewer
        self.names = names

    def name(self, seat: int) -> str:
        return seat_name(seat, self.names)

    def who(self, seat: int) -> str:
        return say("you") if seat == self.viewer else self.name(seat)

    def all(self, seats: Iterable[int]) -> str:
        return listed(self.who(seat) for seat in seats)

    def says(
        self, message: str, *, you: str = "", to_you: str = "", who: int | None = None, whom: int | None = None, **values: object
    ) -> str:
        """Return a sentence about one player, or about two: `{who}` does it, `{whom}` it is done to.

        `{their}` and `{whose}` are what belongs to them. `you` and `to_you` are the sentence for the viewer as the one and as
        the other, where English needs another than `message`. Other languages have three sentences in any case.
        """
        if who is not None:
            values |= {"who": self.who(who), "their": "your" if who == self.viewer else "their"}
        if whom is not None:
            name = self.who(whom)
            values |= {"whom": name, "whose": "your" if whom == self.viewer else f"{name}'s"}
        if who is not None and who == self.viewer:
            said = say(you, **values) if you else say(message, "you", **values)
        elif whom is not None and whom == self.viewer:
            said = say(to_you, **values) if to_you else say(message, "to you", **values)
        else:
            said = say(message, **values)
        return opening(said) if message.endswith(".") else said
