"""Values that several states share, each written once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gamesvc.games.kernel import limits
from gamesvc.games.kernel.codec.hints import Malformed, of
from gamesvc.json_types import JsonObject

PART = "=part"
# A tuple is written as an earlier one plus a rest only if the rest has fewer items than this.
LONGEST_REST = 12


class Parts:
    """A table of values that several states share, each written once.

    The first occurrence of a value is written as a part; later ones refer to it by number (`{"=part": 7}`). A tuple that starts
    like an earlier one is written as a reference to that one plus its remaining items. The size of 100 states that each add one
    item is therefore proportional to their number.
    """

    def __init__(self, written: list[object] | None = None) -> None:
        self.written = [] if written is None else written
        self._known: dict[tuple[int, object], int] = {}
        self._begun: dict[tuple[tuple[int, ...], object], int] = {}  # known prefixes of tuples
        self._alive: list[object] = []  # keeps values alive: an id is unique only during a value's lifetime
        self._read: dict[int, object] = {}
        self._whole: dict[int, object] = {}

    def name(self, value: object, hint: object, plain: Callable[[], Any]) -> JsonObject:
        """Return the reference to a value. Write the value first if it is new."""
        key = (id(value), hint)
        if key not in self._known:
            if isinstance(value, tuple):
                written = self._tuple(value, hint, plain)
            else:
                written = plain()
            self._add(key, value, written)
        return {PART: self._known[key]}

    def _add(self, key: tuple[int, object], value: object, written: object) -> None:
        self._known[key] = len(self.written)
        self._alive.append(value)
        self.written.append(written)

    def _tuple(self, value: tuple[object, ...], hint: object, plain: Callable[[], Any]) -> object:
        ids = tuple(map(id, value))
        written = plain()
        lengths = range(len(ids), max(0, len(ids) - LONGEST_REST), -1)
        for length in lengths:
            if (begin := self._begun.get((ids[:length], hint))) is not None:
                written = {PART: begin, "first": length, "and": written[length:]}
                break
        for length in lengths:
            self._begun.setdefault((ids[:length], hint), len(self.written))
        return written

    def read(self, number: int, decode: Callable[[object], object]) -> object:
        """Return the decoded value of a part, the same object on every call."""
        if number not in self._read:
            self._read[number] = decode(self.whole(number))
        return self._read[number]

    def whole(self, number: object) -> object:
        """Return the JSON of a part, with the prefix of a tuple filled in. Raises `Malformed`."""
        if not isinstance(number, int) or not 0 <= number < len(self.written):
            raise Malformed(f"there is no part {number!r}")
        if number not in self._whole:
            written = self.written[number]
            if isinstance(written, dict) and PART in written:
                if written.keys() != {PART, "first", "and"} or not isinstance(written[PART], int) or written[PART] >= number:
                    raise Malformed(f"/parts/{number} must begin with an earlier part")
                begin = of(self.whole(written[PART]), list, f"/parts/{written[PART]}")
                first = of(written["first"], int, f"/parts/{number}/first")
                if not 0 <= first <= len(begin):
                    raise Malformed(f"/parts/{number}/first must be 0 to {len(begin)}")
                written = [*begin[:first], *of(written["and"], list, f"/parts/{number}/and")]
                if len(written) > limits.MOST_ITEMS:
                    raise Malformed(f"/parts/{number} has more than {limits.MOST_ITEMS} items")
            self._whole[number] = written
        return self._whole[number]
