"""Messages come into an open page by themselves: counted on the tab and in the title, without touching what is being written."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from gamesvc.matches.lobby import opening, press
from tests.conftest import make_player
from tests.web.browser.playing import Played, confirm, lit, shown, wait_for_version

pytestmark = pytest.mark.browser


def test_a_message_comes_into_an_open_page(opened):
    played = Played("stratastar", 2)
    page = opened(played.users[0], played.path)
    press.say(match=played.match, by=played.users[1], by_seat=1, to="all", text="First words", channel="web")
    expect(page.locator("#tab-press .dot")).to_have_text("1")
    expect(page).to_have_title(re.compile(r"^\(1\) "))
    page.locator("#tab-press").click()
    expect(page.locator("#p-press")).to_contain_text("First words")
    expect(page.locator("#tab-press .dot")).to_have_count(0)
    expect(page).not_to_have_title(re.compile(r"^\("))
    draft = page.locator("#p-press textarea[name=text]").first
    draft.fill("I am writing")
    press.say(match=played.match, by=played.users[1], by_seat=1, to="all", text="Second words", channel="web")
    expect(page.locator("#p-press")).to_contain_text("Second words")
    expect(draft).to_have_value("I am writing")
    expect(draft).to_be_focused()
    expect(page.locator("#tab-press .dot")).to_have_count(0)


def test_a_message_stays_unread_over_an_act(opened):
    """The page that answered an act took every message on it for read, though its tab had not been opened."""
    played = Played("star_commander", 2)
    if not played.waits_for(0):
        played.submit(1, {"name": "end_command"})
    page = opened(played.users[0], played.path)
    press.say(match=played.match, by=played.users[1], by_seat=1, to="all", text="First words", channel="web")
    expect(page.locator("#tab-press .dot")).to_have_text("1")
    before = played.seen_version
    page.locator("#bar").get_by_role("button", name="End the command phase").click()
    wait_for_version(page, before + 1)
    expect(page.locator("#tab-press .dot")).to_have_text("1")
    page.locator("#tab-press").click()
    expect(page.locator("#tab-press .dot")).to_have_count(0)


def test_a_message_that_is_refused_can_be_sent_again(opened):
    """It stays as it was written, and the bar says why it was not taken."""
    played = Played("stratastar", 2)
    page = opened(played.users[0], played.path)
    page.locator("#tab-press").click()
    draft, long = page.locator("#p-press textarea[name=text]").first, "word " * 2000
    draft.evaluate("draft => draft.removeAttribute('maxlength')")
    draft.fill(long)
    send = page.locator("#p-press").get_by_role("button", name="Send the message")
    send.click()
    expect(page.locator("#says .error")).to_contain_text("at most 2000 characters")
    expect(draft).to_have_value(long)
    draft.fill("Shorter")
    send.click()
    expect(page.locator("#p-press .words")).to_have_text("Shorter")
    expect(draft).to_have_value("")


def test_a_message_in_a_match_that_was_joined_on_its_page_stays_unread(opened):
    """A page without messages and without anyone to write to had read nothing."""
    host, guest = make_player("ines"), make_player("marek")
    match = opening.create_match(by=host, game="space_fleet_commander", seats=2)
    page = opened(host, f"/matches/{match.number}/")
    opening.join_match(by=guest, match=match)
    expect(page.locator("#main")).to_have_attribute("data-version", re.compile(r"[1-9]"))
    press.say(match=match, by=guest, by_seat=1, to="all", text="First words", channel="web")
    expect(page.locator("#tab-press .dot")).to_have_text("1")
    before = shown(page)
    lit(page).first.dispatch_event("click")
    if page.locator('.hits [data-t^="slot:"].can').count():
        page.locator('.hits [data-t^="slot:"].can').first.dispatch_event("click")
    assert confirm(page)
    wait_for_version(page, before + 1)
    expect(page.locator("#tab-press .dot")).to_have_text("1")
