"""Whole ways of a reader: from sign-up to the end of a first match, a lesson, watching and looking up, pages in German."""

import re

import pytest
from django.core import mail
from playwright.sync_api import Page, expect

from accounts.models import User
from gamesvc.matches.models import Match
from tests.web.browser.conftest import PHONE
from tests.web.browser.playing import Played
from tests.web.rated import ended

pytestmark = pytest.mark.browser

PASSWORD = "correct horse battery"  # noqa: S105
# Words of English that are no words of German.
ENGLISH = re.compile(r"\b(?:the|and|your|you|with|of|for|to|are|this|match|matches|seat|seats)\b", re.IGNORECASE)


def resign(page: Page) -> None:
    page.get_by_text("At any time").click()
    link = page.get_by_role("link", name="Resign", exact=True)
    if not link.is_visible():
        page.locator("summary", has_text="Resign").click()
    link.click()
    page.wait_for_url("**/resign")
    page.get_by_role("button", name="Resign").click()


def test_a_stranger_signs_up_and_finishes_a_first_match_with_a_bot(opened):
    page = opened(None, "/games/stratastar/")
    page.get_by_role("link", name="Play a bot now").click()
    page.wait_for_url("**/accounts/signup/**")
    page.get_by_label("Username").fill("noor")
    page.get_by_label("Email", exact=False).fill("noor@players.example")
    page.get_by_label("Password", exact=False).fill(PASSWORD)
    zone = page.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone")
    page.get_by_role("button", name="Sign up").click()
    page.wait_for_url("**/accounts/confirm-email/")
    page.goto(re.search(r"https?://[^/\s]+(/accounts/\S+)", mail.outbox[-1].body)[1])
    page.get_by_role("button", name="Confirm").click()
    page.wait_for_url("**/games/stratastar/")  # signed in, and where they wanted to go
    assert User.objects.get(username="noor").timezone == zone
    page.get_by_role("button", name="Play a bot now").click()
    page.wait_for_url(re.compile(r"/matches/\d+/$"))
    resign(page)
    result = page.locator("#result")
    expect(result).to_contain_text("greedy bot")
    match = Match.objects.get()
    assert (match.status, match.outcome["ranking"]) == (Match.Status.FINISHED, [[1], [0]])
    result.get_by_role("button", name="Play again").click()
    page.wait_for_url(re.compile(rf"/matches/(?!{match.number}/)\d+/$"))
    assert Match.objects.latest("number").status == Match.Status.RUNNING


def test_a_lesson_leads_from_the_game_to_its_last_step(opened):
    page = opened(None, "/games/stratastar/", PHONE, scripts=False)
    page.get_by_role("link", name="Learn by playing").click()
    steps = page.locator("ol.learn > li").count()
    assert steps >= 8
    for done in range(1, steps + 1):
        page.locator(".ask .btn-go").click()
        page.wait_for_url(f"**step={done}")
    expect(page.get_by_role("heading", name="Well begun")).to_be_visible()
    page.get_by_role("link", name="Sign up and play").click()
    page.wait_for_url("**/accounts/signup/**")


def test_a_stranger_watches_a_match_and_looks_one_up(opened, player):
    running = Played("stratastar", 2)
    Match.objects.filter(pk=running.match.pk).update(watch=Match.Watch.ALL)
    last = ended(player("noor"), player("tolu"))
    page = opened(None, "/lobby/", PHONE, scripts=False)
    page.get_by_role("link", name="Watch", exact=True).click()
    page.get_by_role("link", name=f"Watch Stratastar {running.match.number}").click()
    page.wait_for_url(f"**{running.path}")
    expect(page.locator("svg.board").first).to_be_visible()
    page.goto("/lobby/archive/")
    page.get_by_label("Player or number of a match").fill("nobody-here")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_text("There is no player with this name.")).to_be_visible()
    page.get_by_label("Player or number of a match").fill("noor")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_text("noor won")).to_be_visible()
    page.get_by_role("link", name=f"Replay Stratastar {last.number}").click()
    page.wait_for_url(f"**/matches/{last.number}/?at=0")
    expect(page.get_by_text("Replay", exact=True).first).to_be_visible()


def test_a_german_reader_meets_no_english(opened):
    played = Played("stratastar", 2)
    reader = played.users[0]
    reader.language = "de"
    reader.save(update_fields=["language"])
    ended(reader, played.users[1])
    page = opened(reader, "/", scripts=False)
    paths = (
        "/",
        "/lobby/",
        "/lobby/watch/",
        "/lobby/archive/",
        "/substitutes/",
        "/games/",
        "/games/stratastar/",
        "/games/stratastar/rules/",
        "/games/stratastar/learn/",
        "/games/stratastar/leaderboard/",
        "/games/space_war/",
        "/new/stratastar/",
        "/players/marek/",
        "/profile/",
        "/profile/blocked/",
        "/profile/bots/",
        "/ratings/",
        "/terms/",
        played.path,
        f"{played.path}press",
        f"{played.path}resign",
    )
    left = {}
    for path in paths:
        page.goto(path)
        page.locator("[lang=en], code, datalist, pre").evaluate_all("found => found.forEach(one => one.remove())")
        text = page.locator("body").inner_text().replace("The Space War", "")
        if found := [line[:60] for line in text.splitlines() if len(ENGLISH.findall(line)) > 1]:
            left[path] = found[:5]
    assert not left, "\n".join(f"{path}: {found}" for path, found in left.items())
