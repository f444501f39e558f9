"""Lists are chosen by taps: each tap takes one more thing, nothing twice, and every command comes out complete.

The forms are those that the page makes of a schema, filled in by the script of the page.
"""

import pytest
from django.template.loader import render_to_string
from playwright.sync_api import Page

from gamesvc.games.kernel.forms import fault
from gamesvc.games.kernel.game import Form
from gamesvc.games.kernel.targets import stands
from gamesvc.web.common.controls import placed, sheet
from gamesvc.web.common.posted import read

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("many_matches")]
TAPPED = """async ([html, taps]) => {
  const { Filling } = await import("/static/table/forms.js");
  const form = document.createElement("form");
  form.innerHTML = html;
  document.body.append(form);
  const filling = new Filling(form);
  for (const target of taps) filling.take(target);
  const posted = {};
  for (const [name, value] of new FormData(form)) (posted[name] ??= []).push(value);
  const asked = filling.question().map((radio) => radio.value);
  return { posted, asked, next: [...filling.next()].sort(), complete: form.checkValidity() };
}"""


MANY = ("a1", "b1", "c1", "d1", "e1", "f1", "g1", "h1")
"""More than stand in numbered rows: check boxes."""


def listed(cards: list[str], least: int, most: int, *, ordered: bool = False) -> Form:
    items = {"type": "array", "items": {"enum": cards}, "minItems": least, "maxItems": most, "uniqueItems": True}
    return Form("pick", "Pick", {"cards": {**items, "ordered": True} if ordered else items})


def tap(page: Page, form: Form, taps: list[str]) -> dict:
    """Tap the first letter of what each card is called: cards with the same letter lie on one stack, those with x nowhere."""
    drawn = placed(sheet(form), stands(lambda _command, _field, value: str(value)[0].replace("x", "") or None, form), "main")
    html = "".join(render_to_string("web/control.html", {"control": control}) for control in drawn.controls)
    found = page.evaluate(TAPPED, [html, taps])
    found["cards"] = read(drawn, found["posted"])["cards"] if found["complete"] else None
    return found


@pytest.fixture
def page(opened) -> Page:
    return opened(None, "/")


@pytest.mark.parametrize(
    ("form", "taps", "cards"),
    [
        (listed(["a1", "a2"], 2, 2), [], ["a1", "a2"]),
        (listed(["a1", "a2"], 2, 2), ["a"], ["a1", "a2"]),
        (listed(["a1", "b1", "b2"], 3, 3), ["b"], ["a1", "b1", "b2"]),
        (listed(["a1", "a2", "a3", "b1"], 2, 2), ["a", "a"], ["a1", "a2"]),
        (listed(["a1", "b1", "c1"], 1, 1), ["b"], ["b1"]),
        (listed(["a1", "b1", "c1"], 1, 1), ["b", "c"], ["c1"]),
        (listed(["a1", "b1"], 2, 2, ordered=True), ["b", "a"], ["b1", "a1"]),
        (listed(["a1", "b1", "c1"], 3, 3, ordered=True), ["b", "a", "a", "c", "a"], ["b1", "c1", "a1"]),
        (listed(["a1", "a2"], 2, 2, ordered=True), ["a", "a"], ["a1", "a2"]),
        (listed(["a1", "a2", "b1"], 3, 3, ordered=True), ["a", "b", "a"], ["a1", "b1", "a2"]),
        (listed(["a1", "a2", "b1"], 2, 2, ordered=True), ["a", "a", "a", "b", "a"], ["b1", "a1"]),
        (listed([*MANY], 3, 3, ordered=True), ["c", "f", "a"], ["c1", "f1", "a1"]),
        (listed([*MANY], 3, 3, ordered=True), ["c", "f", "c", "a", "c"], ["f1", "a1", "c1"]),
        (listed([*MANY], 3, 3), ["c", "f", "a"], ["a1", "c1", "f1"]),
    ],
)
def test_taps_choose_a_list(page, form, taps, cards):
    found = tap(page, form, taps)
    assert found["cards"] == cards
    assert fault(form.schema(), {"name": "pick", "cards": found["cards"]}) is None


def test_what_is_in_a_list_already_is_not_lit_for_its_next_row(page):
    assert tap(page, listed(["a1", "b1", "c1"], 3, 3, ordered=True), ["b"])["next"] == ["a", "c"]
    assert tap(page, listed(["a1", "a2", "b1"], 3, 3, ordered=True), ["a", "b"])["next"] == ["a"]


def test_what_the_board_does_not_show_is_asked_for_in_the_bar(page):
    """The Space War: Naalox takes one Drone out of a discard pile."""
    found = tap(page, listed(["x1", "x2", "x3"], 1, 1), [])
    assert (found["asked"], found["complete"]) == (["x1", "x2", "x3"], False)
