"""Pictures for mails."""

import io

from PIL import Image

from gamesvc.games.drawing.chart import COLOURS as HOUSE
from gamesvc.games.drawing.chart import Chart
from gamesvc.matches.notices.png import COLOURS, FONTS, to_png


def opened(png):
    return Image.open(io.BytesIO(png))


def rgb(token):
    return tuple(bytes.fromhex(HOUSE[token][1:]))


def board():
    chart = Chart(720, 200, prefix="42", title="t", desc="d")
    chart.rect(100, 50, 100, 100, fill="R")
    chart.rect(300, 50, 100, 100, fill="area-B")
    chart.text(20, 30, "Stratastar", size=30, weight=700)
    return chart.svg()


def test_a_picture_has_a_palette_and_the_right_colours():
    picture = opened(to_png(board(), width=360))
    assert len(FONTS) == 3
    assert (picture.size, picture.mode) == ((360, 100), "P")
    assert len(picture.getcolors()) <= COLOURS
    colours = picture.convert("RGB")
    assert colours.getpixel((75, 50)) == rgb("R")
    assert colours.getpixel((359, 99)) == rgb("paper")


def test_text_is_drawn_with_our_own_font():
    picture = opened(to_png(board(), width=720)).convert("RGB").crop((20, 5, 160, 32))
    assert {colour: count for count, colour in picture.getcolors()}[rgb("ink")] > 300


def test_the_same_picture_gives_the_same_bytes():
    assert to_png(board(), 360) == to_png(board(), 360)


def test_flat_grounds_keep_their_colour_in_a_busy_picture():
    chart = Chart(720, 600, prefix="42")
    for row in range(28):
        chart.text(20, 20 + row * 20, "The quick brown fox jumps over the lazy dog, 1234567890 times", colour="ink2")
        chart.badge(row % 6, 680, 20 + row * 20, 18)
    picture = opened(to_png(chart.svg())).convert("RGB")
    assert max(picture.getcolors(1 << 20))[1] == rgb("paper")
