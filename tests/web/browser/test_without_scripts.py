"""The match page without JavaScript: plain forms, all parts one below the other."""

import re

import pytest
from playwright.sync_api import expect

from tests.web.browser.conftest import PHONE, WIDE
from tests.web.browser.playing import Played
from tests.web.browser.test_taps import GAMES

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(("game", "seats"), GAMES)
def test_acts_are_played_as_plain_forms(opened, game, seats):
    played = Played(game, seats)
    played.others_act()
    page = opened(played.users[0], played.path, PHONE, scripts=False)
    for _ in range(3):
        before = played.version
        for part in ("p-turn", "p-log", "p-rules", "p-more"):
            expect(page.locator(f"#{part}")).to_be_visible()
        form = page.locator("form[data-weight=main], form[data-weight=end]").last
        for fold in page.locator("details:has(form[data-command])").all():
            fold.evaluate("fold => fold.open = true")
        asked = form.locator("input[type=radio]:is(:required, [data-needed]):visible")
        answered: set[str | None] = set()
        # An answer may show the questions of its alternative.
        while open_ := [name for radio in asked.all() if (name := radio.get_attribute("name")) not in answered]:
            form.locator(f'input[name="{open_[0]}"]').first.focus()
            page.keyboard.press("Space")
            answered.add(open_[0])
        for group in form.locator("fieldset:has(input[type=checkbox])").all():
            several = re.search(r"Choose (\d+)", group.inner_text())
            for box in group.locator("input[type=checkbox]").all()[: int(several[1]) if several else 0]:
                box.focus()
                page.keyboard.press("Space")
        form.locator("button").click()
        page.wait_for_load_state()
        played.others_act()
        assert played.version > before, page.locator("[role=alert]").all_inner_texts()
        page.goto(played.path)


def test_the_page_needs_no_sideways_scrolling(opened):
    played = Played("stratastar", 2)
    played.others_act()
    narrow = (320, 640)
    pages = [(played.path, size) for size in (PHONE, WIDE, narrow)]
    for path, size in [*pages, ("/profile/webhooks/", narrow), ("/profile/chats/", narrow)]:
        page = opened(played.users[0], path, size, scripts=False)
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= size[0]
