"""The pages of bot accounts: a user makes one with a key, and another user finds and challenges it."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from accounts.bots import bots
from accounts.models import User
from accounts.tokens import find_token
from gamesvc.matches.models import Rating
from tests.web.page import chosen, form_to

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser(client, anna):
    client.force_login(anna)
    return client


def make(browser, name="deep-bot"):
    form = form_to(browser.get("/profile/bots/").content.decode(), "", "Make a bot account")
    return browser.post("/profile/bots/", {**chosen(form, {"name": [name]}), "act": "make"}, follow=True)


def act(browser, what, **more):
    return browser.post("/profile/bots/", {"bot": "deep-bot", "act": what, **more}, follow=True)


def test_a_user_makes_a_bot_and_its_key_limits_and_erases_it(browser, anna):
    assert "deep-bot is made" in make(browser).content.decode()
    bot = User.named("deep-bot")
    assert (bot.bot_owner, bot.bot_matches) == (anna, 8)
    made = act(browser, "token")
    [plain] = re.findall(r'class="key">([^<]+)<', made.content.decode())
    assert (made.status_code, find_token(plain).user) == (201, bot)
    assert plain not in browser.get("/profile/bots/").content.decode()
    act(browser, "limit", at_once="3")
    bot.refresh_from_db()
    assert bot.bot_matches == 3
    act(browser, "revoke")
    assert find_token(plain) is None
    act(browser, "erase")
    assert User.named("deep-bot") is None


def test_what_does_not_fit_is_said_on_the_page(browser, ben):
    refused = make(browser, "deep")
    assert (refused.status_code, "ends with -bot" in refused.content.decode()) == (422, True)
    assert "kept for erased accounts" in make(browser, "Erased-0815-bot").content.decode()
    make(browser)
    assert act(browser, "limit", at_once="51").status_code == 422
    assert act(browser, "fly").status_code == 422
    browser.force_login(ben)
    assert "no bot account of this name" in act(browser, "erase").content.decode()
    assert User.named("deep-bot") is not None


def test_another_user_finds_the_bot_and_challenges_it(client, anna, ben):
    bot = bots.make(owner=anna, name="deep-bot")
    Rating.objects.create(game="space_war", pool="bots", user=bot, mu=1500, sigma=100, matches=9, last_at=bot.created)
    client.force_login(ben)
    assert '<a\nhref="/players/deep-bot/">deep-bot</a>' in client.get("/games/space_war/leaderboard/").content.decode()
    assert 'href="/new/space_war/?invite=deep-bot"' in client.get("/games/space_war/").content.decode()
    assert "deep-bot" not in client.get("/games/stratastar/").content.decode(), "it has not played this game"
    assert "deep-bot" not in Client().get("/games/space_war/").content.decode()
    page = client.get("/players/deep-bot/").content.decode()
    assert "Bot of\nanna" in page or "Bot of anna" in page
    assert re.search(r'href="/new/\?invite=deep-bot">\s*Challenge\s*</a>', page)


def test_a_player_allows_challenges_by_bots(browser, anna):
    browser.post("/profile/", {"timezone": "UTC", "language": "en", "plays_bots": "on"})
    anna.refresh_from_db()
    assert anna.plays_bots
    browser.post("/profile/", {"timezone": "UTC", "language": "en"})
    anna.refresh_from_db()
    assert not anna.plays_bots
