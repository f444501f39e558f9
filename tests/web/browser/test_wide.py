"""What fits on a page: a wide one has seats and hand beside the board, a tablet all below it; nothing in the head is cut."""

import pytest
from playwright.sync_api import expect

from gamesvc.matches.access.selectors import access_match
from gamesvc.matches.lobby import forks
from tests.web.browser.conftest import PHONE, WIDE
from tests.web.browser.playing import Played

TABLET = (768, 1024)
CUT = """() => [...document.querySelectorAll("#head, #head h1, #head .who")]
  .filter((e) => e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 2)
  .map((e) => e.className || e.localName)"""
pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("many_matches")]


@pytest.mark.parametrize(("game", "least"), [("star_commander", 450), ("space_war", 600)])
def test_seats_and_hand_stand_beside_the_board(opened, game, least):
    """The bands of the seats above and below it would make the board a fifth narrower."""
    played = Played(game, 2)
    while played.turn() < 2 or not played.waits_for(0):
        played.bot_acts(0 if played.waits_for(0) else 1)
    page = opened(played.users[0], played.path, WIDE)
    board = page.locator("#chart svg.board").bounding_box()
    assert board["width"] >= least
    assert page.evaluate("document.documentElement.scrollHeight") <= WIDE[1]
    expect(page.locator('#chart .hits [data-t^="seat:"]')).to_have_count(0)
    for seat in (0, 1):
        band = page.locator(f'#rest .hits [data-t="seat:{seat}"]')
        expect(band).to_be_in_viewport(ratio=1)
        assert band.bounding_box()["x"] > board["x"] + board["width"]
    page.set_viewport_size({"width": 800, "height": 720})
    expect(page.locator('#chart .hits [data-t="seat:1"]')).to_have_count(1)


@pytest.mark.parametrize("grid", [3, 4, 5])
def test_a_map_of_any_size_is_seen_whole(opened, grid):
    played = Played("star_commander", 2, grid=grid)
    page = opened(played.users[0], played.path, WIDE)
    expect(page.locator("#chart svg.board")).to_be_in_viewport(ratio=1)
    assert page.locator(".bd").evaluate("frame => frame.scrollHeight - frame.clientHeight") <= 1


@pytest.mark.parametrize("game", ["stratastar", "space_war"])
def test_a_tablet_shows_board_and_hand_whole(opened, game):
    played = Played(game, 2)
    while played.turn() < 2 or not played.waits_for(0):
        played.bot_acts(0 if played.waits_for(0) else 1)
    page = opened(played.users[0], played.path, TABLET)
    board, strip, side = (page.locator(which).bounding_box() for which in ("#chart svg.board", "#rest svg.board", "#side"))
    assert board["y"] + board["height"] <= strip["y"] + 1
    assert strip["y"] + strip["height"] <= side["y"] + 1
    assert board["width"] >= 440


@pytest.mark.parametrize("size", [PHONE, TABLET], ids=["phone", "tablet"])
@pytest.mark.parametrize("game", ["space_fleet_commander", "star_commander"])
def test_the_head_of_an_analysis_board_is_not_cut(opened, game, size):
    """The player is awaited in another match, too: the way there stands in the head."""
    played = Played(game, 2 if game == "star_commander" else 1)
    user = played.users[0 if played.waits_for(0) else 1]
    board = forks.fork(access=access_match(user=user, ident=str(played.match.pk)), version=played.seen_version, board=True)
    page = opened(user, f"/matches/{board.number}/", size)
    expect(page.locator("#head .next")).to_be_in_viewport(ratio=1)
    assert page.evaluate(CUT) == []
    page.goto(played.path)
    assert page.evaluate(CUT) == []


@pytest.mark.parametrize("size", [PHONE, TABLET], ids=["phone", "tablet"])
def test_the_bar_names_ends_in_two_lines_and_keeps_its_words(opened, size):
    played = Played("stratastar", 2)
    while not (played.waits_for(0) and {"end_phase", "end_turn"} <= played.offered(0)):
        played.bot_acts(0 if played.waits_for(0) else 1)
    page = opened(played.users[0], played.path, size)
    for button in page.locator("#bar .btn:visible").all():
        box = button.bounding_box()
        assert box["width"] >= 44
        assert box["height"] <= 52
    assert page.locator("#says").bounding_box()["width"] >= 200


def test_long_words_in_the_bar_push_no_button_to_another_row(opened):
    """The bar says in a sentence what can be undone. The sentence is cut where the buttons leave no room."""
    played = Played("star_commander", 2)
    me = 0 if played.waits_for(0) else 1
    played.bot_acts(me)
    page = opened(played.users[me], played.path, TABLET)
    buttons = page.locator("#bar .btn:visible")
    assert buttons.count() in (2, 3)
    page.locator("#says > span").evaluate("words => { words.textContent = 'You can undo what you did before. '.repeat(9); }")
    assert len({button.bounding_box()["y"] for button in buttons.all()}) == 1
    assert page.locator("#bar").bounding_box()["height"] < 100
