"""The form for a new match in a real browser: folds whose words are true."""

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import make_player
from tests.web.browser.conftest import PHONE

pytestmark = pytest.mark.browser


def summary(page: Page, fold: str) -> str:
    return page.locator(f"#{fold} > summary").inner_text()


@pytest.mark.parametrize("scripts", [True, False])
def test_a_fold_says_that_something_in_it_was_changed(opened, scripts):
    page = opened(make_player("ines"), "/new/space_fleet_commander/", PHONE, scripts=scripts)
    for fold, usual, choice, default in (
        ("rules", "as published", "every usable die shows 3", "three dice show 3"),
        ("watch", "anyone with the link", "Nobody", "Anyone with the link"),
    ):
        before = summary(page, fold)
        assert usual in before
        assert "changed" not in before
        page.locator(f"#{fold} > summary").click()
        page.locator(f"#{fold}").get_by_text(choice, exact=True).click()
        expect(page.locator(f"#{fold} > summary")).not_to_contain_text(usual, use_inner_text=True)
        assert "changed" in summary(page, fold)
        page.locator(f"#{fold}").get_by_text(default, exact=True).click()
        expect(page.locator(f"#{fold} > summary")).to_contain_text(usual, use_inner_text=True)
        assert summary(page, fold) == before
    page.locator("#asks > summary").click()
    page.get_by_label("Max. timeouts").fill("3")
    page.get_by_label("Matches finished").click()
    expect(page.locator("#asks > summary")).to_contain_text("changed", use_inner_text=True)
