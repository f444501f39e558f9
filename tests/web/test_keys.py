"""API keys on the profile page, and their revocation after a new password."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from accounts import tokens
from accounts.addresses import add_verified_address
from accounts.bots import bots
from accounts.models import ApiToken, Authorization
from accounts.oauth import apps
from accounts.tokens import create_token, find_token, proven_lately
from notifications.models import Webhook
from tests.web.page import chosen, form_to

PASSWORD, NEW = "a long password", "another long one"


@pytest.fixture(autouse=True)
def _no_tries_yet():
    cache.clear()


@pytest.fixture
def browser(anna):
    add_verified_address(anna, "anna@players.example")
    client = Client()
    client.force_login(anna)
    return client


def make(browser, *scopes, days=""):
    """Fill in the form of the profile page as a reader would, and send it."""
    form = form_to(browser.get("/profile/").content.decode(), "/tokens", "Name of the new key")
    return browser.post("/profile/tokens", chosen(form, {"name": ["bot"], "scopes": list(scopes), "days": [days]}))


def key_on(answer) -> str:
    return re.findall(r'class="key">(gsk_[^<]+)<', answer.content.decode())[0]


def test_the_page_offers_the_scopes_with_what_each_may_do(browser, anna):
    form = form_to(browser.get("/profile/").content.decode(), "/tokens", "Name of the new key")
    assert form.choices["scopes"] == {"read", "play", "account", "organise"}
    anna.is_staff = True
    anna.save()
    page = browser.get("/profile/").content.decode()
    assert "operate" in form_to(page, "/tokens", "Name of the new key").choices["scopes"]
    assert "manage the matches of others, as an operator" in page


def test_a_key_with_chosen_scopes_and_end(browser, anna):
    key = key_on(make(browser, "play", "organise", days="30"))
    token = find_token(key).token
    assert token.scopes == ["play", "organise"]
    assert (token.expires_at - token.created_at).days in (29, 30)
    assert not proven_lately(token)


@pytest.mark.parametrize("scope", ["account", "operate"])
def test_a_key_that_can_do_lasting_harm_asks_for_the_password(browser, anna, scope):
    anna.is_staff = True
    anna.save()
    asked = make(browser, "read", scope)
    assert asked.status_code == 302
    assert asked.url.startswith("/accounts/reauthenticate/")
    assert not ApiToken.objects.exists()
    made = browser.post(asked.url, {"password": PASSWORD})
    token = find_token(key_on(made)).token
    assert token.scopes == ["read", scope]
    assert proven_lately(token)


def test_all_keys_are_revoked_at_once(browser, anna):
    keys = [create_token(user=anna, name="bot", scopes=["play"])[1] for _ in range(2)]
    form = form_to(browser.get("/profile/").content.decode(), "/tokens", "Revoke all keys")
    page = browser.post("/profile/tokens", form.fields, follow=True).content.decode()
    assert "2 keys revoked." in page
    assert [find_token(key) for key in keys] == [None, None]
    assert "Revoke all keys" not in page
    assert "not yours below" not in page


def test_who_revokes_all_keys_is_told_of_the_addresses_that_stay(browser, anna):
    """A key may have set them, and its holder would go on reading the notices."""
    create_token(user=anna, name="bot", scopes=["account"])
    Webhook.objects.create(user=anna, url="https://evil.example/hook", channel=False)
    form = form_to(browser.get("/profile/").content.decode(), "/tokens", "Revoke all keys")
    page = browser.post("/profile/tokens", form.fields, follow=True).content.decode()
    assert "Remove those that are not yours below." in page
    assert "All webhooks" in page


@pytest.mark.parametrize("revoke", [True, False])
def test_a_changed_password_offers_to_revoke_the_keys(browser, anna, revoke):
    key = create_token(user=anna, name="bot", scopes=["play"])[1]
    form = form_to(browser.get("/accounts/password/change/").content.decode(), "/accounts/password/change/")
    typed = {"oldpassword": [PASSWORD], "password1": [NEW], "password2": [NEW]}
    answer = browser.post(form.action, chosen(form, {**typed, **({"revoke_keys": ["on"]} if revoke else {})}))
    assert answer.status_code == 302
    anna.refresh_from_db()
    assert anna.check_password(NEW)
    assert (find_token(key) is None) is revoke


@pytest.mark.parametrize("revoke", [True, False])
def test_a_reset_password_offers_to_revoke_the_keys(browser, anna, revoke, mailoutbox):
    key = create_token(user=anna, name="bot", scopes=["play"])[1]
    stranger = Client()
    stranger.post("/accounts/password/reset/", {"email": "anna@players.example"})
    link = re.search(r"https?://[^/\s]+(/accounts/\S+)", mailoutbox[-1].body)[1]
    page = stranger.get(link, follow=True)
    assert "Active keys and apps: 1" in page.content.decode()
    typed = {"password1": NEW, "password2": NEW, **({"revoke_keys": "on"} if revoke else {})}
    stranger.post(page.redirect_chain[-1][0], typed)
    anna.refresh_from_db()
    assert anna.check_password(NEW)
    assert (find_token(key) is None) is revoke


def test_a_changed_password_offers_to_end_what_an_app_or_a_bot_may_do(browser, anna, ben):
    """The token of an app may have expired and be deleted: it gets itself a new one with what it holds."""
    now = timezone.now()
    app = apps.register(owner=ben, name="Star Reader", redirect_uris=["https://app.example/done"], confidential=False)[0]
    lasting = {"code_expires_at": now, "created_at": now, "expires_at": now + timedelta(days=90)}
    grant = Authorization.objects.create(user=anna, app=app, scopes=["play"], code_digest="x", code_used_at=now, **lasting)
    assert "Active keys and apps: 1" in browser.get("/accounts/password/change/").content.decode()
    apps.revoke(user=anna, app_id=grant.app_id)
    key = create_token(user=bots.make(owner=anna, name="anna-bot"), name="bot", scopes=["play"])[1]
    form = form_to(browser.get("/accounts/password/change/").content.decode(), "/accounts/password/change/")
    typed = {"oldpassword": [PASSWORD], "password1": [NEW], "password2": [NEW], "revoke_keys": ["on"]}
    browser.post(form.action, chosen(form, typed))
    assert find_token(key) is None


def test_without_keys_a_new_password_offers_nothing(browser):
    assert "revoke_keys" not in browser.get("/accounts/password/change/").content.decode()


def test_keys_are_made_so_often_a_day_also_if_each_is_revoked(browser, anna, program, monkeypatch):
    """Revoked ones stay for months: one account could store hundreds of megabytes a day."""
    api, bot = program(anna, "account", "play"), bots.make(owner=anna, name="own-bot")
    monkeypatch.setattr(tokens, "MADE_PER_DAY", 4)
    for _each in range(2):
        made = api.post("/tokens/", {"name": "one", "scopes": ["play"]}).json()
        api.call("delete", f"/tokens/{made['id']}/")
    assert api.post(f"/me/bots/{bot.username}/tokens/", {"name": "its"}).status_code == 201
    for answer in (
        api.post("/tokens/", {"name": "one", "scopes": ["play"]}),
        api.post(f"/me/bots/{bot.username}/tokens/", {"name": "its"}),
    ):
        assert (answer.status_code, answer.json()["code"]) == (429, "too_many")
        assert 0 < int(answer["Retry-After"]) <= 86_400
    assert make(browser, "play").status_code == 302
    assert "at most 4 keys a day" in browser.get("/profile/").content.decode()
    assert ApiToken.objects.count() == 4
