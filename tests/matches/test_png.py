"""Pictures for mails."""

import io
import itertools
from concurrent.futures import ThreadPoolExecutor

import pytest
from PIL import Image, ImageChops

from gamesvc.games import catalog, selfplay
from gamesvc.games.drawing.chart import COLOURS as HOUSE
from gamesvc.games.drawing.chart import Chart
from gamesvc.games.drawing.extents import Unknown, box_of
from gamesvc.games.drawing.sheets import apart
from gamesvc.games.kernel.game import Caption
from gamesvc.games.kernel.timeline import Timeline
from gamesvc.matches.notices.pictures import canvas, png, shades, tiles
from gamesvc.matches.notices.pictures.png import FONTS, to_png
from gamesvc.matches.notices.pictures.tiles import TILE, Kept

OPTIONS = {"stratastar": {"homeworld_choice": "random"}, "space_fleet_commander": {"mode": "race"}}


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
    assert len(picture.getcolors()) <= 256
    colours = picture.convert("RGB")
    assert colours.getpixel((75, 50)) == rgb("R")
    assert colours.getpixel((359, 99)) == rgb("paper")


def test_text_is_drawn_with_our_own_font():
    picture = opened(to_png(board(), width=720)).convert("RGB").crop((20, 5, 160, 32))
    assert {colour: count for count, colour in picture.getcolors()}[rgb("ink")] > 300


@pytest.fixture
def nothing_kept(monkeypatch):
    def forget():
        monkeypatch.setattr(tiles, "TILES", Kept(tiles.MOST_TILES))
        monkeypatch.setattr(tiles, "STRIPS", Kept(tiles.MOST_STRIPS))
        to_png.cache_clear()

    forget()
    return forget


def positions(game, most=6):
    """Return pictures of a match as both seats and a spectator see it, at some moments."""
    options = OPTIONS.get(game.id, {}) | selfplay.bounded(game)
    record = selfplay.play(game, options=options, seats=2, seed="pictures", check_every=0)
    timeline, pictures, done = Timeline(game), [], 0
    for end in record.ends[:: max(1, len(record.ends) // most)]:
        timeline.fold(record.events[done:end])
        done = end
        for viewer in (0, 1, None):
            pictures.append(game.picture(game.view(timeline.state, viewer), Caption("7", ("Anna", "Bob"))))
    return pictures


def unlike(one, other):
    """Return by how much a small square of a picture differs from the other's. Soft edges may."""
    differences = ImageChops.difference(one.convert("RGB"), other.convert("RGB"))
    squares = differences.resize((one.width // 12, one.height // 12), Image.Resampling.BOX)
    return max(high for _low, high in squares.getextrema())


@pytest.mark.parametrize("most", [2, pytest.param(6, marks=pytest.mark.long)])
@pytest.mark.parametrize("game", catalog.games(), ids=lambda game: game.id)
def test_a_picture_in_tiles_is_the_picture_drawn_whole(game, most, nothing_kept):
    for svg in positions(game, most):
        sheet = apart(svg, 360, TILE)  # nothing in it is unknown
        whole = png._drawn(svg, 360)
        tiled = opened(to_png(svg, 360))
        assert tiled.size == (sheet.width, sheet.height) == whole.size
        assert unlike(whole, tiled) < 40


@pytest.mark.parametrize("game", catalog.games(), ids=lambda game: game.id)
def test_a_picture_is_the_same_whatever_was_drawn_before(game, nothing_kept):
    """Nothing of another viewer's picture gets into mine."""
    pictures = positions(game, most=1)
    after_others = [to_png(svg, 240) for svg in pictures]
    for svg, known in zip(pictures, after_others, strict=True):
        nothing_kept()
        assert unlike(opened(to_png(svg, 240)), opened(known)) < 8
    opened(known).verify()


def test_only_what_is_new_is_drawn(nothing_kept, monkeypatch):
    drawn = []
    draw = canvas.drawn
    monkeypatch.setattr(canvas, "drawn", lambda svg: drawn.append(draw(svg)) or drawn[-1])
    chart = Chart(720, 720, prefix="42")
    for row, column in itertools.product(range(9), range(9)):
        chart.badge((row + column) % 6, 40 + column * 80, 40 + row * 80, 30)
    to_png(chart.svg(), 1080)
    assert sum(picture.width * picture.height for picture in drawn) == 1080 * 1080
    drawn.clear()
    chart.text(440, 440, "x", size=20)
    to_png(chart.svg(), 1080)
    assert 0 < sum(picture.width * picture.height for picture in drawn) <= 4 * TILE * TILE


def test_what_is_kept_is_bounded(monkeypatch):
    monkeypatch.setattr(tiles, "TILES", Kept(20))
    monkeypatch.setattr(tiles, "STRIPS", Kept(5))
    for number in range(30):
        chart = Chart(720, 200, prefix="42")
        chart.text(20, 30 + number * 3, f"number {number}", size=30)
        to_png(chart.svg(), 1080)
    assert (len(tiles.TILES), len(tiles.STRIPS)) == (20, 5)
    kept = Kept(2)
    for key in ("a", "b", "a", "c"):
        kept.put(key, key)
    assert [kept.get(key) for key in ("a", "b", "c")] == ["a", None, "c"]


@pytest.mark.parametrize(
    "markup",
    [
        '<rect x="10" y="10" width="30" height="5" fill="#13213A" transform="skewX(20)"/>',
        '<path d="M0 0T5 5" fill="#13213A"/>',
        '<path d="M0 0L5" fill="#13213A"/>',
        '<image href="a.png"/>',
        '<text x="1" y="2" font-size="1em" fill="#13213A">a</text>',
        '<text x="1" y="2" font-size="10" fill="#13213A">a<tspan>b</tspan></text>',
        "text between",
    ],
)
def test_markup_of_unknown_extent_is_drawn_whole(markup):
    with pytest.raises(Unknown):
        box_of(markup)
    chart = Chart(72, 72, prefix="42")
    chart.raw(markup)
    assert opened(to_png(chart.svg(), 72)).size == (72, 72)


def test_other_colours_than_the_house_s_are_kept():
    chart = Chart(72, 72, prefix="42")
    chart.raw('<rect x="0" y="0" width="72" height="72" fill="#00FF00"/>')
    assert opened(to_png(chart.svg(), 72)).convert("RGB").getpixel((36, 36)) == (0, 255, 0)


def test_a_box_holds_all_that_its_element_draws():
    """Drawn alone, an element leaves nothing outside its box."""
    elements = {line for game in catalog.games() for svg in positions(game, most=2) for line in apart(svg, 720, TILE).elements}
    for element in sorted(elements)[::40]:
        if "url(" in element:
            continue
        left, top, right, bottom = box_of(element)
        around = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-50 -50 900 3000" width="900" height="3000">{element}</svg>'
        used = png._drawn(around, 300).convert("L").getbbox()  # undrawn is black, and so would be what is all black
        if used is not None:
            found = [edge * 3 - 50 for edge in used]
            assert all(edge >= low - 3 for edge, low in zip(found[:2], (left, top), strict=True)), element
            assert all(edge <= high + 3 for edge, high in zip(found[2:], (right, bottom), strict=True)), element


def test_the_palette_has_the_colours_of_the_house():
    palette = shades.palette()
    assert len(palette) <= 768
    assert {rgb(name) for name in HOUSE} <= set(zip(palette[::3], palette[1::3], palette[2::3], strict=True))


def test_the_same_picture_gives_the_same_bytes(nothing_kept):
    first = to_png(board(), 360)
    nothing_kept()
    assert to_png(board(), 360) == first


def test_flat_grounds_keep_their_colour_in_a_busy_picture():
    chart = Chart(720, 600, prefix="42")
    for row in range(28):
        chart.text(20, 20 + row * 20, "The quick brown fox jumps over the lazy dog, 1234567890 times", colour="ink2")
        chart.badge(row % 6, 680, 20 + row * 20, 18)
    picture = opened(to_png(chart.svg())).convert("RGB")
    assert max(picture.getcolors(1 << 20))[1] == rgb("paper")


def test_every_pattern_is_drawn_as_the_page_shows_it(nothing_kept):
    chart = Chart(720, 400, prefix="42")
    for number, letter in enumerate("RBYGPW"):
        left = 10 + 115 * number
        chart.rect(left, 10, 100, 100, fill=f"area-{letter}", stroke="ink", rx=8)
        chart.circle(left + 50, 180, 45, fill=f"area-{letter}", stroke="ink", line=3)
        chart.path(f"M{left} 250L{left + 100} 250L{left + 50} 390Z", fill=f"area-{letter}")
    drawn = opened(to_png(chart.svg(), 1080))
    assert unlike(png._drawn(chart.svg(), 1080), drawn) < 20
    assert len(tiles.STRIPS) == 5


@pytest.mark.parametrize(
    "words", ['fill="url(#42-pR)"', "<text x>", "&amp; & é ĳ", "AVAToW", "漢字 ☃", "", "' \" \\", "=?utf-8?q?a?=", "شبكة"]
)
@pytest.mark.parametrize("weight", [400, 600, 700])
def test_words_of_players_are_drawn_as_the_page_shows_them(words, weight, nothing_kept):
    chart = Chart(720, 120, prefix="42")
    chart.text(360, 60, words, size=40, weight=weight, anchor="middle")
    chart.text(20, 110, words, colour="ink2")
    chart.text(700, 110, words, anchor="end")
    assert unlike(png._drawn(chart.svg(), 1080), opened(to_png(chart.svg(), 1080))) < 30


def test_threads_draw_one_after_another(nothing_kept):
    """The web server's threads share the engine that draws."""
    pictures = [svg for game in catalog.games() for svg in positions(game, most=1)]
    alone = [canvas.drawn(apart(svg, 360, TILE).part(0, range(3))).tobytes() for svg in pictures]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda svg: canvas.drawn(apart(svg, 360, TILE).part(0, range(3))).tobytes(), pictures * 5))
    assert together == alone * 5
