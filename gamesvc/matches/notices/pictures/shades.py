"""The fixed palette of pictures in the house's colours: these, and the shades between those that meet on a board."""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import chain

from PIL import Image

from gamesvc.games.drawing.chart import COLOURS

Colour = tuple[int, int, int]

STEPS = 6
"""Shades between two colours. With fewer, the edges of letters look rough; more make the file larger."""

_MEETING = (
    *(("ink", ground) for ground in ("panel", "tint", "buff", "R", "B", "Y", "G")),
    *(("ink2", ground) for ground in ("panel", "tint")),
    *(("panel", area) for area in ("line", "over", "R", "B", "Y", "G", "P")),
)


def in_colours(picture: Image.Image, colours: bytes) -> Image.Image:
    """Return the picture with one byte per pixel, each of its colours replaced by the nearest of those given."""
    few = picture.quantize(palette=_wanted(colours), dither=Image.Dither.NONE)
    few.putpalette(colours, "RGB")
    return few


@cache
def palette() -> bytes:
    """Return the palette of the house, three bytes a colour."""
    named = {name: _colour(written) for name, written in COLOURS.items()}
    between = ((_mixed(named[one], named[other], step) for step in range(1, STEPS + 1)) for one, other in _MEETING)
    return bytes(chain.from_iterable(dict.fromkeys([*named.values(), *chain.from_iterable(between)])))


@lru_cache(maxsize=4)
def _wanted(colours: bytes) -> Image.Image:
    # Filled up with its first colour, so that no unused entry is nearest to anything.
    wanted = Image.new("P", (1, 1))
    wanted.putpalette(colours + colours[:3] * (256 - len(colours) // 3), "RGB")
    return wanted


def _colour(written: str) -> Colour:
    red, green, blue = bytes.fromhex(written[1:])
    return red, green, blue


def _mixed(one: Colour, other: Colour, step: int) -> Colour:
    red, green, blue = (round(a + (b - a) * step / (STEPS + 1)) for a, b in zip(one, other, strict=True))
    return red, green, blue
