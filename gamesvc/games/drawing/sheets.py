"""Taking a chart's picture apart into tiles: which of its elements touch which, and a hash of all that a tile shows.

This reads what `paper` writes: an element per line, in the house's colours.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from gamesvc.games.drawing.extents import Box, Unknown, box_of
from gamesvc.games.drawing.paper import COLOURS

_HEAD = re.compile(
    r'(<svg [^<>]*?)viewBox="([-\d.]+) ([-\d.]+) ([\d.]+) ([\d.]+)" width="[\d.]+" height="[\d.]+"([^<>]*>)\n'
    r"<title[^<>]*>[^<>]*</title>\n<desc[^<>]*>[^<>]*</desc>\n(<defs>.*</defs>\n)?"
)
_FOOT = "\n</svg>\n"
_GROUP = re.compile(r'<g(?: (?:class|data-piece|data-from)="[^"<>]*")*>|</g>|<title>[^<>]*</title>')
_PAINT = re.compile(r' (?:fill|stroke)="([^"]*)"')
_OURS = frozenset({"none", *COLOURS.values()})


@dataclass(frozen=True)
class Sheet:
    """A picture taken apart: what stands around its elements, its window, and its elements with the tiles they touch."""

    opening: tuple[str, str]
    definitions: str
    left: float
    top: float
    scale: float
    tile: int
    width: int
    height: int
    elements: Sequence[str]
    touching: Sequence[Sequence[Sequence[int]]]

    @cached_property
    def defined(self) -> frozenset[int]:
        """The elements that refer to the definitions."""
        return frozenset(index for index, element in enumerate(self.elements) if "url(" in element)

    def keys(self, row: int) -> tuple[bytes, ...]:
        """Return for each tile of a row a hash of all that decides how it looks."""
        frame = f"{self.opening} {self.left} {self.top} {self.scale} {self.width} {self.height} {row}"
        return tuple(self._key(f"{frame} {column}", found) for column, found in enumerate(self.touching[row]))

    def _key(self, place: str, touching: Sequence[int]) -> bytes:
        definitions = "" if self.defined.isdisjoint(touching) else self.definitions
        elements = map(self.elements.__getitem__, touching)
        return hashlib.blake2b("\n".join([place, definitions, *elements]).encode(), digest_size=20).digest()

    def part(self, row: int, columns: range) -> str:
        """Return some tiles of a row as an SVG of their own."""
        wide = min(len(columns) * self.tile, self.width - columns.start * self.tile)
        high = min(self.tile, self.height - row * self.tile)
        across, down = self.left + columns.start * self.tile / self.scale, self.top + row * self.tile / self.scale
        window = f'viewBox="{across} {down} {wide / self.scale} {high / self.scale}" width="{wide}" height="{high}"'
        shown = sorted({index for column in columns for index in self.touching[row][column]})
        drawn = "\n".join(self.elements[index] for index in shown)
        return f"{self.opening[0]}{window}{self.opening[1]}\n{self.definitions}{drawn}{_FOOT}"


def apart(svg: str, width: int, tile: int) -> Sheet:
    """Take apart a picture that is to be `width` pixels wide, with tiles of `tile` pixels.

    Raises `Unknown` if it holds anything but the shapes, texts and icons of a chart.
    """
    head = _HEAD.match(svg)
    if head is None or not svg.endswith(_FOOT):
        raise Unknown("the frame of the picture")
    left, top, wide, high = (float(head[number]) for number in range(2, 6))
    scale = width / wide
    height = math.ceil(round(high * scale, 3))
    rows, columns = math.ceil(height / tile), math.ceil(width / tile)
    touching: list[list[list[int]]] = [[[] for _ in range(columns)] for _ in range(rows)]
    elements: list[str] = []
    unit = tile / scale
    for line in svg[head.end() : -len(_FOOT)].split("\n"):
        if (box := _seen(line)) is None:
            continue
        across, down = _tiles(box[0] - left, box[2] - left, unit), _tiles(box[1] - top, box[3] - top, unit)
        for row in touching[down]:
            for touched in row[across]:
                touched.append(len(elements))
        elements.append(line)
    return Sheet((head[1], head[6]), head[7] or "", left, top, scale, tile, width, height, elements, touching)


def _tiles(start: float, end: float, unit: float) -> slice:
    """Return the tiles of a row or column that a stretch touches."""
    return slice(max(0, int(start // unit)), max(0, int(end // unit) + 1))


@lru_cache(maxsize=10_000)
def _seen(line: str) -> Box | None:
    """Return the box of an element; None for what draws nothing: groups, and rectangles that are there to be clicked."""
    if not line or _GROUP.fullmatch(line):
        return None
    paints = set(_PAINT.findall(line))
    if any(paint not in _OURS and not paint.startswith("url(#") for paint in paints):
        raise Unknown(line)
    return None if paints == {"none"} else box_of(line)
