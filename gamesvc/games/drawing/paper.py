"""The base of every picture: an SVG sheet with shapes, text and groups, in the product's colours.

Attributes carry the light colours and class names the roles (`f-ink` fill, `s-over` stroke), so that one picture serves mails,
print and both colour schemes. Pieces, cards and frames are in the modules built on this one; engines use `chart.Chart`.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from xml.sax import saxutils

from gamesvc.games.drawing import font
from gamesvc.games.kernel.targets import Box, Picture, Tab
from gamesvc.json_types import JsonObject

FONT = "'Barlow Semi Condensed','Roboto Condensed','Arial Narrow',Arial,sans-serif"
COLOURS = {
    "paper": "#F2F5F6",
    "panel": "#FFFFFF",
    "tint": "#DCE8EF",
    "buff": "#F3E6C2",
    "ink": "#13213A",
    "ink2": "#4B5A72",
    "line": "#BCC8D3",
    "over": "#B3006B",
    "R": "#C23B22",
    "B": "#17458F",
    "Y": "#EDB91B",
    "G": "#2F9E7E",
    "P": "#4A1F55",
    "W": "#FFFFFF",
    "onR": "#FFFFFF",
    "onB": "#FFFFFF",
    "onY": "#13213A",
    "onG": "#0B1526",
    "onP": "#FFFFFF",
    "onW": "#13213A",
}
DARK = {
    "paper": "#0D1524",
    "panel": "#141F33",
    "tint": "#1C2D48",
    "buff": "#4B4226",
    "ink": "#E8EEF6",
    "ink2": "#A8B6CA",
    "line": "#35475F",
    "over": "#FF7AC6",
    "R": "#E4593C",
    "B": "#2F66C4",
    "Y": "#F5CF58",
    "G": "#52BFA0",
    "P": "#7D4A90",
    "W": "#F4F7FB",
    "onR": "#0D1524",
    "onB": "#FFFFFF",
    "onY": "#0D1524",
    "onG": "#0D1524",
    "onP": "#FFFFFF",
    "onW": "#0D1524",
}
LETTERS = "RBYGPW"
PATTERNS = {
    "R": ("plain", ""),
    "B": ("diagonal bars", '<path d="M-2 2 2-2M0 12 12 0M10 14 14 10" {stroke} stroke-width="2.6"/>'),
    "Y": ("dots", '<circle cx="3" cy="3" r="1.9" {fill}/><circle cx="9" cy="9" r="1.9" {fill}/>'),
    "G": ("level bars", '<path d="M0 3H12M0 9H12" {stroke} stroke-width="2.4"/>'),
    "P": ("lattice", '<path d="M0 6H12M6 0V12" {stroke} stroke-width="1.8"/>'),
    "W": ("crosses", '<path d="M4 6h4M6 4v4" {stroke} stroke-width="1.4"/>'),
}
ICONS: dict[str, JsonObject] = json.loads(Path(__file__).with_name("icons.json").read_text(encoding="utf-8"))
Point = tuple[float, float]


@functools.lru_cache(maxsize=10_000)
def number(value: float) -> str:
    """Format a coordinate with at most two decimals and no trailing zeros."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


# Characters that XML 1.0 (2.2 Characters) forbids even when escaped: no browser shows a picture that contains one.
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def escape(text: str) -> str:
    """Escape a text for use between tags."""
    return saxutils.escape(_NOT_IN_XML.sub("\ufffd", text))


def quoteattr(text: str) -> str:
    """Return a text as an attribute value, quotes included."""
    return saxutils.quoteattr(_NOT_IN_XML.sub("\ufffd", text))


def points(*at: Point, close: bool = True) -> str:
    """Return path data through the given points: `points((0, 0), (10, 0), (5, 8))`."""
    data = "M" + "L".join(f"{number(x)} {number(y)}" for x, y in at)
    return data + "Z" if close else data


@functools.cache
def _icon_shapes(name: str, colour: str) -> str:
    """Return the shapes of an icon from `icons.json` in one colour."""
    return "".join(_icon_shape(tag, attributes, colour) for tag, attributes in ICONS[name]["shapes"])


def _icon_shape(tag: str, attributes: dict[str, str], colour: str) -> str:
    classes = [f"{kind}-{colour}" for kind, name in (("f", "fill"), ("s", "stroke")) if attributes.get(name) == "currentColor"]
    written = " ".join(f'{name}="{COLOURS[colour] if value == "currentColor" else value}"' for name, value in attributes.items())
    return f'<{tag} class="{" ".join(classes)}" {written}/>'


class Paper:
    """A sheet of `width` x `height` units. Shapes are drawn in order, the first at the bottom.

    `prefix` begins every id (use the match's name, so that several pictures can share a page). `title` names match, turn and
    acting seat; `desc` describes the position in two or three sentences. Colours are token names: `ink`, `over`, a seat's letter
    `R`, the ink on it `onR`, its area pattern `area-R`, or `none`.
    """

    def __init__(self, width: float, height: float, *, prefix: str = "m", title: str = "", desc: str = "") -> None:
        self.width = width
        self.height = height
        self.prefix = "m" + re.sub(r"[^A-Za-z0-9]+", "-", prefix).strip("-")
        self.title = title
        self.desc = desc
        self._parts: list[str] = []
        self._areas: set[str] = set()
        self._boxes: dict[str, Box] = {}
        self._board: Box | None = None
        self._tabs: list[Tab] = []

    # --- paint ---------------------------------------------------------------------------------------------------

    def _paint(self, fill: str, stroke: str, width: float, dash: str = "") -> str:
        classes: list[str] = []
        attributes: list[str] = []
        if fill.startswith("area-"):
            letter = fill[5:]
            self._areas.add(letter)
            attributes.append(f'fill="url(#{self.prefix}-p{letter})"')
        elif fill == "none":
            attributes.append('fill="none"')
        else:
            classes.append(f"f-{fill}")
            attributes.append(f'fill="{COLOURS[fill]}"')
        if stroke != "none":
            classes.append(f"s-{stroke}")
            attributes.append(f'stroke="{COLOURS[stroke]}" stroke-width="{number(width)}"')
            if dash:
                attributes.append(f'stroke-dasharray="{dash}"')
        named = f'class="{" ".join(classes)}" ' if classes else ""
        return named + " ".join(attributes)

    @staticmethod
    def _extra(opacity: float) -> str:
        return f' opacity="{number(opacity)}"' if opacity < 1 else ""

    # --- targets -------------------------------------------------------------------------------------------------

    def target(self, of: str, x: float, y: float, width: float, height: float) -> None:
        """Say where a target is drawn (`kernel.targets`). One that is drawn in several places has a box around all of them."""
        if of in self._boxes:
            left, top, wide, high = self._boxes[of]
            right, foot = max(left + wide, x + width), max(top + high, y + height)
            x, y = min(left, x), min(top, y)
            width, height = right - x, foot - y
        self._boxes[of] = (x, y, width, height)

    def board(self, x: float, y: float, width: float, height: float) -> None:
        """Say which part of the picture is the board: thumbnails show it. Without a word the whole picture is."""
        self._board = (x, y, width, height)

    # --- shapes --------------------------------------------------------------------------------------------------

    def rect(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        *,
        fill: str = "panel",
        stroke: str = "none",
        line: float = 1.5,
        rx: float = 0,
        dash: str = "",
        opacity: float = 1,
    ) -> None:
        """Draw a rectangle from its upper left corner. `line` is the stroke width, `rx` the radius of its corners."""
        size = f'x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}"'
        rounded = f' rx="{number(rx)}"' if rx else ""
        self._parts.append(f"<rect {size}{rounded} {self._paint(fill, stroke, line, dash)}{self._extra(opacity)}/>")

    def circle(
        self,
        x: float,
        y: float,
        radius: float,
        *,
        fill: str = "none",
        stroke: str = "none",
        line: float = 2,
        dash: str = "",
        opacity: float = 1,
    ) -> None:
        """Draw a circle around its centre."""
        size = f'cx="{number(x)}" cy="{number(y)}" r="{number(radius)}"'
        self._parts.append(f"<circle {size} {self._paint(fill, stroke, line, dash)}{self._extra(opacity)}/>")

    def path(
        self,
        data: str,
        *,
        fill: str = "none",
        stroke: str = "none",
        line: float = 2,
        dash: str = "",
        opacity: float = 1,
    ) -> None:
        """Draw a path from SVG path data with mitred joins. `points` writes the data of a polygon."""
        self._parts.append(f'<path d="{data}" {self._paint(fill, stroke, line, dash)}{self._extra(opacity)}/>')

    def polygon(
        self,
        *corners: Point,
        fill: str = "none",
        stroke: str = "none",
        line: float = 2,
        dash: str = "",
        opacity: float = 1,
    ) -> None:
        """Draw a polygon through its corners."""
        self.path(points(*corners), fill=fill, stroke=stroke, line=line, dash=dash, opacity=opacity)

    def line(
        self,
        x1: float,
        y1: float,
        x2: float,
        y2: float,
        *,
        stroke: str = "line",
        line: float = 1.5,
        dash: str = "",
        opacity: float = 1,
    ) -> None:
        """Draw a straight line, by default a hairline in `line`."""
        self.path(points((x1, y1), (x2, y2), close=False), stroke=stroke, line=line, dash=dash, opacity=opacity)

    def polyline(self, at: Sequence[Point], *, stroke: str = "ink", line: float = 2, dash: str = "", opacity: float = 1) -> None:
        """Draw an open line through the points."""
        self.path(points(*at, close=False), stroke=stroke, line=line, dash=dash, opacity=opacity)

    def raw(self, markup: str) -> None:
        """Add SVG markup unchanged. The caller is responsible for escaping and class names."""
        self._parts.append(markup)

    @contextmanager
    def group(self, *, transform: str = "", opacity: float = 1, classes: str = "", label: str = "") -> Iterator[None]:
        """Group everything drawn inside: `with chart.group(label="slow"): ...` gives it a title."""
        attributes = self._extra(opacity)
        if transform:
            attributes += f" transform={quoteattr(transform)}"
        if classes:
            attributes += f" class={quoteattr(classes)}"
        self._parts.append(f"<g{attributes}>")
        if label:
            self._parts.append(f"<title>{escape(label)}</title>")
        yield
        self._parts.append("</g>")

    @contextmanager
    def piece(self, of: str, start: str = "") -> Iterator[None]:
        """Group what is drawn of a piece that may move. `of`: its id, unique in the picture; pages let it slide to a new place.

        `start`: the target from which it came last, for pieces that are told apart by their place alone.
        """
        came = f" data-from={quoteattr(start)}" if start else ""
        self._parts.append(f"<g data-piece={quoteattr(of)}{came}>")
        yield
        self._parts.append("</g>")

    # --- text ----------------------------------------------------------------------------------------------------

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float = 20,
        weight: int = 400,
        colour: str = "ink",
        anchor: str = "start",
        room: float | None = None,
        smallest: float = font.SMALLEST,
    ) -> float:
        """Draw one line of text on the baseline `y`. Returns the x where it ends (for other anchors, `x` plus its width).

        `anchor`: `start`, `middle` or `end`. With `room`, the text is shrunk to `smallest`, then cut with "…".
        """
        if room is not None:
            text, size = font.fit(text, room, size, weight, smallest)
        bold = f' font-weight="{weight}"' if weight != 400 else ""
        anchored = f' text-anchor="{anchor}"' if anchor != "start" else ""
        place = f'x="{number(x)}" y="{number(y)}" font-size="{number(size)}"{bold}{anchored}'
        self._parts.append(f"<text {place} {self._paint(colour, 'none', 0)}>{escape(text)}</text>")
        return x + font.measure(text, size, weight)

    def label(self, x: float, y: float, text: str, *, anchor: str = "start", room: float | None = None) -> float:
        """Draw a label: size 18, secondary ink. Returns the same as `text`."""
        return self.text(x, y, text, size=18, colour="ink2", anchor=anchor, room=room)

    def paragraph(
        self,
        x: float,
        y: float,
        text: str,
        room: float,
        *,
        size: float = 20,
        weight: int = 400,
        colour: str = "ink",
        leading: float | None = None,
        lines: int | None = None,
        anchor: str = "start",
    ) -> float:
        """Draw text in lines no wider than `room`, the first on the baseline `y`. Returns the baseline after the last line."""
        step = leading if leading is not None else round(size * 1.3)
        for line in font.wrap(text, room, size, weight, lines):
            self.text(x, y, line, size=size, weight=weight, colour=colour, anchor=anchor)
            y += step
        return y

    # --- icons ---------------------------------------------------------------------------------------------------

    def icon(self, name: str, x: float, y: float, size: float = 24, *, colour: str = "ink", turn: float = 0) -> None:
        """Draw an icon from `icons.json`, upper left corner at x, y; at least 15 units. `turn`: degrees about its centre."""
        scale = number(size / 24) if size != 24 else ""
        transform = f"translate({number(x)} {number(y)})" + (f" scale({size / 24:.4g})" if scale else "")
        if turn:
            transform += f" rotate({number(turn)} 12 12)"
        self._parts.append(f'<g transform="{transform}">{_icon_shapes(name, colour)}</g>')

    # --- the whole picture ---------------------------------------------------------------------------------------

    def _definitions(self) -> str:
        found = []
        for letter in sorted(self._areas):
            ink = COLOURS["on" + letter]
            mark = PATTERNS[letter][1].format(
                stroke=f'class="s-on{letter}" fill="none" stroke="{ink}"', fill=f'class="f-on{letter}" fill="{ink}"'
            )
            found.append(
                f'<pattern id="{self.prefix}-p{letter}" width="12" height="12" patternUnits="userSpaceOnUse">'
                f'<rect width="12" height="12" class="f-{letter}" fill="{COLOURS[letter]}"/>{mark}</pattern>'
            )
        return f"<defs>{''.join(found)}</defs>\n" if found else ""

    def markup(self) -> str:
        """Return the drawn shapes without the enclosing sheet, for small pictures inside a page (no area patterns)."""
        return "".join(self._parts)

    def _window(self) -> tuple[float, float, float, float]:
        """Return the part of the sheet that the picture shows: x, y, width, height."""
        return 0, 0, self.width, self.height

    def svg(self) -> Picture:
        """Return the whole picture as SVG. Drawing may continue afterwards."""
        window = [number(value) for value in self._window()]
        size = f'viewBox="{" ".join(window)}" width="{window[2]}" height="{window[3]}"'
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img"'
            f' aria-labelledby="{self.prefix}-t {self.prefix}-d" class="board" font-family="{FONT}">\n'
            f'<title id="{self.prefix}-t">{escape(self.title)}</title>\n<desc id="{self.prefix}-d">{escape(self.desc)}</desc>\n'
        )
        ground = f'<rect width="{number(self.width)}" height="{number(self.height)}" {self._paint("paper", "none", 0)}/>\n'
        svg = head + self._definitions() + ground + self._content() + "\n</svg>\n"
        return Picture(svg, dict(self._boxes), self._board or self._window(), tuple(self._tabs))

    def _content(self) -> str:
        return "\n".join(self._parts)
