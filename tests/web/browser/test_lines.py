"""An analysis board in a real browser: played, walked along, kept as a tree of conditional orders, edited by clicks."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from gamesvc.matches.access.selectors import access_match
from gamesvc.matches.lobby import forks
from tests.web.browser.conftest import PHONE, WIDE
from tests.web.browser.playing import Played, confirm

pytestmark = pytest.mark.browser


def press(page, *corners: str) -> None:
    """Place Homeworlds, one side after the other."""
    for corner in corners:
        page.locator(f'.hits [data-t="cell:{corner}"].can').click()
        assert confirm(page)
        expect(page.locator(".steps-of-line .now")).to_contain_text(corner)


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_a_line_becomes_a_tree_of_conditional_orders(opened, size):
    played = Played("stratastar", 2)
    user = played.users[1 if played.waits_for(0) else 0]
    page = opened(user, played.path, size, dark=size == PHONE)
    page.locator("#bar").get_by_role("button", name="Analyse").click()
    expect(page.locator("#head")).to_contain_text("Analysis")
    press(page, "A1", "J10")
    page.locator("#line-previous").click()
    expect(page.locator(".steps-of-line .ahead")).to_have_count(1)
    page.locator("#line-next").click()
    expect(page.locator(".steps-of-line .ahead")).to_have_count(0)
    assert not Axe().run(page).response["violations"]
    if size == PHONE:
        page.locator("#tab-turn").click()
    page.get_by_role("link", name="Keep this line").click()
    expect(page.locator("ol.tree li")).to_have_count(1)
    assert not Axe().run(page).response["violations"]
    page.get_by_role("button", name="Keep the line").click()
    page.wait_for_url(f"**{played.path}#standing")
    if size == PHONE:
        page.locator("#tab-turn").click()
    expect(page.locator("#standing .tree > li")).to_have_count(1)
    assert not Axe().run(page).response["violations"]
    page.get_by_role("button", name="Remove branch 1").click()
    expect(page.locator("#standing .tree > li.past")).to_have_count(1)
    expect(page.locator("#standing")).to_contain_text("Cancelled")


def test_a_tree_grows_without_scripts(opened):
    played = Played("stratastar", 2)
    me = 1 if played.waits_for(0) else 0
    board = forks.fork(
        access=access_match(user=played.users[me], ident=str(played.match.pk)), version=played.seen_version, board=True
    )
    played.plays_on(board, 1 - me, {"name": "place_homeworld", "corner": "A1"})
    played.plays_on(board, me, {"name": "place_homeworld", "corner": "J10"})
    page = opened(played.users[me], f"/matches/{board.number}/", scripts=False)
    page.get_by_role("link", name="Keep this line").click()
    page.get_by_role("button", name="Keep the line").click()
    page.get_by_role("button", name="Add to branch 1").click()
    expect(page.locator(".steps-of-line li")).to_have_count(3)
