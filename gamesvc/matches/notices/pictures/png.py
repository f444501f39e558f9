"""Pictures of boards as PNG, for mails: an engine's SVG, drawn with our own fonts in few colours.

A chart is drawn in tiles by `canvas`, any other SVG whole by resvg. The same SVG gives the same picture on every machine (a soft
edge may differ by a shade, after what was drawn before): no system fonts are read, and the palette is that of the house
(`shades`). For a picture in other colours it depends on counts alone: Pillow's own quantizers shift flat areas and make larger
files.
"""

from __future__ import annotations

import io
import logging
from collections.abc import Mapping
from functools import lru_cache
from itertools import chain
from typing import cast

import resvg_py
from PIL import Image

from gamesvc.games.drawing.extents import Unknown
from gamesvc.matches.notices.pictures import canvas, outlines, shades, strips, tiles
from gamesvc.matches.notices.pictures.shades import Colour

log = logging.getLogger(__name__)

FONTS = [str(outlines.FONTS / name) for name in outlines.WEIGHTS.values()]
FAMILY = "Barlow Semi Condensed"
COLOURS = 40
"""Flat colours of a picture that is not in the house's, and the shades between them. More would only make the file larger."""

MOST_COMMON = 1500
"""Number of colours, most frequent first, that shape the palette."""

MOST_COLOURS = 1 << 16
"""Limit for counting colours. A board has some hundred, shades included, so counting them is cheap."""


@lru_cache(maxsize=8)  # a receipt and the next turn's notice show the same board
def to_png(svg: str, width: int = 1080) -> bytes:
    """Return an SVG drawn `width` pixels wide as a palette PNG. A board of 720 units has about 65 KB.

    What earlier pictures showed is not drawn again, if our chart wrote the SVG.
    """
    try:
        return tiles.png(svg, width, draw=lambda part: shades.in_colours(canvas.drawn(part), shades.palette()))
    except Unknown as why:
        log.debug("a picture is drawn whole: %s", why)
    out = io.BytesIO()
    _with_palette(_drawn(svg, width)).save(out, "PNG", compress_level=strips.LEVEL)
    return out.getvalue()


def _drawn(svg: str, width: int) -> Image.Image:
    drawn = resvg_py.svg_to_bytes(
        svg_string=svg,
        width=width,
        font_files=FONTS,
        skip_system_fonts=True,
        font_family=FAMILY,
        sans_serif_family=FAMILY,
    )
    with Image.open(io.BytesIO(bytes(drawn))) as picture:
        return picture.convert("RGB")


def _with_palette(picture: Image.Image) -> Image.Image:
    """Return the picture with one byte per pixel, each colour replaced by the nearest of the palette. Boards are opaque."""
    found = cast("list[tuple[int, Colour]] | None", picture.getcolors(MOST_COLOURS))
    if found is None:  # not drawn by an engine
        return picture.quantize(COLOURS, dither=Image.Dither.NONE)
    return shades.in_colours(picture, bytes(chain.from_iterable(_chosen({colour: count for count, colour in found}))))


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
