"""A wide page has the board as high as the screen allows, and the seats and the hand beside it."""

import pytest
from playwright.sync_api import expect

from tests.web.browser.conftest import WIDE
from tests.web.browser.playing import Played

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
