"""Ratings, leaderboards and the player's page in a real browser, and the ways on from there: invite, rematch."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from gamesvc.matches.models import Match
from tests.web.browser.conftest import PHONE, WIDE
from tests.web.rated import season

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("feed")]


@pytest.fixture
def people(player, many_matches):
    return [player(name) for name in ("ines", "marek", "tolu")]


def test_the_leaderboard_leads_to_a_player_and_to_a_match_with_them(opened, people):
    season(*people)
    page = opened(people[2], "/games/stratastar/leaderboard/", PHONE, scripts=False)
    assert page.locator("table.ranked th[scope=row]").all_inner_texts() == ["ines", "marek"]
    page.get_by_role("link", name="ines").click()
    page.wait_for_url("**/players/ines/")
    expect(page.get_by_role("img", name=re.compile("Rating in Stratastar"))).to_be_visible()
    assert page.locator("#matches .rows > li").count() == 6
    page.get_by_role("link", name="Invite to a match").click()
    page.get_by_role("link", name="Stratastar").click()
    assert page.get_by_label("Invite", exact=True).input_value() == "ines"
    page.get_by_role("button", name="Create game").click()
    page.wait_for_url(re.compile(r"/matches/\d+/$"))
    match = Match.objects.latest("number")
    assert [invitation.user for invitation in match.invitations.all()] == [people[0]]


def test_a_rematch_is_asked_for_on_the_page_of_the_opponent(opened, people):
    last = season(*people)
    page = opened(people[1], "/players/ines/", scripts=False)
    page.get_by_role("button", name=re.compile("^Rematch")).click()
    page.wait_for_url(re.compile(r"/matches/\d+/$"))
    again = Match.objects.latest("number")
    assert again.number > last.number
    page.goto("/players/ines/")
    expect(page.get_by_role("link", name="The rematch is open")).to_be_visible()
    other = opened(people[0], "/players/marek/", scripts=False)
    other.get_by_role("button", name=re.compile("^Join the rematch")).click()
    other.wait_for_url(f"**/matches/{again.number}/")
    again.refresh_from_db()
    assert again.status == Match.Status.RUNNING


def test_after_the_end_the_page_of_the_match_tells_the_result_and_leads_to_the_rematch(opened, people):
    last = season(*people)
    page = opened(people[0], f"/matches/{last.number}/", scripts=False)
    result = page.locator("#result")
    expect(result).to_contain_text("The last empire standing.")
    expect(result.locator("tr.mine")).to_contain_text(re.compile(r"\+\d+"))
    assert page.get_by_label("Link to share").input_value().endswith(f"/matches/{last.number}/")
    result.get_by_role("button", name="Ask for a rematch").click()
    page.wait_for_url(re.compile(rf"/matches/(?!{last.number}/)\d+/$"))
    assert Match.objects.latest("number").creator == people[0]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_no_fault_in_ratings(opened, people, dark):
    last = season(*people)
    page = opened(people[0], "/", dark=dark)
    paths = ("/ratings/", "/games/stratastar/leaderboard/", "/players/marek/", "/games/stratastar/", f"/matches/{last.number}/")
    faults = {}
    for path in paths:
        page.goto(path)
        for size in (WIDE, (320, 740)):
            page.set_viewport_size({"width": size[0], "height": size[1]})
            if found := Axe().run(page).response["violations"]:
                faults[path, size] = [(one["id"], [node["html"][:200] for node in one["nodes"][:3]]) for one in found]
            if page.evaluate("document.documentElement.scrollWidth") > size[0]:
                faults[path, size] = "scrolls sideways"
    assert not faults, "\n".join(f"{path}: {found}" for path, found in faults.items())
