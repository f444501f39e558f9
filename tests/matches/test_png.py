"""Pictures for mails."""

import struct
import zlib

from gamesvc.games.chart import Chart
from gamesvc.matches.png import COLOURS, FONTS, to_png


def chunks(png):
    position, found = 8, {}
    while position < len(png):
        length, kind = struct.unpack(">I4s", png[position : position + 8])
        found[kind] = png[position + 8 : position + 8 + length]
        position += 12 + length
    return found


def pixels(png):
    parts = chunks(png)
    width, height = struct.unpack(">II", parts[b"IHDR"][:8])
    raw, palette = zlib.decompress(parts[b"IDAT"]), parts[b"PLTE"]
    return [[tuple(palette[3 * i : 3 * i + 3]) for i in raw[y * (width + 1) + 1 : (y + 1) * (width + 1)]] for y in range(height)]


def board():
    chart = Chart(720, 200, prefix="42", title="t", desc="d")
    chart.rect(100, 50, 100, 100, fill="R")
    chart.rect(300, 50, 100, 100, fill="area-B")
    chart.text(20, 30, "Stratastar", size=30, weight=700)
    return chart.svg()


def test_a_picture_has_a_palette_and_the_right_colours():
    png = to_png(board(), width=360)
    parts = chunks(png)
    assert len(FONTS) == 3
    assert struct.unpack(">IIBB", parts[b"IHDR"][:10]) == (360, 100, 8, 3)
    assert len(parts[b"PLTE"]) <= 3 * COLOURS
    rows = pixels(png)
    assert rows[50][75] == (0xC2, 0x3B, 0x22)
    assert rows[99][359] == (0xF2, 0xF5, 0xF6)


def test_text_is_drawn_with_our_own_font():
    rows = pixels(to_png(board(), width=720))
    dark = sum(pixel == (0x13, 0x21, 0x3A) for row in rows[5:32] for pixel in row[20:160])
    assert dark > 300


def test_the_same_picture_gives_the_same_bytes():
    assert to_png(board(), 360) == to_png(board(), 360)
