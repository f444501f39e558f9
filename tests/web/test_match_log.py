"""The log of the match page: by turn, an act a line."""

import re

import pytest
from django.test import Client

from tests.web.browser.playing import Played


@pytest.mark.parametrize(
    ("game", "seats"), [("stratastar", 2), ("space_fleet_commander", 1), ("star_commander", 2), ("space_war", 2)]
)
def test_the_log_is_headed_by_turns_the_newest_first(db, game, seats):
    played = Played(game, seats)
    while played.turn() < 3 and not played.over:
        played.bot_acts(0 if played.waits_for(0) else 1)
    browser = Client()
    browser.force_login(played.users[0])
    page = browser.get(played.path).content.decode()
    pane = page[page.index('id="p-log"') : page.index('id="p-rules"')]
    headings = re.findall(r"<h3>\s*(?:Turn (\d+)|Before turn 1)\s*</h3>", pane)
    turns = [int(turn or 0) for turn in headings]
    assert turns, "the log has headings"
    assert turns == sorted(set(turns), reverse=True), "each turn has one heading, the newest first"
    assert turns[0] in (played.turn(), played.turn() - 1)
