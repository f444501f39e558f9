"""The log of the match page: by turn, an act a line."""

import re

import pytest
from django.test import Client

from tests.web.browser.playing import Played


def log_of(game: str, seats: int, turn: int) -> tuple[Played, str]:
    """Return a match that bots played to a turn, and the log on its page."""
    played = Played(game, seats)
    while played.turn() < turn and not played.over:
        played.bot_acts(0 if played.waits_for(0) else 1)
    browser = Client()
    browser.force_login(played.users[0])
    page = browser.get(played.path).content.decode()
    return played, page[page.index('id="p-log"') : page.index('id="p-rules"')]


@pytest.mark.parametrize(
    ("game", "seats"), [("stratastar", 2), ("space_fleet_commander", 1), ("star_commander", 2), ("space_war", 2)]
)
def test_the_log_is_headed_by_turns_the_newest_first(db, game, seats):
    played, pane = log_of(game, seats, turn=3)
    headings = re.findall(r"<h3>\s*(?:Turn (\d+)|Before turn 1)\s*</h3>", pane)
    turns = [int(turn or 0) for turn in headings]
    assert turns, "the log has headings"
    assert turns == sorted(set(turns), reverse=True), "each turn has one heading, the newest first"
    assert turns[0] in (played.turn(), played.turn() - 1)


@pytest.mark.parametrize("game", ["stratastar", "star_commander"])
def test_an_act_is_told_by_its_outcome(db, game):
    """What the player declared is folded below it. Where somebody may react first, the declaration stands alone."""
    _played, pane = log_of(game, 2, turn=5)
    acts = re.findall(r"<span>([^<]*)<details class=\"fold\">(.*?)</details>", pane, re.DOTALL)
    folded = [head for head, more in acts if " declared " in more]
    assert folded, "what was declared is still there to be unfolded"
    assert not [head for head in folded if " declared " in head]
    assert not [head for head, more in acts if " declared " in head and "may react" not in head + more]
    assert not [head for head, _more in acts if " paid " in head], "nor by its price"


def test_what_the_reader_did_is_no_news(db):
    played = Played("stratastar", 2)
    played.others_act()
    browser = Client()
    browser.force_login(played.users[0])
    seen = browser.get(played.path).content.decode()
    assert "New since your last visit above" not in seen
    played.bot_acts(0)
    version = re.search(r'data-version="(\d+)"', seen)
    assert version is not None
    own = browser.get(f"{played.path}?since={version[1]}").content.decode()
    assert "New since your last visit above" not in own
    while played.waits_for(0):
        played.bot_acts(0)
    played.bot_acts(1)
    both = browser.get(f"{played.path}?since={version[1]}").content.decode()
    log = both[both.index('id="p-log"') : both.index('id="p-rules"')]
    assert "New since your last visit above" in log
    assert log.count('class="new"') + log.count('class="now"') < log.count("<li") - log.count('class="turn"')


def test_turns_that_each_seat_counts_head_its_own_log(db):
    """Space Fleet as a race: the second turn of one fleet is no heading over what the other does in its first."""
    played = Played("space_fleet_commander", 2)
    for seat in (0, 1):
        while played.offered(seat) & {"place_ship", "confirm_fleet"}:
            played.bot_acts(seat)
    while played.view(1)["sheet"]["turn"] < 2:
        played.bot_acts(1)
    played.bot_acts(1)
    played.bot_acts(0)
    for user, turns in zip(played.users, (["1"], ["2", "1"]), strict=True):
        browser = Client()
        browser.force_login(user)
        page = browser.get(played.path).content.decode()
        log = page[page.index('id="p-log"') : page.index('id="p-rules"')]
        assert re.findall(r"<h3>\s*Turn (\d+)\s*</h3>", log) == turns
