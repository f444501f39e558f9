"""Pictures drawn in tiles, so that a new picture costs little more than what is new in it.

A tile is drawn from the elements that touch it, and kept by the hash of exactly these: the still ground of a board is drawn once
for all pictures that show it, and nothing of a hand is in any other picture. A strip is a row of tiles, compressed.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import groupby
from threading import Lock
from typing import Generic, TypeVar

from PIL import Image

from gamesvc.games.drawing.sheets import Sheet, apart
from gamesvc.matches.notices.pictures import shades, strips
from gamesvc.matches.notices.pictures.strips import Strip

TILE = 120
"""Height and width of a tile in pixels."""

MOST_TILES = 2500
"""Tiles that a process keeps, of 14 KB each."""

MOST_STRIPS = 2000
"""Strips that a process keeps, of 6 KB each on average."""

Draw = Callable[[str], Image.Image]
"""Draws an SVG in the palette of the house's colours."""

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Kept(Generic[K, V]):
    """Earlier results by key. Of too many, the least recently used go."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._kept: OrderedDict[K, V] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: K) -> V | None:
        """Return the value of a key; None if there is none."""
        with self._lock:
            if (found := self._kept.get(key)) is not None:
                self._kept.move_to_end(key)
            return found

    def put(self, key: K, value: V) -> None:
        """Keep a value."""
        with self._lock:
            self._kept[key] = value
            self._kept.move_to_end(key)
            while len(self._kept) > self.most:
                self._kept.popitem(last=False)


TILES: Kept[bytes, Image.Image] = Kept(MOST_TILES)
STRIPS: Kept[tuple[bytes, ...], Strip] = Kept(MOST_STRIPS)


def png(svg: str, width: int, draw: Draw) -> bytes:
    """Return the picture as PNG, `width` pixels wide. Raises `Unknown` if it cannot be cut into tiles."""
    sheet = apart(svg, width, TILE)
    rows = [_strip(sheet, row, draw) for row in range(len(sheet.touching))]
    return strips.png(sheet.width, sheet.height, shades.palette(), rows)


def _strip(sheet: Sheet, row: int, draw: Draw) -> Strip:
    keys = sheet.keys(row)
    if (known := STRIPS.get(keys)) is not None:
        return known
    lines = Image.new("P", (sheet.width, min(TILE, sheet.height - row * TILE)))
    tiles = [TILES.get(key) for key in keys]
    for column, tile in enumerate(tiles):
        if tile is not None:
            lines.paste(tile, (column * TILE, 0))
    for columns in _missing(tiles):
        fresh = draw(sheet.part(row, columns))
        lines.paste(fresh, (columns.start * TILE, 0))
        for column in columns:
            left = (column - columns.start) * TILE
            TILES.put(keys[column], fresh.crop((left, 0, min(left + TILE, fresh.width), fresh.height)))
    made = strips.strip(lines)
    STRIPS.put(keys, made)
    return made


def _missing(tiles: Sequence[Image.Image | None]) -> Iterator[range]:
    """Yield the runs of tiles still to be drawn. A run is drawn at once: what lies in two of its tiles is drawn once."""
    for missing, run in groupby(range(len(tiles)), lambda column: tiles[column] is None):
        if missing:
            columns = list(run)
            yield range(columns[0], columns[-1] + 1)
