"""The board and the replay by keyboard alone."""

import pytest
from playwright.sync_api import Page, expect

from tests.web.browser.playing import Played, shown, wait_for_version

pytestmark = pytest.mark.browser


def focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.dataset?.t ?? ''"))


def tab_to_the_board(page: Page) -> None:
    for _ in range(30):
        page.keyboard.press("Tab")
        if focused(page):
            return
    raise AssertionError("no tab stop leads to the board")


def test_a_turn_is_played_with_the_keyboard_alone(opened):
    played = Played("stratastar", 2)
    played.others_act()
    page = opened(played.users[0], played.path)
    before = shown(page)
    tab_to_the_board(page)
    assert page.locator(".hits [tabindex='0']").count() == 1, "the board is one tab stop"
    start = focused(page)
    page.keyboard.press("ArrowRight")
    assert focused(page) != start
    page.keyboard.press("ArrowLeft")
    assert focused(page) == start
    page.keyboard.press("Enter")
    expect(page.locator("#confirm")).to_be_enabled()
    page.wait_for_function("() => document.querySelector('#says span').textContent !== ''")
    page.keyboard.press("Enter")
    wait_for_version(page, before + 1)
    assert focused(page) == start, "the focus stays on the board"


LOST = """() => {
    const all = [...document.querySelectorAll(".hits [data-t]")].filter((hit) => hit.getBoundingClientRect().width > 0);
    const reached = new Set([document.querySelector('.hits [tabindex="0"]')]);
    for (const hit of reached)
        for (const key of ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]) {
            hit.focus();
            hit.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
            reached.add(document.activeElement);
        }
    return all.filter((hit) => !reached.has(hit)).map((hit) => hit.dataset.t);
}"""


@pytest.mark.parametrize("game", ["stratastar", "space_fleet_commander", "star_commander", "space_war"])
def test_the_arrows_lead_to_everything_on_the_board(opened, game):
    played = Played(game, 2)
    for _ in range(12):
        played.others_act()
        played.bot_acts(0)
    played.others_act()
    page = opened(played.users[0], played.path)
    assert page.locator(".hits [data-t]").count() > 15
    assert page.evaluate(LOST) == []


def test_undo_has_a_key(opened):
    played = Played("stratastar", 2)
    played.others_act()
    played.bot_acts(0)
    played.others_act()
    page = opened(played.users[0], played.path)
    while not page.locator("#undo-button").count():
        played.bot_acts(0)
        played.others_act()
        page.reload()
    before = shown(page)
    page.keyboard.press("u")
    wait_for_version(page, before + 1)
    assert shown(page) > before


def test_a_replay_is_steered_by_keys(opened):
    played = Played("stratastar", 2)
    for _ in range(4):
        played.others_act()
        played.bot_acts(0)
    page = opened(played.users[0], f"{played.path}?at=99999")
    last = played.version
    stamp = page.locator(".stamp")
    expect(stamp).to_have_text(f"Version {last} of {last}")
    assert page.locator("form[data-command]").count() == 0, "an old board has no live controls"
    page.keyboard.press("ArrowLeft")
    expect(stamp).to_have_text(f"Version {last - 1} of {last}")
    page.keyboard.press("Home")
    expect(stamp).not_to_have_text(f"Version {last - 1} of {last}")
    assert f"at={shown_at(page)}" in page.url, "the address leads to this version"
    page.keyboard.press("End")
    expect(stamp).to_have_text(f"Version {last} of {last}")
    page.keyboard.press("Escape")
    expect(stamp).to_have_count(0)
    assert "at=" not in page.url


def shown_at(page: Page) -> str:
    return page.locator(".stamp").inner_text().split()[1]
