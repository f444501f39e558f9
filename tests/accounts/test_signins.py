"""The audit trail of sign-ins: its entries, the secrets it leaves out, its retention."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.forms import ActivateTOTPForm
from allauth.mfa.totp.internal import auth as totp_auth
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.test import Client
from django.utils import timezone

from accounts import signins
from accounts.addresses import add_verified_address
from accounts.models import SignIn
from accounts.tokens import create_token
from gamesvc.matches.retention import forget

pytestmark = pytest.mark.django_db


def kinds(**which):
    return list(SignIn.objects.filter(**which).order_by("at", "pk").values_list("kind", flat=True))


@pytest.fixture
def ann(player):
    user = player("ann")
    add_verified_address(user, "ann@players.example")
    return user


def sign_in(client, login, password):
    return client.post("/accounts/login/", {"login": login, "password": password}, REMOTE_ADDR="192.0.2.7")


def test_who_comes_in_and_goes_is_known(ann):
    client = Client()
    assert sign_in(client, "ann", "a long password").status_code == 302
    client.post("/accounts/logout/")
    assert kinds(user=ann) == ["in", "out"]
    first = SignIn.objects.get(kind="in")
    assert (first.channel, first.address, first.name_hash) == ("web", "192.0.2.7", "")


@pytest.mark.parametrize(
    "began", ["django.contrib.auth.backends.ModelBackend", "allauth.account.auth_backends.AuthenticationBackend"]
)
def test_a_session_outlives_the_way_it_began(ann, began):
    """An upgrade to another way to look at passwords signs nobody out."""
    client = Client()
    client.force_login(ann, backend=began)
    assert client.get("/accounts/email/").status_code == 200


def test_a_sign_in_half_done_ends_with_the_password_that_began_it(ann):
    secret = generate_totp_secret()
    TOTP.activate(ann, secret)
    first, second = RecoveryCodes.activate(ann).get_unused_codes()[:2]
    stranger = Client()
    assert sign_in(stranger, "ann", "a long password").url == "/accounts/2fa/authenticate/"
    ann.set_password("another long password")
    ann.save()
    assert stranger.post("/accounts/2fa/authenticate/", {"code": first}).url == "/accounts/login/"
    assert stranger.get("/accounts/email/").status_code == 302
    sign_in(stranger, "ann", "another long password")
    stranger.post("/accounts/2fa/authenticate/", {"code": second})
    assert stranger.get("/accounts/email/").status_code == 200


def test_a_second_factor_turned_on_twice_at_once_is_one(ann, monkeypatch):
    browsers = [Client(), Client()]
    for browser in browsers:
        sign_in(browser, "ann", "a long password")
        browser.post("/accounts/reauthenticate/", {"password": "a long password"})
    waiting, clean = browsers[:1], ActivateTOTPForm.clean_code

    def cleaned(form):
        code = clean(form)
        while waiting:
            turn_on(waiting.pop())
        return code

    monkeypatch.setattr(totp_auth, "validate_totp_code", lambda _secret, _code: True)
    monkeypatch.setattr(ActivateTOTPForm, "clean_code", cleaned)
    assert turn_on(browsers[1]).url == "/accounts/2fa/"
    assert Authenticator.objects.filter(user=ann, type="totp").count() == 1


def turn_on(browser):
    return browser.post("/accounts/2fa/totp/activate/", {"code": "123456"})


def test_a_failure_is_known_to_be_of_the_account_by_name_or_address(ann):
    for login in ("ann", "ANN", "ann@players.example"):
        sign_in(Client(), login, "wrong")
    assert kinds(user=ann) == ["failed"] * 3


def test_what_was_typed_for_an_unknown_name_is_not_kept_in_words(ann):
    sign_in(Client(), "my secret password", "ann")
    sign_in(Client(), "My secret password", "other")
    rows = SignIn.objects.filter(user=None, kind="failed")
    assert rows.count() == 2
    assert len({row.name_hash for row in rows}) == 1
    assert all("secret" not in str(value) for row in rows.values() for value in row.values())


def test_failures_of_one_address_are_capped(monkeypatch, ann):
    monkeypatch.setattr(signins, "FAILURES_PER_HOUR", 3)
    for _ in range(5):
        Client().get("/api/v1/matches/", headers={"Authorization": "Bearer gsk_wrong"}, REMOTE_ADDR="192.0.2.9")
    assert kinds() == ["token_refused"] * 3
    Client().get("/api/v1/matches/", headers={"Authorization": "Bearer gsk_wrong"}, REMOTE_ADDR="192.0.2.10")
    assert kinds(address="192.0.2.10") == ["token_refused"]


def test_a_token_is_noted_once_an_hour(ann):
    token, plain = create_token(user=ann, name="bot", scopes=["read"])
    start = timezone.now().replace(minute=10)
    for minutes in (0, 5, 30, 55, 130):
        with time_machine.travel(start + timedelta(minutes=minutes), tick=False):
            answer = Client().get("/api/v1/matches/", headers={"Authorization": f"Bearer {plain}"}, REMOTE_ADDR="192.0.2.8")
            assert answer.status_code == 200
    assert kinds(token=token) == ["token", "token", "token"]
    assert set(SignIn.objects.values_list("channel", "address", "user__username")) == {("api", "192.0.2.8", "ann")}


def test_a_new_password_is_noted(ann):
    client = Client()
    client.force_login(ann)
    change = {"oldpassword": "a long password", "password1": "another long one", "password2": "another long one"}
    assert client.post("/accounts/password/change/", change).status_code == 302
    assert "password_changed" in kinds(user=ann)


def test_old_rows_go(ann, settings):
    now = timezone.now()
    SignIn.objects.create(user=ann, kind="in", channel="web", at=now - timedelta(days=settings.SIGN_INS_KEPT_DAYS, seconds=1))
    kept = SignIn.objects.create(user=ann, kind="in", channel="web", at=now - timedelta(days=settings.SIGN_INS_KEPT_DAYS - 1))
    forget()
    assert list(SignIn.objects.all()) == [kept]
