"""The replay as it lies on a screen: the board in sight, buttons that stay, room for the log."""

import pytest
from playwright.sync_api import Page

from tests.web.browser.conftest import PHONE, WIDE
from tests.web.browser.playing import Played

pytestmark = pytest.mark.browser
ACTS = 24
SEEN = """() => {
    const pane = document.querySelector("#p-log").getBoundingClientRect();
    return [...document.querySelectorAll("#p-log .log > li:not(.turn, .since)")].filter((act) => {
        const box = act.getBoundingClientRect();
        return box.top >= pane.top && box.bottom <= pane.bottom;
    }).length;
}"""
BUTTONS = """() => [...document.querySelectorAll("#bar .btn")].filter((button) => button.offsetParent).map((button) => {
    const box = button.getBoundingClientRect();
    return [button.textContent.trim(), ...[box.x, box.y, box.width].map(Math.round)];
})"""


def played_on(game: str) -> Played:
    played = Played(game, 2)
    for _ in range(ACTS):
        played.bot_acts(next(seat for seat in (0, 1) if played.waits_for(seat)))
    return played


def at_version(page: Page, version: int) -> None:
    page.wait_for_function("at => document.querySelector('#bar .scrub input[type=range]').defaultValue == at", arg=str(version))


@pytest.mark.parametrize("size", [PHONE, (768, 1024), WIDE])
def test_the_buttons_of_a_replay_stay_where_they_are(opened, size):
    played = played_on("stratastar")
    last = played.seen_version
    page = opened(played.users[0], f"{played.path}?at={last}", size)
    before = page.evaluate(BUTTONS)
    page.get_by_role("link", name="Previous").click()
    at_version(page, last - 1)
    assert page.evaluate(BUTTONS) == before
    page.get_by_role("link", name="First").click()
    page.wait_for_function("() => document.querySelectorAll('#bar .steps :disabled').length === 2")
    assert page.evaluate(BUTTONS) == before


def test_the_board_stays_in_sight_beside_an_open_log(opened):
    played = played_on("stratastar")
    page = opened(played.users[0], f"{played.path}?at={played.seen_version}", PHONE)
    page.locator("#tab-log").click()
    assert "up" in str(page.locator("#side").get_attribute("class"))
    top, side = page.locator("#chart").bounding_box(), page.locator("#side").bounding_box()
    assert top is not None
    assert side is not None
    assert side["y"] - max(top["y"], 0) > 300


def test_the_log_has_room_on_a_low_screen(opened):
    played = played_on("star_commander")
    page = opened(played.users[0], played.path, WIDE)
    page.locator("#tab-log").click()
    assert page.evaluate(SEEN) >= 3
