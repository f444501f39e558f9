"""The widths of the product's font, so that pictures can measure text without a font engine.

`font.json` holds the advance widths of Barlow Semi Condensed (400, 600, 700; tabular figures), generated from the files in
`gamesvc/matches/notices/pictures/fonts` and grouped by width. Kerning is ignored: it only ever makes a line slightly shorter.
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
"""The smallest size of text on a board. Exceptions: figures in die boxes and letters in badges."""
ELLIPSIS = "…"


def drawable(text: str) -> bool:
    """Return True if the font has a glyph for every character of the text."""
    return all(letter in _WIDTHS[400] for letter in text)


def measure(text: str, size: float, weight: int = 400) -> float:
    """Return the width of a text in units. A character without a glyph counts as one em."""
    return _width(text, weight) * size / _EM


@lru_cache(maxsize=5_000)
def _width(text: str, weight: int) -> int:
    """Return the width of a text in font units. Cached, because pictures mostly repeat the same words."""
    widths = _WIDTHS[weight]
    return sum(widths.get(letter, _EM) for letter in text)


def cut(text: str, room: float, size: float, weight: int = 400) -> str:
    """Return the text, cut with "…" if it is wider than `room`."""
    if measure(text, size, weight) <= room:
        return text

    def shorter(end: int) -> str:
        return text[:end].rstrip() + ELLIPSIS

    # Find the widest prefix that fits; the width never shrinks as the prefix grows.
    too_long = bisect_right(range(1, len(text)), room, key=lambda end: measure(shorter(end), size, weight)) + 1
    return shorter(too_long - 1)


def fit(text: str, room: float, size: float, weight: int = 400, smallest: float = SMALLEST) -> tuple[str, float]:
    """Return the text and the size at which it fits into `room`: first shrunk down to `smallest`, then cut."""
    width = measure(text, size, weight)
    if width <= room:
        return text, size
    shrunk = max(min(smallest, size), int(size * room / width * 2) / 2)
    return cut(text, room, shrunk, weight), shrunk


def wrap(text: str, room: float, size: float, weight: int = 400, lines: int | None = None) -> list[str]:
    """Wrap a text into lines no wider than `room`. With `lines`, the last allowed line is cut if more would follow.

    A line feed in the text always ends a line. A single word wider than the room is broken with a hyphen.
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
    """Split a word into pieces no wider than the room, at its own hyphens first. The first piece keeps at least three letters."""
    pieces = []
    while measure(word, size, weight) > room and len(word) > 4:
        own = word.find("-", 1, -1) + 1
        if own and measure(word[:own], size, weight) <= room:
            pieces.append(word[:own])
            word = word[own:]
            continue
        end = next((n for n in range(len(word) - 2, 3, -1) if measure(word[:n] + "-", size, weight) <= room), 3)
        pieces.append(word[:end] + "-")
        word = word[end:]
    return [*pieces, word]
