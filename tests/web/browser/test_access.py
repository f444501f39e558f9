"""axe finds no fault on any page, in both themes; the match page fits one screen."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.web.browser.conftest import PHONE, WIDE
from tests.web.browser.playing import Played

pytestmark = pytest.mark.browser

PAGES = (
    "/",
    "/lobby/",
    "/games/",
    "/games/?q=turn",
    "/games/stratastar/",
    "/games/star_commander/rules/",
    "/games/stratastar/learn/",
    "/api/docs/first-bot/",
    "/new/",
    "/new/stratastar/",
    "/profile/",
    "/substitutes/",
    "/lobby/watch/",
    "/lobby/archive/",
    "/players/ines/",
    "/profile/blocked/",
    "/profile/webhooks/",
    "/profile/chats/",
    "/report/?player=marek",
    "/terms/",
    "/accounts/password/change/",
    "/accounts/email/",
    "/accounts/2fa/",
    "/profile/apps/",
    "/profile/bots/",
    "/profile/erase",
    "/games/space_war/cards/",
    "/games/stratastar/leaderboard/",
    "/ratings/",
    "/problems/",
    "/api/docs/reference/me/",
)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_no_fault(opened, dark):
    played = Played("stratastar", 2)
    played.others_act()
    played.bot_acts(0)
    last = played.version
    matches = (played.path, f"{played.path}?at={last - 1}", f"{played.path}press", f"{played.path}clock", f"{played.path}resign")
    page = opened(played.users[0], "/", WIDE, dark=dark)
    faults = {}
    for path in (*PAGES, *matches):
        page.goto(path)
        found = Axe().run(page).response["violations"]
        if found:
            faults[path] = [(one["id"], [node["html"][:200] for node in one["nodes"][:3]]) for one in found]
    assert not faults, "\n".join(f"{path}: {found}" for path, found in faults.items())


@pytest.mark.parametrize("game", ["stratastar", "space_war"])
def test_the_match_page_fits_one_screen(opened, game):
    played = Played(game, 2)
    played.others_act()
    page = opened(played.users[0], played.path, WIDE)
    assert page.evaluate("document.documentElement.scrollHeight") <= WIDE[1]
    phone = opened(played.users[0], played.path, PHONE)
    bar, board = phone.locator("#bar").bounding_box(), phone.locator("svg.board").first.bounding_box()
    assert bar is not None
    assert board is not None
    assert bar["y"] + bar["height"] <= PHONE[1], "the action bar is always in sight"
    assert board["y"] < 80, "the board begins at once"
