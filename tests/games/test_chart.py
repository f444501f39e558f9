"""The drawing kit: its output is well-formed, measured and escaped."""

import xml.etree.ElementTree as ET

import pytest

from gamesvc.games.drawing.chart import (
    COLOURS,
    LETTERS,
    Chart,
    cut,
    drawable,
    drawable_caption,
    fit,
    hex_centre,
    hexagon,
    measure,
    wrap,
)
from gamesvc.games.drawing.paper import ICONS
from gamesvc.games.kernel.game import Caption
from gamesvc.games.kernel.targets import Target, tappable

SVG = "{http://www.w3.org/2000/svg}"


def drawing() -> Chart:
    return Chart(720, 400, prefix="42", title="Match <42>", desc="Red & Blue")


def parsed(chart: Chart) -> ET.Element:
    return ET.fromstring(chart.svg())


def everything() -> Chart:
    chart = drawing()
    chart.header("Stratastar", "42", "Turn 9 · Movement", flag="Your move")
    chart.frame(48, 118, 640, 640, columns=10, rows=10)
    chart.grid(48, 118, 64, 10, 10)
    for seat in range(6):
        chart.badge(seat, 30, 30)
        chart.pennant(seat, 60, 30, f"{LETTERS[seat]}3", warfleet=seat % 2 == 0)
        chart.colony([seat], 90, 30)
        chart.colony([seat, seat], 90, 30)
        chart.colony([seat, (seat + 1) % 6], 90, 30)
        chart.homeworld(seat, 10, 10)
        chart.stargate(seat, 10, 10)
        chart.token(seat, 40, 40)
        chart.seat_row(seat, 200, "Ines", you=seat == 0, awaited=True, struck=seat == 3)
        chart.seat_band(seat, 250, "Marek", you=seat == 0, awaited=True)
        for nose in ("up", "down", "left", "right"):
            chart.plate(seat, 0, 0, 94, 46, ["Cruiser", "5 / 7 / 1"], nose=nose, new=True)
    for name in ICONS:
        chart.icon(name, 0, 0, 20, turn=45)
    for kind in ("white", "red", "black"):
        for value in range(1, 7):
            chart.die(value, 0, 0, kind=kind, chosen=value == 1)
    chart.die_box(0, 0, figure="3", filled=True)
    chart.bubbles(0, 0, 2, 5)
    chart.hexcell(50, 50, 87, explored=True)
    chart.reach_hex(50, 50, 87)
    chart.world(0, 0)
    chart.gauge(0, 0, 6, 12)
    chart.selectable(0, 0, 60, 60)
    chart.selected(0, 0, 60, 60)
    chart.move_path([(0, 0), (50, 0), (50, 80)], older=True)
    chart.disc(0, 0, 12)
    chart.threatened(0, 0)
    chart.contested(0, 0)
    chart.blocked(0, 0)
    chart.hidden(0, 0, 66, 76, scouted=True, label="s3")
    chart.card_s(0, 0, "Move", icon="move", chosen=True, count=3)
    chart.card_s(0, 0, "Hunter", icon="spaceship", cost=3, selectable=True)
    chart.card_m(0, 0, "Hunter", cost=3, attack=3, defence=2, damage=1, owner=0, marks=["paralysed"], keyword="Fast", struck=True)
    chart.card_l(0, 0, "Luck", "Counter a card.", cost=0, kind="Event", note="2 in hand", attack=1, defence=2, owner=1)
    chart.card_back(0, 0)
    chart.pile(0, 0, "industry", count=3, label="Industry")
    chart.items(0, 0, [("Drone attacks Titan", "2 damage"), ("Luck", "")])
    chart.fact(0, 0, "credit", 7, "credits")
    chart.rule(0, 0, 100, 10)
    chart.closing(300, "Chosen: 2 Fleets at E5.")
    return chart


def test_a_picture_with_everything_is_well_formed():
    root = parsed(everything())
    assert root.tag == SVG + "svg"
    assert root.find(SVG + "title").text == "Match <42>"
    assert root.find(SVG + "desc").text == "Red & Blue"


def test_every_colour_is_written_twice_as_class_and_as_attribute():
    for element in parsed(everything()).iter():
        for kind, name in (("f-", "fill"), ("s-", "stroke")):
            token = next((c[2:] for c in element.get("class", "").split() if c.startswith(kind)), None)
            value = element.get(name, "none")
            if value.startswith("#"):
                assert COLOURS[token] == value
            elif token is not None:
                pytest.fail(f"{element.tag} has class {kind}{token} and {name}={value}")


def test_every_id_begins_with_the_prefix_and_references_resolve():
    text = everything().svg()
    ids = {element.get("id") for element in ET.fromstring(text).iter() if element.get("id")}
    assert ids == {"m42-t", "m42-d"} | {f"m42-p{letter}" for letter in LETTERS}
    assert "url(#m42-pR)" in text


def test_patterns_are_defined_only_where_they_are_used():
    chart = drawing()
    chart.rect(0, 0, 10, 10, fill="area-B")
    assert [p.get("id") for p in parsed(chart).iter(SVG + "pattern")] == ["m42-pB"]
    assert parsed(drawing()).find(SVG + "defs") is None


def test_text_and_parts_are_escaped():
    chart = drawing()
    with chart.group(label="<b>"):
        chart.text(0, 0, "<script>&")
    root = parsed(chart)
    assert root.find(f".//{SVG}text").text == "<script>&"
    assert root.find(f".//{SVG}g/{SVG}title").text == "<b>"


def test_the_box_of_a_target_goes_around_all_its_places():
    chart = drawing()
    chart.target("hand:move", 10, 20, 30, 40)
    chart.target("hand:move", 50, 10, 30, 40)
    chart.target('cell:A"1', 0, 0, 5, 5)
    picture = chart.svg()
    assert picture.boxes == {"hand:move": (10, 10, 70, 50), 'cell:A"1': (0, 0, 5, 5)}
    shapes = ET.fromstring(tappable(picture, [Target(of, "", "<b>", box) for of, box in picture.boxes.items()]))
    assert [(one.get("data-t"), one.get("aria-label")) for one in shapes.iter() if one.get("data-t")] == [
        ("hand:move", "<b>"),
        ('cell:A"1', "<b>"),
    ]


def test_a_long_text_is_shrunk_to_seventeen_then_cut():
    text = "A rather long name of a technology"
    shown, size = fit(text, measure(text, 18), 22)
    assert (shown, size) == (text, 18)
    shown, size = fit(text, 120, 22)
    assert size == 17
    assert shown.endswith("…")
    assert measure(shown, size) <= 120
    assert cut("short", 200, 20) == "short"


def test_wrapped_lines_fit_and_long_words_are_broken():
    lines = wrap("Experimental Shields of the outer worlds", 64, 17, 600)
    assert lines[0].endswith("-")
    assert all(measure(line, 17, 600) <= 64 for line in lines)
    assert "".join(line.removesuffix("-") for line in lines).replace(" ", "") == "ExperimentalShieldsoftheouterworlds"
    two = wrap("one two three four five six", 60, 20, lines=2)
    assert len(two) == 2
    assert two[1].endswith("…")
    assert wrap("a\nb", 100, 20) == ["a", "b"]


def test_a_name_without_glyphs_is_not_drawn():
    assert drawable_caption(Caption("42", ("Łucja Štěpánová", "田中"))) == Caption("42", ("Łucja Štěpánová", ""))
    assert not drawable("→")


def test_hexes_touch_each_other():
    first, second = hexagon(*hex_centre(0, 0, 87, 20, 20), 87), hexagon(*hex_centre(0, 1, 87, 20, 20), 87)
    below = hexagon(*hex_centre(1, 0, 87, 20, 20), 87)
    assert first[1] == pytest.approx(second[5])
    assert first[2] == pytest.approx(below[0])


def test_figures_have_one_width():
    assert len({measure(figure, 20, weight) for figure in "0123456789" for weight in (700,)}) == 1


def test_a_page_finds_what_lies_below_the_fold_of_a_picture():
    chart = Chart(720, 400, prefix="42", title="T", desc="D", header=False)
    chart.text(20, 100, "board")
    chart.fold(200)
    chart.text(20, 300, "hand")
    [below] = parsed(chart).findall(f"{SVG}g")
    assert (below.get("id"), below.get("data-top")) == ("m42-below", "200")
    assert ["".join(text.itertext()) for text in below.iter(f"{SVG}text")] == ["hand"]
    chart.shows_header = True
    assert not parsed(chart).findall(f"{SVG}g"), "a picture for mails is one"


def test_a_page_finds_what_may_stand_beside_the_board():
    chart = Chart(720, 400, prefix="42", title="T", desc="D", header=False)
    with chart.beside("you", 90, 160):
        chart.text(20, 100, "Ines")
    [band] = parsed(chart).findall(f"{SVG}g")
    assert (band.get("id"), band.get("data-top"), band.get("data-bottom")) == ("m42-you", "90", "160")
    assert ["".join(text.itertext()) for text in band.iter(f"{SVG}text")] == ["Ines"]


def test_a_word_is_broken_at_its_own_hyphen():
    assert wrap("Trigger-Happy Joe", 75, 17, 600) == ["Trigger-", "Happy Joe"]


def test_a_long_word_on_a_card_is_drawn_smaller_rather_than_broken():
    chart = Chart(720, 200)
    chart.card_m(0, 0, "Neutralization", width=106)
    assert ">Neutralization<" in chart.svg()
    chart.card_m(0, 0, "Neutralization of all", width=106)
    assert ">of all<" in chart.svg()
    chart.card_m(0, 0, "Neutralization", width=70)
    assert "-<" in chart.svg()
