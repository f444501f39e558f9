"""A line of the log lights the places that its event names, by their ids, for a pointer and for the keyboard."""

import pytest
from playwright.sync_api import expect

from tests.web.browser.playing import Played
from tests.web.browser.test_motion import MOVES, until

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(("game", "seats", "event", "piece"), MOVES)
def test_a_line_of_the_log_lights_its_places(opened, game, seats, event, piece):
    played = Played(game, seats)
    until(played, event)
    page = opened(played.users[0], played.path)
    page.locator("#tab-log").click()
    line = page.locator("#p-log [data-places]").first
    named = set((line.get_attribute("data-places") or "").split())
    assert named <= set(page.locator(".hits [data-t]").evaluate_all("hits => hits.map(hit => hit.dataset.t)"))
    # The log grows up to where the pointer was.
    page.locator("#head h1").hover()
    expect(page.locator(".ov .ref")).to_have_count(0)
    line.hover()
    expect(page.locator(".ov .ref")).to_have_count(len(named))
    page.locator("#head h1").hover()
    expect(page.locator(".ov .ref")).to_have_count(0)
    line.locator(".v a").focus()
    expect(page.locator(".ov .ref")).to_have_count(len(named))


def test_a_tap_on_the_discard_pile_opens_its_cards(opened):
    played = Played("stratastar", 2)
    while not played.view(0)["discard"] or not played.waits_for(1):
        played.bot_acts(0 if played.waits_for(0) else 1)
    page = opened(played.users[0], played.path)
    page.locator('.hits [data-t="discard"]').click()
    expect(page.locator(".pop.help h3")).to_have_text("Discard pile")
    expect(page.locator(".pop.help p")).to_contain_text("From the top:")


def test_help_that_was_asked_for_without_a_connection_is_asked_for_again(opened):
    played = Played("stratastar", 2)
    while not played.view(0)["discard"] or not played.waits_for(1):
        played.bot_acts(0 if played.waits_for(0) else 1)
    page, faults = opened(played.users[0], played.path), []
    page.on("pageerror", lambda fault: faults.append(str(fault)))
    page.context.set_offline(True)
    page.locator('.hits [data-t="discard"]').click()
    expect(page.locator(".pop.help h3")).to_have_text("Discard")
    expect(page.locator(".pop.help p")).to_have_count(0)
    page.context.set_offline(False)
    page.locator('.hits [data-t="discard"]').click()
    expect(page.locator(".pop.help p")).to_contain_text("From the top:")
    assert not faults


@pytest.mark.parametrize("width", [360, 1280])
def test_what_an_act_brought_is_unfolded_over_the_whole_line(opened, width):
    """The columns of the log are those of its acts, not of the sentences folded away in one: these stood one word to a line."""
    played = Played("star_commander", 2)
    while not played.waits_for(1):
        played.bot_acts(0)
    page = opened(played.users[0], played.path, (width, 740))
    page.locator("#tab-log").click()
    fold = page.locator("#p-log details.fold").first
    fold.locator("summary").click()
    for line in fold.locator("li").all():
        assert line.evaluate("line => getComputedStyle(line).display") != "grid", line.inner_text()
