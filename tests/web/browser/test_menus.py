"""Where several commands fit a thing, a menu opens beside it: with what the thing is and does, and a way back."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.web.browser.conftest import PHONE
from tests.web.browser.playing import Played, from_position, lit

pytestmark = pytest.mark.browser
ACTS = 60


def tap(page: Page, target: str) -> None:
    page.locator(f'.hits [data-t="{target}"]').dispatch_event("click")


def with_menus(opened: Callable[..., Page]) -> tuple[Page, list[str], list[str]]:
    """Play The Space War until some things of seat 0 begin one act and others several: with those a tap opens a menu.

    Return a phone's page with both.
    """
    played = Played("space_war", 2)
    page = opened(played.users[0], played.path, PHONE, touch=True)
    for _ in range(ACTS):
        played.bot_acts(0)
        played.others_act()
        assert not played.over
        page.reload()
        single, several = [], []
        for target in lit(page).evaluate_all("hits => hits.map(hit => hit.dataset.t)"):
            tap(page, target)
            (several if page.locator(".menu").count() else single).append(target)
            page.keyboard.press("Escape")
        if single and several:
            return page, single, several
    raise AssertionError("nothing begins two acts")


def test_a_menu_stays_on_the_screen_of_a_phone(opened):
    page, _, several = with_menus(opened)
    for target in several:
        tap(page, target)
        menu = page.locator(".menu")
        expect(menu.locator("p")).to_have_count(1)
        box = menu.bounding_box()
        assert box is not None
        assert 0 <= box["x"] <= PHONE[0] - box["width"], target
        page.keyboard.press("Escape")


def test_escape_in_a_menu_goes_back_to_what_was_chosen(opened):
    page, single, several = with_menus(opened)
    chosen = page.locator('.hits [aria-pressed="true"]')
    tap(page, single[0])
    expect(page.locator("#bar")).to_have_class("bar filling")
    for target in several:
        tap(page, target)
        if page.locator(".menu").count():
            break
    page.keyboard.press("Escape")
    expect(page.locator(".menu")).to_have_count(0)
    expect(page.locator("#bar")).to_have_class("bar filling")
    page.keyboard.press("Escape")
    expect(page.locator("#bar")).not_to_have_class("bar filling")
    expect(chosen).to_have_count(0)


def test_the_last_blow_can_be_answered_where_it_stands(opened):
    """The Space War: one card can answer some acts of the opponent in one way, and the blow that ends the match in another."""
    match, players = from_position("space_war", "last_blow")
    page = opened(players[0], f"/matches/{match.number}/")
    tap(page, "item:68")
    expect(page.locator(".menu button")).to_have_text(["React with Target Missed", "Let everything stand, or all up to an item"])
    page.locator(".menu button").first.click()
    expect(page.locator("#confirm")).to_be_enabled()
    expect(page.locator("#says")).to_contain_text("Target Missed")
    page.locator("#confirm").click()
    expect(page.locator("#says")).not_to_contain_text("the match ends")
    expect(page.locator("#result")).to_have_count(0)


def test_help_is_in_nobodys_way(opened):
    """It goes with the next press, wherever that is."""
    played = Played("stratastar", 2)
    page = opened(played.users[0], played.path)
    page.locator('.hits [tabindex="0"]').focus()
    page.keyboard.press("?")
    card = page.locator(".help.pop")
    expect(card).to_have_count(1)
    assert card.evaluate("card => getComputedStyle(card).pointerEvents") == "none"
    page.locator("#says").click()
    expect(card).to_have_count(0)
