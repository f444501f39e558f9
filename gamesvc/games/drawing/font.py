"""The widths of our font, so that pictures can measure text without a font engine.

`font.json` holds the advance widths of Barlow Semi Condensed (400, 600, 700; figures of one width), read once from
the files in `gamesvc/matches/notices/fonts`, grouped by width. Kerning is left out: it only ever makes a line a little shorter.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from functools import lru_cache
from pathlib import Path

_DATA = json.loads(Path(__file__).with_name("font.json").read_text(encoding="utf-8"))
_EM: int = _DATA["units_per_em"]
_WIDTHS: dict[int, dict[str, int]] = {
    int(weight): {letter: int(width) for width, letters in groups.items() for letter in letters}
    for weight, groups in _DATA["widths"].items()
}

SMALLEST = 17
"""No text of a board is set smaller than this, but for figures in die boxes and letters in badges."""
ELLIPSIS = "…"


def drawable(text: str) -> bool:
    """Whether the font has a glyph for every character of the text."""
    return all(letter in _WIDTHS[400] for letter in text)


def measure(text: str, size: float, weight: int = 400) -> float:
    """The width of a text in units; a character without a glyph counts as wide as an em."""
    return _width(text, weight) * size / _EM


@lru_cache(maxsize=5_000)
def _width(text: str, weight: int) -> int:
    """The width of a text in the units of the font; pictures mostly bear the same words."""
    widths = _WIDTHS[weight]
    return sum(widths.get(letter, _EM) for letter in text)


def cut(text: str, room: float, size: float, weight: int = 400) -> str:
    """The text, or its beginning with "…" where it is wider than `room`."""
    if measure(text, size, weight) <= room:
        return text

    def shorter(end: int) -> str:
        return text[:end].rstrip() + ELLIPSIS

    # The widest beginning that fits; the width never shrinks as the beginning grows.
    too_long = bisect_right(range(1, len(text)), room, key=lambda end: measure(shorter(end), size, weight)) + 1
    return shorter(too_long - 1)


def fit(text: str, room: float, size: float, weight: int = 400, smallest: float = SMALLEST) -> tuple[str, float]:
    """The text and the size at which it fits into `room`: first shrunk down to `smallest`, then cut."""
    width = measure(text, size, weight)
    if width <= room:
        return text, size
    shrunk = max(min(smallest, size), int(size * room / width * 2) / 2)
    return cut(text, room, shrunk, weight), shrunk


def wrap(text: str, room: float, size: float, weight: int = 400, lines: int | None = None) -> list[str]:
    """The text in lines no wider than `room`; with `lines`, the last one is cut where more would follow.

    A line feed in the text always ends a line; a single word wider than the room is broken with a hyphen.
    """
    found: list[str] = []
    for part in text.split("\n"):
        line = ""
        for word in part.split():
            longer = f"{line} {word}" if line else word
            if line and measure(longer, size, weight) > room:
                found.append(line)
                longer = word
            *whole, line = _broken(longer, room, size, weight)
            found.extend(whole)
        found.append(line)
    if lines is not None and len(found) > lines:
        last = found[lines - 1].rstrip("-")
        while last and measure(last + ELLIPSIS, size, weight) > room:
            last = last[:-1]
        found = [*found[: lines - 1], last.rstrip() + ELLIPSIS]
    return found


def _broken(word: str, room: float, size: float, weight: int) -> list[str]:
    """A word in pieces no wider than the room; the first piece keeps at least three letters."""
    pieces = []
    while measure(word, size, weight) > room and len(word) > 4:
        end = next((n for n in range(len(word) - 2, 3, -1) if measure(word[:n] + "-", size, weight) <= room), 3)
        pieces.append(word[:end] + "-")
        word = word[end:]
    return [*pieces, word]
