"""What a session may hold, and how often one begins."""

from __future__ import annotations

import secrets
from datetime import timedelta

import pytest
import time_machine
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from accounts import signins
from accounts.addresses import add_verified_address
from accounts.models import SignIn
from accounts.signing_in import adapter, sessions

pytestmark = pytest.mark.django_db

PASSWORD = "a long password"  # noqa: S105


@pytest.fixture
def ann(player):
    user = player("ann")
    add_verified_address(user, "ann@players.example")
    return user


def sign_in(client, name="ann", network="192.0.2.7", **more):
    return client.post("/accounts/login/", {"login": name, "password": PASSWORD, **more}, REMOTE_ADDR=network)


def largest():
    return max(len(row.session_data) for row in Session.objects.all())


@pytest.mark.parametrize("page", ["/accounts/2fa/totp/activate/", "/profile/tokens"])
def test_a_form_that_waits_for_the_password_fills_no_disk(ann, page):
    """django-allauth keeps the whole form: four megabytes in each session of two weeks."""
    client = Client()
    sign_in(client)
    with time_machine.travel(timezone.now() + timedelta(hours=1)):
        words = {f"word{number}": secrets.token_hex(10_000) for number in range(50)}
        asked = client.post(page, {"act": "create", "scopes": ["account"], **words})
        assert asked.url.startswith("/accounts/reauthenticate/")
        assert largest() <= sessions.LONGEST
        client.post(asked.url, {"password": PASSWORD, "next": "/accounts/email/"})
        assert client.get("/accounts/email/").status_code == 200


def test_a_short_form_that_waits_for_the_password_is_sent_on(ann):
    client = Client()
    sign_in(client)
    with time_machine.travel(timezone.now() + timedelta(hours=1)):
        asked = client.post("/profile/tokens", {"act": "create", "name": "Mine", "scopes": ["account"]})
        client.post(asked.url, {"password": PASSWORD, "next": "/profile/tokens"})
    assert [token.name for token in ann.api_tokens.all()] == ["Mine"]


def test_a_sign_in_half_done_remembers_no_endless_address(ann):
    TOTP.activate(ann, generate_totp_secret())
    assert sign_in(Client(), next=f"/{secrets.token_hex(15_000)}").status_code == 302
    assert largest() <= sessions.LONGEST


def test_sessions_of_one_account_are_limited_but_not_for_another_network(ann, player, monkeypatch):
    monkeypatch.setattr(adapter, "SIGN_INS_PER_DAY", 3)
    add_verified_address(player("ben"), "ben@players.example")
    answers = [sign_in(Client()).status_code for _each in range(5)]
    assert answers == [302, 302, 302, 429, 429]
    assert Session.objects.count() == 3
    assert sign_in(Client(), network="198.51.100.9").status_code == 302
    assert sign_in(Client(), "ben").status_code == 302


def test_the_trail_of_one_user_holds_no_more_than_anybody_reads(ann, monkeypatch):
    monkeypatch.setattr(signins, "ENTRIES_PER_DAY", 3)
    for _each in range(5):
        client = Client()
        sign_in(client)
        client.post("/accounts/logout/")
    assert SignIn.objects.filter(user=ann, kind="in").count() == 3
    assert SignIn.objects.filter(user=ann, kind="out").count() == 3
