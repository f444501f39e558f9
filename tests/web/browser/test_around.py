"""The ways to a match in a real browser: sign-up, an invitation, a first match, a new match, the lobby."""

import re

import pytest

from gamesvc.matches.lobby import invitations, opening
from gamesvc.matches.models import Match

pytestmark = pytest.mark.browser


def test_sign_up_knows_the_time_zone(opened):
    page = opened(None, "/accounts/signup/")
    zone = page.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone")
    assert page.locator("input[name=timezone]").input_value() == zone


def test_an_invitation_is_accepted_on_the_front_page(opened, player):
    host, guest = player("ines"), player("marek")
    match = opening.create_match(by=host, game="stratastar", entry="invited")
    invitations.invite(by=host, match=match, username="marek")
    page = opened(guest, "/", scripts=False)
    page.locator("#inbox").get_by_role("button", name="Accept").click()
    page.wait_for_url(f"**/matches/{match.number}/")
    match.refresh_from_db()
    assert match.status == Match.Status.RUNNING


def test_a_first_match_is_one_click_away(opened, player):
    page = opened(player("ines"), "/", scripts=False)
    page.get_by_role("listitem").filter(has_text="The Space War").get_by_role("button").click()
    page.wait_for_url(re.compile(r"/matches/\d+/$"))
    assert Match.objects.get().game == "space_war"


@pytest.mark.parametrize("size", [(360, 740), (768, 1024), (1280, 720)], ids=str)
def test_the_board_of_a_lesson_stands_beside_the_step_and_not_below_the_list(opened, size):
    page = opened(None, "/games/stratastar/learn/?step=2", size=size)
    board, listed = page.locator("svg.board").bounding_box(), page.locator("ol.learn").bounding_box()
    assert board is not None
    assert listed is not None
    assert board["y"] < listed["y"] or board["x"] > listed["x"] + listed["width"]


def test_a_match_is_created_in_four_answers(opened, player):
    page = opened(player("ines"), "/new/", scripts=False)
    page.get_by_role("link", name="Star Commander").click()
    page.get_by_label("3", exact=True).check(force=True)
    page.get_by_label("People I invite").check(force=True)
    page.get_by_label("Time per turn").select_option("72")
    page.get_by_role("button", name="Create game").click()
    page.wait_for_url(re.compile(r"/matches/\d+/$"))
    match = Match.objects.get()
    assert (match.game, match.seat_count, match.entry, match.hours) == ("star_commander", 3, "invited", 72)


def test_open_matches_are_filtered_by_game(opened, player):
    host = player("ines")
    for game in ("stratastar", "space_war"):
        opening.create_match(by=host, game=game)
    page = opened(player("marek"), "/lobby/", size=(360, 800))
    page.locator("details.filters > summary").click()
    page.get_by_label("Game").select_option("space_war")
    page.get_by_role("button", name="Show").click()
    page.wait_for_url("**game=space_war**")
    assert page.get_by_role("button", name="Join").count() == 1
    assert page.get_by_role("heading", name="The Space War").count() == 1
