"""Pictures of boards as PNG, for mails: the SVG of an engine, drawn with our own font files, in at most 40 colours.

The same SVG gives the same bytes on every machine: no system fonts are read, and the palette is chosen by count alone.
Pillow's own choosers of colours shift the flat grounds of a board, and the files grow by that; so the palette is made here.
"""

from __future__ import annotations

import io
import sys
from collections import Counter
from pathlib import Path

import resvg_py
from PIL import Image

FONTS = sorted(str(path) for path in (Path(__file__).parent / "fonts").glob("*.ttf"))
FAMILY = "Barlow Semi Condensed"
COLOURS = 40
"""Flat colours of a board and the steps between them; more would only make the file larger."""

MOST_COMMON = 1500
"""Rarer colours have no say in the palette."""


def to_png(svg: str, width: int = 1080) -> bytes:
    """Draw a picture `width` pixels wide as a palette PNG (a board of 720 units comes to about 65 KB)."""
    drawn = resvg_py.svg_to_bytes(
        svg_string=svg,
        width=width,
        font_files=FONTS,
        skip_system_fonts=True,
        font_family=FAMILY,
        sans_serif_family=FAMILY,
    )
    with Image.open(io.BytesIO(bytes(drawn))) as picture:
        few = _with_palette(picture.convert("RGBA"))
    out = io.BytesIO()
    few.save(out, "PNG", optimize=True)
    return out.getvalue()


def _with_palette(picture: Image.Image) -> Image.Image:
    """The same picture with one byte a pixel; every colour becomes the nearest one of the palette. Boards are opaque."""
    pixels = memoryview(picture.tobytes()).cast("I")
    counts = Counter(pixels)
    channels = [_channels(colour) for colour in _chosen(counts)]
    place = {colour: _nearest(_channels(colour), channels) for colour in counts}
    few = Image.frombytes("P", picture.size, bytes(map(place.__getitem__, pixels)))
    few.putpalette(b"".join(channels), "RGB")
    return few


def _channels(colour: int) -> bytes:
    """Red, green and blue of a pixel."""
    return colour.to_bytes(4, sys.byteorder)[:3]


def _apart(a: bytes, b: bytes) -> int:
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2


def _nearest(wanted: bytes, channels: list[bytes]) -> int:
    distances = [_apart(one, wanted) for one in channels]
    return distances.index(min(distances))


def _chosen(counts: Counter[int]) -> list[int]:
    """The palette: the commonest colours, then those that the ones so far would miss most."""
    ranked = sorted(counts, key=lambda colour: (-counts[colour], _channels(colour)))[:MOST_COMMON]
    palette = ranked[: COLOURS // 2]
    seen = {colour: _channels(colour) for colour in ranked}
    missed = {colour: min(_apart(seen[colour], seen[kept]) for kept in palette) for colour in ranked}
    while len(palette) < min(COLOURS, len(ranked)):
        worst = max(ranked, key=lambda colour: missed[colour] * counts[colour])
        if not missed[worst]:
            break
        palette.append(worst)
        for colour in ranked:
            missed[colour] = min(missed[colour], _apart(seen[colour], seen[worst]))
    return palette
