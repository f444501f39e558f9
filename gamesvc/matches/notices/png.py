"""Pictures of boards as PNG, for mails: the SVG of an engine, drawn with our own font files, in at most 40 colours.

The same SVG gives the same bytes on every machine: no system fonts are read, and the palette is chosen by count alone.
Pillow's own choosers of colours shift the flat grounds of a board, and the files grow by that; so the palette is made here.
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
"""Flat colours of a board and the steps between them; more would only make the file larger."""

MOST_COMMON = 1500
"""Rarer colours have no say in the palette."""

MOST_COLOURS = 1 << 16
"""A board has some hundred colours with the steps between them; counting up to this many is cheap."""

Colour = tuple[int, int, int]


@lru_cache(maxsize=8)  # a receipt and the next turn's notice show the same board
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
        few = _with_palette(picture.convert("RGB"))
    out = io.BytesIO()
    few.save(out, "PNG", compress_level=6)  # 9 takes six times as long for an eighth less
    return out.getvalue()


def _with_palette(picture: Image.Image) -> Image.Image:
    """The same picture with one byte a pixel; every colour becomes the nearest one of the palette. Boards are opaque."""
    found = cast("list[tuple[int, Colour]] | None", picture.getcolors(MOST_COLOURS))
    if found is None:  # no drawing of ours
        return picture.quantize(COLOURS, dither=Image.Dither.NONE)
    palette = bytes(channel for colour in _chosen({colour: count for count, colour in found}) for channel in colour)
    # Filled up with its first colour: what is not ours must not be near to anything.
    wanted = Image.new("P", (1, 1))
    wanted.putpalette(palette + palette[:3] * (256 - len(palette) // 3), "RGB")
    few = picture.quantize(palette=wanted, dither=Image.Dither.NONE)
    few.putpalette(palette, "RGB")
    return few


def _apart(a: Colour, b: Colour) -> int:
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2


def _chosen(counts: Mapping[Colour, int]) -> list[Colour]:
    """The palette: the commonest colours, then those that the ones so far would miss most."""
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
