"""What the page says of an act, before and after: its outcome and price, not how the game gets there."""

import re

from django.test import Client

from tests.web.browser.playing import Played
from tests.web.page import chosen, form_to


def html(response) -> str:
    return response.content.decode()


def at_a_development(seat: int = 0) -> tuple[Played, Client, str]:
    """Return a match of Star Commander in which a seat may develop a system, and the page of that seat."""
    played = Played("star_commander", 2)
    while not (played.waits_for(seat) and "develop" in played.offered(seat)):
        played.bot_acts(0 if played.waits_for(0) else 1)
    browser = Client()
    browser.force_login(played.users[seat])
    return played, browser, html(browser.get(played.path))


def bar(page: str) -> str:
    return " ".join(re.sub("<[^>]+>", " ", page[page.index('id="says"') : page.index('id="choices"')]).split())


def test_an_act_is_told_before_and_after_without_the_course_of_the_game(db):
    played, browser, page = at_a_development()
    form = form_to(page, "/command", "Develop")
    fields = chosen(form, {"system": sorted(form.choices["system"])[:1]} if "system" in form.choices else {})
    before = browser.post(form.action.replace("command", "preview"), fields).json()
    told = " ".join(before["told"])
    assert "You developed" in before["told"][0]
    assert "You paid" in told
    assert not re.search(r"declared|passed|takes effect|are to act", told)
    browser.post(form.action, fields)
    after = bar(html(browser.get(played.path)))
    assert "You developed" in after
    assert not re.search(r"declared|passed|takes effect", after)


def test_the_preview_promises_no_undo_that_has_to_be_asked_for(db):
    """Others passed automatically: that shows that they could not answer."""
    played, browser, page = at_a_development()
    form = form_to(page, "/command", "Develop")
    fields = chosen(form, {"system": sorted(form.choices["system"])[:1]} if "system" in form.choices else {})
    before = browser.post(form.action.replace("command", "preview"), fields).json()
    browser.post(form.action, fields)
    asks = "Ask to undo" in html(browser.get(played.path))
    assert before["final"] == asks


def test_the_turn_is_told_once_and_who_acts_beside_it(db):
    _played, _browser, page = at_a_development()
    head = page[page.index('id="head"') : page.index("</header>")]
    assert "to act" not in head
    assert "to act" not in bar(page)


def test_a_ship_is_named_by_its_id_only_beside_its_like(db):
    _played, _browser, page = at_a_development()
    assert "Red Scout at" in page
    assert not re.search(r"Red Scout v\d", page)


def test_who_watches_reads_how_many_act(db):
    """A race of Space Fleet Commander waits for all its players at once."""
    played = Played("space_fleet_commander", 2)
    played.match.watch = "all"
    played.match.save()
    page = html(Client().get(played.path))
    assert "2 to act" in bar(page)
