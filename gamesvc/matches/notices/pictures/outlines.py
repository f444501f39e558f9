"""Texts of a chart as outlines, so that what draws its picture needs no fonts. Each text is shaped once, with its kerning."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache, lru_cache
from html import unescape
from pathlib import Path

import uharfbuzz

from gamesvc.games.drawing.extents import Unknown

FONTS = Path(__file__).parent / "fonts"
WEIGHTS = {400: "barlow-semi-condensed-400.ttf", 600: "barlow-semi-condensed-600.ttf", 700: "barlow-semi-condensed-700.ttf"}
UNITS_PER_EM = 1000
MOST_TEXTS = 5000
"""Outlines that a process keeps, of 2 KB each on average."""

_TEXT = re.compile(
    r'<text x="([-\d.]+)" y="([-\d.]+)" font-size="([\d.]+)"'
    r'(?: font-weight="(400|600|700)")?(?: text-anchor="(start|middle|end)")?(?: class="[^"<>]*")?'
    r'((?: (?:fill|stroke|opacity)="[^"<>]*")*)>([^<>]*)</text>'
)
_BEFORE = {None: 0.0, "start": 0.0, "middle": 0.5, "end": 1.0}


@dataclass(slots=True)
class _Pen:
    """Writes outlines as the data of an SVG path in relative commands, so that they may begin anywhere."""

    x: int = 0
    y: int = 0
    begun: tuple[int, int] = (0, 0)
    written: list[str] = field(default_factory=list)

    def line(self, letter: str, *points: float) -> None:
        """Add a command of a path; points are pairs of x and y, where y grows upwards."""
        whole = [round(value) for value in points]
        moved = [value - self.x if number % 2 == 0 else self.y - value for number, value in enumerate(whole)]
        self.written.append(letter + " ".join(map(str, moved)))
        self.x, self.y = whole[-2:]
        if letter == "m":
            self.begun = self.x, self.y

    def close(self) -> None:
        """End a contour. The next command is relative to its beginning."""
        self.written.append("z")
        self.x, self.y = self.begun


def outlined(svg: str) -> str:
    """Return the markup of a chart with each text replaced by its outlines. Raises `Unknown` for a text of another form."""
    found = _TEXT.sub(_path, svg)
    if "<text" in found:
        raise Unknown("a text")
    return found


def _path(text: re.Match[str]) -> str:
    left, baseline, size = (float(text[number]) for number in range(1, 4))
    data, width = outline(unescape(text[7]), int(text[4] or 400))
    scale = size / UNITS_PER_EM
    left -= _BEFORE[text[5]] * width * scale
    return f'<path transform="matrix({scale:.6g} 0 0 {scale:.6g} {left:.7g} {baseline:.7g})" d="{data}"{text[6]}/>'


@lru_cache(maxsize=MOST_TEXTS)
def outline(text: str, weight: int) -> tuple[str, int]:
    """Return a line of text as the data of a path that begins at 0 0, and its width, in font units."""
    buffer = uharfbuzz.Buffer()
    buffer.add_str(text)
    buffer.guess_segment_properties()
    font = _font(weight)
    uharfbuzz.shape(font, buffer)
    written = []
    width = 0
    for glyph, place in zip(buffer.glyph_infos or (), buffer.glyph_positions or (), strict=True):
        written.append(f"M{width + place.x_offset} {-place.y_offset}{_glyph(glyph.codepoint, weight)}")
        width += place.x_advance
    return "".join(written), width


@cache
def _glyph(number: int, weight: int) -> str:
    """Return a glyph of a font as the data of a path relative to where it begins."""
    pen = _Pen()
    _font(weight).draw_glyph(number, _commands(), pen)
    return "".join(pen.written)


@cache
def _font(weight: int) -> uharfbuzz.Font:
    return uharfbuzz.Font(uharfbuzz.Face(uharfbuzz.Blob.from_file_path(str(FONTS / WEIGHTS[weight]))))


@cache
def _commands() -> uharfbuzz.DrawFuncs:
    commands = uharfbuzz.DrawFuncs()
    commands.set_move_to_func(lambda x, y, pen: pen.line("m", x, y))
    commands.set_line_to_func(lambda x, y, pen: pen.line("l", x, y))
    commands.set_quadratic_to_func(lambda *points: points[-1].line("q", *points[:-1]))
    commands.set_cubic_to_func(lambda *points: points[-1].line("c", *points[:-1]))
    commands.set_close_path_func(_Pen.close)
    return commands
