"""Pictures of boards as PNG, for mails: an engine's SVG, drawn with our own fonts in at most 40 colours.

The same SVG gives the same bytes on every machine: no system fonts are read, and the palette depends on counts alone. Pillow's
own quantizers shift the flat areas of a board and make larger files, so the palette is made here.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import cast

import resvg_py
from PIL import Image

FONTS = sorted(str(path) for path in (Path(__file__).parent / "fonts").glob("*.ttf"))
FAMILY = "Barlow Semi Condensed"
COLOURS = 40
"""Flat colours of a board and the shades between them. More would only make the file larger."""

MOST_COMMON = 1500
"""Number of colours, most frequent first, that shape the palette."""

MOST_COLOURS = 1 << 16
"""Limit for counting colours. A board has some hundred, shades included, so counting them is cheap."""

Colour = tuple[int, int, int]


@lru_cache(maxsize=8)  # a receipt and the next turn's notice show the same board
def to_png(svg: str, width: int = 1080) -> bytes:
    """Return an SVG drawn `width` pixels wide as a palette PNG. A board of 720 units has about 65 KB."""
    drawn = resvg_py.svg_to_bytes(
        svg_string=svg,
        width=width,
        font_files=FONTS,
        skip_system_fonts=True,
        font_family=FAMILY,
        sans_serif_family=FAMILY,
    )
    with Image.open(io.BytesIO(bytes(drawn))) as picture:
        few = _with_palette(picture.convert("RGB"))
    out = io.BytesIO()
    few.save(out, "PNG", compress_level=6)  # 9 takes six times as long and saves an eighth
    return out.getvalue()


def _with_palette(picture: Image.Image) -> Image.Image:
    """Return the picture with one byte per pixel, each colour replaced by the nearest of the palette. Boards are opaque."""
    found = cast("list[tuple[int, Colour]] | None", picture.getcolors(MOST_COLOURS))
    if found is None:  # not drawn by an engine
        return picture.quantize(COLOURS, dither=Image.Dither.NONE)
    palette = bytes(channel for colour in _chosen({colour: count for count, colour in found}) for channel in colour)
    # Filled up with its first colour, so that no unused entry is nearest to anything.
    wanted = Image.new("P", (1, 1))
    wanted.putpalette(palette + palette[:3] * (256 - len(palette) // 3), "RGB")
    few = picture.quantize(palette=wanted, dither=Image.Dither.NONE)
    few.putpalette(palette, "RGB")
    return few


def _apart(a: Colour, b: Colour) -> int:
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2


def _chosen(counts: Mapping[Colour, int]) -> list[Colour]:
    """Return the palette: the most frequent colours, then those farthest from the palette so far, weighted by frequency."""
    ranked = sorted(counts, key=lambda colour: (-counts[colour], colour))[:MOST_COMMON]
    palette = ranked[: COLOURS // 2]
    missed = {colour: min(_apart(colour, kept) for kept in palette) for colour in ranked}
    while len(palette) < min(COLOURS, len(ranked)):
        worst = max(ranked, key=lambda colour: missed[colour] * counts[colour])
        if not missed[worst]:
            break
        palette.append(worst)
        for colour in ranked:
            missed[colour] = min(missed[colour], _apart(colour, worst))
    return palette
