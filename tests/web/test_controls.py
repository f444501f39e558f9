"""Controls: everything a form offers can be chosen on the page and comes back as the same command."""

import random
import re

import pytest
from django.template.loader import render_to_string

from gamesvc.games import catalog
from gamesvc.games.acts import merged
from gamesvc.games.kernel.forms import Unfillable, fault, fill
from gamesvc.games.kernel.game import Form
from gamesvc.games.kernel.targets import stands
from gamesvc.web.common.controls import Control, control, key_of, placed, sheet
from gamesvc.web.common.posted import Unreadable, read
from tests.web.posting import canonical, encode

FORMS = [
    Form("end", "End the turn"),
    Form(
        "move",
        "Move",
        {"from": {"const": "E5"}, "to": {"enum": ["E4", "F5"]}, "fleets": {"type": "integer", "minimum": 1, "maximum": 3}},
    ),
    Form("bid", "Bid", {"amount": {"type": "integer", "minimum": 0, "maximum": 40}}),
    Form(
        "pick",
        "Pick",
        {"cards": {"type": "array", "items": {"enum": ["a", "b", "c", "d"]}, "uniqueItems": True, "minItems": 2, "maxItems": 3}},
    ),
    Form(
        "pay",
        "Pay",
        {
            "cards": {
                "type": "array",
                "items": {"enum": ["move", "build"], "labels": {"move": "Move", "build": "Build"}},
                "supply": {"move": 3, "build": 2},
                "total": {"minimum": 2, "maximum": 4, "worth": {"move": 1, "build": 2}},
            }
        },
    ),
    Form("hold", "Hold", {"dice": {"type": "array", "items": {"enum": [0, 1, 2]}, "supply": {}, "maxItems": 0}}),
    Form(
        "split",
        "Split",
        {
            "damage": {
                "type": "object",
                "properties": {
                    "x": {"type": "integer", "minimum": 0, "maximum": 4},
                    "y": {"type": "integer", "minimum": 0, "maximum": 20},
                },
                "required": ["x", "y"],
                "total": {"minimum": 4, "maximum": 4},
            }
        },
    ),
    Form(
        "moves",
        "Moves",
        {
            "legs": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"ship": {"enum": ["s1", "s2", "s3"]}, "to": {"enum": ["A", "B"]}, "fast": {"type": "boolean"}},
                    "required": ["ship", "to", "fast"],
                },
                "pairwise": ["ship"],
                "minItems": 1,
                "maxItems": 3,
            }
        },
    ),
    Form("say", "Say", {"text": {"type": "string", "maxLength": 20}, "loud": {"type": "boolean"}}),
    Form("maybe", "Maybe", {"target": {"enum": ["x", "y"]}, "n": {"type": "integer", "minimum": 1, "maximum": 90}}, required=()),
    Form("null", "Null", {"target": {"enum": ["x", None]}, "why": {"type": ["string", "null"], "minLength": 1, "maxLength": 5}}),
    Form(
        "either",
        "Either",
        {
            "act": {
                "oneOf": [
                    {
                        "type": "object",
                        "properties": {"kind": {"const": "trade"}, "n": {"type": "integer", "minimum": 1, "maximum": 3}},
                        "required": ["kind", "n"],
                    },
                    {"type": "object", "properties": {"kind": {"const": "pass"}}, "required": ["kind"]},
                ]
            }
        },
    ),
    Form(
        "order",
        "Order",
        {
            "cards": {
                "type": "array",
                "items": {"enum": [1, 2, 3]},
                "uniqueItems": True,
                "minItems": 3,
                "maxItems": 3,
                "ordered": True,
            }
        },
    ),
    Form("path", "Path", {"path": {"type": "array", "items": {"enum": ["A1", "A2"]}, "minItems": 1, "maxItems": 4}}),
    Form("by", "By", {"by": {"oneOf": [{"type": "null"}, {"type": "integer", "minimum": 0, "maximum": 3}]}}),
    Form("constants", "Constants", {"mode": {"oneOf": [{"const": 1, "title": "One"}, {"const": 2, "title": "Two"}]}}),
]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_everything_a_form_offers_can_be_posted(form):
    rng = random.Random(form.name)
    for _ in range(60):
        try:
            command = fill(form, rng)
        except Unfillable:
            continue
        found = read(sheet(form), encode(sheet(form), command))
        assert canonical(found) == canonical(command)
        assert fault(form.schema(), found) is None


def test_rows_keep_their_order():
    form = next(form for form in FORMS if form.name == "order")
    assert read(sheet(form), {"cards.0": ["3"], "cards.1": ["1"], "cards.2": ["2"]})["cards"] == [3, 1, 2]


def test_the_key_changes_with_what_is_offered():
    assert key_of(FORMS[1]) == key_of(FORMS[1])
    assert key_of(FORMS[1]) != key_of(FORMS[2])


def test_nothing_to_choose_is_a_plain_button():
    assert sheet(FORMS[0]).plain
    assert sheet(Form("go", "Go", {"to": {"const": "A1"}})).plain
    assert not sheet(FORMS[1]).plain


@pytest.mark.parametrize(
    ("form", "posted", "path"),
    [
        (FORMS[1], {"fleets": ["1"]}, "to"),
        (FORMS[1], {"to": ["Z9"], "fleets": ["1"]}, "to"),
        (FORMS[2], {"amount": ["many"]}, "amount"),
        (FORMS[2], {}, "amount"),
        (FORMS[3], {"cards": ["a", "zzz"]}, "cards"),
        (FORMS[4], {"cards.0": ["900000000"]}, "cards.0"),
        (FORMS[4], {"cards.0": ["1" * 5000]}, "cards.0"),
        (FORMS[11], {"act": ["9"]}, "act"),
    ],
)
def test_a_field_that_is_no_value_is_named(form, posted, path):
    with pytest.raises(Unreadable) as caught:
        read(sheet(form), posted)
    assert caught.value.parameter == path


def test_a_choice_of_nothing_is_not_shown():
    form = Form("move", "Move", {"free": {"const": False}, "escort": {"enum": [0]}}, required=())
    assert [one.kind for one in sheet(form).controls] == ["absent", "absent"]
    assert sheet(form).plain
    assert read(sheet(form), {}) == {"name": "move"}


def test_what_is_settled_stands_beside_the_label_without_the_names_of_fields():
    """Menus on the board read "Build a station: card Defense Station, 3 credits, system 0,0 Homeworld"."""
    station, home = (
        {"const": "defense_station", "title": "Defense Station, 3 credits"},
        {"const": "0,0", "title": "0,0 Homeworld"},
    )
    [act] = merged(catalog.game("star_commander"), [Form("build_station", "Build a station", {"card": station, "cell": home})])
    assert sheet(act).summary == "Build a station: Defense Station, 3 credits, 0,0 Homeworld"


def test_labels_worths_and_supplies_are_shown():
    cards = sheet(FORMS[4]).controls[0]
    assert [child.label for child in cards.children] == ["Move · 1 (of 3)", "Build · 2 (of 2)"]
    assert cards.note == "Worth together 2 to 4."
    many = control({"enum": [f"C{n}" for n in range(40)], "title": "Space"}, "space")
    assert (many.kind, many.label) == ("select", "Space")


def test_defaults_are_chosen():
    edition = control({"enum": ["basic", "full"], "default": "full"}, "edition")
    assert [option.chosen for option in edition.options] == [False, True]
    assert control({"type": "boolean", "default": True}, "secret").value == "true"


def test_an_optional_yes_or_no_with_a_usual_answer_is_one_box() -> None:
    form = Form("move", "Move", {"hold": {"type": "boolean", "default": False}, "far": {"type": "boolean"}}, ())
    assert [one.kind for one in sheet(form).controls][:1] == ["check"]
    assert read(sheet(form), {"hold": ["true"]}) == {"name": "move", "hold": True}
    assert read(sheet(form), {}) == {"name": "move"}


def test_options_name_their_parts_of_the_picture() -> None:
    spaces = {"type": "array", "items": {"enum": ["E5", "F5"]}, "uniqueItems": True}
    rows = {"type": "array", "items": {"type": "object", "properties": {"to": {"enum": ["E5", "G5"]}}, "required": ["to"]}}
    form = Form(
        "go",
        "Go",
        {
            "to": {"enum": ["E5", "nowhere"]},
            "over": {"oneOf": [{"const": "none"}, spaces]},
            "legs": rows,
            "seat": {"enum": [0, 1]},
            "mode": {"oneOf": [spaces, {"type": "object", "properties": {"at": {"type": "integer"}}}]},
        },
    )

    def part(command: str, field: str, value: object) -> str | None:
        assert command == "go"
        return f"part {value}" if field != "over" and (value in ("E5", "G5") or (field, value) == ("seat", 0)) else None

    shown = placed(sheet(form), stands(part, form), "main")
    parts = {(control.path, option.value): option.part for control in _all(shown.controls) for option in control.options}
    assert {place: name for place, name in parts.items() if name} == {
        ("to", "E5"): "part E5",
        **{(f"legs.{row}.to", space): f"part {space}" for row in range(12) for space in ("E5", "G5")},
        ("seat", "0"): "part 0",
        ("mode.0", "E5"): "part E5",
    }


def test_a_place_begins_the_alternative_that_starts_there() -> None:
    """From A10 fleets reach A9 alone, where others stand: a tap on those moved the fleet of A10."""
    moves = [
        {"title": "From A10", "properties": {"from": {"const": "A10"}, "to": {"const": "A9"}}},
        {"title": "From A9", "properties": {"from": {"const": "A9"}, "to": {"enum": ["A8", "B9"]}}},
    ]
    form = Form(
        "move",
        "Move",
        choice={"title": "Which one", "oneOf": [{"type": "object", **one, "required": ["from", "to"]} for one in moves]},
    )

    def cell(_command: str, _field: str, value: object) -> str:
        return f"cell:{value}"

    (which,) = placed(sheet(form), stands(cell, form), "main").controls
    assert [option.part for option in which.options if option.value.isdecimal()] == ["cell:A10", "cell:A9"]
    assert which.part == ""


def _all(tree: tuple[Control, ...]) -> list[Control]:
    return [found for control in tree for found in (control, *_all(control.children))]


def test_a_default_that_is_needed_is_chosen_on_the_page():
    chosen = control({"enum": ["a", "b"], "default": "b", "title": "Which"}, "which", True)
    page = render_to_string("web/control.html", {"control": chosen})
    assert re.findall(r'value="b"\s+checked\s+required>', page)
    assert re.findall(r'value="a"\s*required>', page)
