"""What a phone shows is large enough for a finger: 24 by 24 pixels at least (WCAG 2.2, 2.5.8)."""

import pytest

from tests.web.browser.conftest import PHONE
from tests.web.browser.playing import Played

pytestmark = pytest.mark.browser
SMALLEST = 24
ACTS = (0, 12, 45)
"""How many acts lie before the positions that are measured."""

TARGETS = """() => {
  const controls = "a.btn, button, summary, select, textarea, label.chip, .tabs a, [role=tab], .line a, input:not([type=hidden])";
  const inLabel = (e) => e.matches("input") && e.closest("label.chip");
  const all = [...document.querySelectorAll(`.hits [data-t], :is(${controls})`)];
  return all.filter((e) => e.checkVisibility() && !inLabel(e)).map((e) => {
    const { width, height } = e.getBoundingClientRect();
    return [e.dataset.t ?? e.textContent.trim().slice(0, 40), width, height];
  });
}"""
COVERED = """async (name) => {
  const hit = document.querySelector(`.hits [data-t="${name}"]`);
  hit.scrollIntoView({ block: "nearest" });
  const { x, y, width, height } = hit.getBoundingClientRect();
  return document.elementFromPoint(x + width / 2, y + height / 2)?.dataset.t ?? "";
}"""


@pytest.mark.usefixtures("many_matches")
@pytest.mark.parametrize(
    ("game", "seats"), [("stratastar", 2), ("space_fleet_commander", 1), ("star_commander", 2), ("space_war", 2)]
)
def test_everything_to_tap_on_a_phone_is_large_enough(opened, game, seats):
    played = Played(game, seats)
    page = opened(played.users[0], played.path, PHONE, touch=True)
    done = 0
    for acts in ACTS:
        while done < acts:
            played.bot_acts(next(seat for seat in range(seats) if played.waits_for(seat)))
            done += 1
        page.goto(played.path)
        page.locator("#tab-turn").tap()
        found = page.evaluate(TARGETS)
        assert len(found) > 20
        assert not [one for one in found if min(one[1:]) < SMALLEST]
        page.locator("#tab-turn").tap()
        for name in played.drawn(0):
            tab = page.locator(".tabs a")
            for at in range(tab.count()):
                tab.nth(at).tap()
                if page.evaluate(COVERED, name) == name:
                    break
            assert page.evaluate(COVERED, name) == name
