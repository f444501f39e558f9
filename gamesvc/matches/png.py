"""Pictures of boards as PNG, for mails: the SVG of an engine, drawn with our own font files, in at most 40 colours.

The same SVG gives the same bytes on every machine: no system fonts are read, and the palette is chosen by count alone.
"""

from __future__ import annotations

import struct
import sys
import zlib
from collections import Counter
from pathlib import Path

import resvg_py

FONTS = sorted(str(path) for path in (Path(__file__).parent / "fonts").glob("*.ttf"))
FAMILY = "Barlow Semi Condensed"
COLOURS = 40
"""Flat colours of a board and the steps between them; more would only make the file larger."""
SIGNATURE = b"\x89PNG\r\n\x1a\n"


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
    return _with_palette(bytes(drawn))


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _rows(png: bytes) -> tuple[int, int, list[bytes]]:
    """Width, height and the unfiltered rows (four bytes a pixel) of a PNG as the renderer writes it."""
    position, body, width, height = 8, b"", 0, 0
    while position < len(png):
        length, kind = struct.unpack(">I4s", png[position : position + 8])
        data = png[position + 8 : position + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", data[:10])
            if (depth, colour) != (8, 6):
                raise ValueError("The renderer is expected to write 8 bit RGBA.")
        elif kind == b"IDAT":
            body += data
        position += 12 + length
    return width, height, _unfiltered(zlib.decompress(body), width * 4, height)


def _added(row: bytes, above: bytes) -> bytes:
    """Bytewise sum modulo 256 of two rows, all bytes at once in one large number."""
    low = int.from_bytes(b"\x7f" * len(row), "little")
    high = low ^ int.from_bytes(b"\xff" * len(row), "little")
    a, b = int.from_bytes(row, "little"), int.from_bytes(above, "little")
    return (((a & low) + (b & low)) ^ ((a ^ b) & high)).to_bytes(len(row), "little")


def _paeth(a: int, b: int, c: int) -> int:
    estimate = a + b - c
    pa, pb, pc = abs(estimate - a), abs(estimate - b), abs(estimate - c)
    if pa <= pb and pa <= pc:
        return a
    return b if pb <= pc else c


def _predicted(row: bytes, above: bytes, kind: int) -> bytes:
    """Undo the filters that look to the left (1 Sub, 3 Average, 4 Paeth), four bytes a pixel.

    Boards are flat: most pixels repeat their neighbours, and those are copied whole.
    """
    out = bytearray(len(row))
    nothing = bytes(4)
    left = corner = nothing
    for at in range(0, len(row), 4):
        found, up = row[at : at + 4], above[at : at + 4]
        if found == nothing and kind != 3 and (kind == 1 or up == corner):
            pixel = left
        elif found == nothing and kind == 4 and left == corner:
            pixel = up
        elif kind == 1:
            pixel = bytes((f + a) & 255 for f, a in zip(found, left))
        elif kind == 3:
            pixel = bytes((f + (a + b) // 2) & 255 for f, a, b in zip(found, left, up))
        else:
            pixel = bytes((f + _paeth(a, b, c)) & 255 for f, a, b, c in zip(found, left, up, corner))
        out[at : at + 4] = pixel
        left, corner = pixel, up
    return bytes(out)


def _unfiltered(raw: bytes, stride: int, height: int) -> list[bytes]:
    rows: list[bytes] = []
    above = bytes(stride)
    for index in range(height):
        start = index * (stride + 1)
        kind, row = raw[start], raw[start + 1 : start + 1 + stride]
        if kind == 2:
            row = _added(row, above)
        elif kind:
            row = _predicted(row, above, kind)
        rows.append(row)
        above = row
    return rows


def _chosen(counts: Counter[int]) -> list[int]:
    """The palette: the commonest colours, then those that the ones so far would miss most."""

    def apart(a: int, b: int) -> int:
        return sum((((a >> shift) & 255) - ((b >> shift) & 255)) ** 2 for shift in (0, 8, 16))

    ranked = sorted(counts, key=lambda colour: (-counts[colour], colour))
    palette = ranked[: COLOURS // 2]
    missed = {colour: min(apart(colour, kept) for kept in palette) for colour in ranked}
    while len(palette) < min(COLOURS, len(ranked)):
        worst = max(ranked, key=lambda colour: missed[colour] * counts[colour])
        if not missed[worst]:
            break
        palette.append(worst)
        for colour in ranked:
            missed[colour] = min(missed[colour], apart(colour, worst))
    return palette


def _with_palette(png: bytes) -> bytes:
    """The same picture with one byte a pixel; every colour becomes the nearest one of the palette. Boards are opaque."""
    width, height, rows = _rows(png)
    pixels = [memoryview(row).cast("I") for row in rows]
    counts: Counter[int] = Counter()
    for row in pixels:
        counts.update(row)
    palette = _chosen(counts)
    channels = [colour.to_bytes(4, sys.byteorder)[:3] for colour in palette]

    def nearest(colour: int) -> int:
        wanted = colour.to_bytes(4, sys.byteorder)[:3]
        return min(range(len(channels)), key=lambda i: sum((a - b) ** 2 for a, b in zip(channels[i], wanted)))

    place = {colour: nearest(colour) for colour in counts}
    body = b"".join(b"\0" + bytes(map(place.__getitem__, row)) for row in pixels)
    return (
        SIGNATURE
        + _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0))
        + _chunk(b"PLTE", b"".join(channels))
        + _chunk(b"IDAT", zlib.compress(body, 9))
        + _chunk(b"IEND", b"")
    )
