"""OAuth 2 from end to end: an app is registered, asks, gets tokens, plays, refreshes, and is shown the door."""

from __future__ import annotations

import hashlib
import re
import threading
from base64 import b64encode, urlsafe_b64encode
from datetime import timedelta
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from accounts import erasure, tokens
from accounts.models import ApiToken, App, Authorization, User
from accounts.oauth import apps, grants
from accounts.tokens import find_token, revoke_all
from gamesvc.matches.organising import moderation, reports
from tests.matches.by_mail import wait_for
from tests.racing import at_once, is_waited_for
from tests.web.page import chosen, form_to

VERIFIER = "a-verifier-of-at-least-43-characters-0123456789"
CHALLENGE = urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")
BACK = "https://app.example/done"


@pytest.fixture
def app(ben):
    return apps.register(owner=ben, name="Star Reader", redirect_uris=[BACK, "http://127.0.0.1/cb"], confidential=False)[0]


@pytest.fixture
def browser(anna):
    client = Client()
    client.force_login(anna)
    return client


def asking(app, **changes):
    fields = {
        "response_type": "code",
        "client_id": str(app.pk),
        "redirect_uri": BACK,
        "scope": "play",
        "state": "xyz",
        "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
    }
    return "/oauth/authorize/?" + urlencode({name: value for name, value in {**fields, **changes}.items() if value is not None})


def answered(browser, address, act="allow"):
    """Press a button of the page that asks. Return the query with which the user goes back to the app."""
    form = form_to(browser.get(address).content.decode(), "", "Allow")
    went = browser.post(address, {**form.fields, "act": act})
    assert went.status_code == 302
    return {name: values[0] for name, values in parse_qs(urlsplit(went["Location"]).query).items()}


def exchanged(app, code, *, headers=None, **changes):
    fields = {
        "grant_type": "authorization_code",
        "code": code,
        "client_id": str(app.pk),
        "redirect_uri": BACK,
        "code_verifier": VERIFIER,
        **changes,
    }
    fields = {name: value for name, value in fields.items() if value is not None}
    return Client(enforce_csrf_checks=True).post("/oauth/token/", fields, headers=headers)


def refreshed(app, refresh_token, **changes):
    fields = {"grant_type": "refresh_token", "refresh_token": refresh_token, "client_id": str(app.pk), **changes}
    return Client().post("/oauth/token/", fields)


def permitted(browser, app, **changes):
    answer = exchanged(app, answered(browser, asking(app, **changes))["code"])
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_an_app_plays_for_its_user(browser, anna, app):
    page = browser.get(asking(app, scope="play organise")).content.decode()
    assert "Star Reader is an app by ben" in page
    assert "act for your seats" in page
    assert "<strong>app.example</strong>" in page
    back = answered(browser, asking(app))
    assert back["state"] == "xyz"
    answer = exchanged(app, back["code"])
    assert answer["Cache-Control"] == "no-store"
    assert answer["Access-Control-Allow-Origin"] == "*"
    told = answer.json()
    assert (told["token_type"], told["expires_in"], set(told["scope"].split())) == ("Bearer", 3600, {"read", "play"})
    program = Client(headers={"Authorization": f"Bearer {told['access_token']}"})
    assert program.get("/api/v1/me/").json()["name"] == "anna"
    made = program.post(
        "/api/v1/matches/", {"game": "space_fleet_commander"}, content_type="application/json", headers={"Idempotency-Key": "one"}
    )
    assert made.status_code == 201
    assert program.get("/api/v1/tokens/").status_code == 403, "apps have no power over the account"


def test_only_hashes_are_stored(browser, app):
    code = answered(browser, asking(app))["code"]
    told = exchanged(app, code).json()
    stored = str([*Authorization.objects.values(), *ApiToken.objects.values(), *App.objects.values()])
    assert not [text for text in (code, told["access_token"], told["refresh_token"]) if text in stored]


def test_who_declines_sends_the_app_away(browser, app):
    back = answered(browser, asking(app), act="deny")
    assert back == {"error": "access_denied", "state": "xyz"}
    assert not Authorization.objects.exists()


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"code_challenge": None, "code_challenge_method": None}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"code_challenge_method": None}, "invalid_request"),
        ({"scope": "account"}, "invalid_scope"),
        ({"scope": "operate"}, "invalid_scope"),
        ({"response_type": "token"}, "unsupported_response_type"),
    ],
)
def test_a_faulty_request_goes_back_to_the_app(browser, app, changes, error):
    went = browser.get(asking(app, **changes))
    assert went.status_code == 302
    assert went["Location"].startswith(BACK)
    assert parse_qs(urlsplit(went["Location"]).query)["error"] == [error]


@pytest.mark.parametrize(
    "changes",
    [
        {"client_id": "nobody"},
        {"client_id": None},
        {"redirect_uri": "https://evil.example/done"},
        {"redirect_uri": BACK + "/more"},
        {"redirect_uri": BACK + "?x=1"},
        {"redirect_uri": "http://127.0.0.1.evil.example/cb"},
        {"redirect_uri": "http://127.0.0.1:1@evil.example/cb"},
        {"redirect_uri": "http://user@127.0.0.1/cb"},
        {"redirect_uri": None},
    ],
)
def test_a_request_that_names_no_certain_app_goes_nowhere(browser, app, changes):
    page = browser.get(asking(app, **changes))
    assert page.status_code == 400
    assert "This app cannot ask for your permission" in page.content.decode()
    assert browser.post(asking(app, **changes), {"act": "allow"}).status_code == 400


@pytest.mark.parametrize("odd", ['"<>', "\\", "{}|^`", "ü", "%ff%fe"])
def test_odd_characters_in_a_request_are_read_as_any_others(browser, app, odd):
    assert browser.get(f"/oauth/authorize/?client_id={odd}").status_code == 400
    assert browser.get(f"{asking(app)}&more={odd}").status_code == 200


def test_a_program_on_the_own_machine_listens_at_any_port(browser, app):
    local = "http://127.0.0.1:49152/cb"
    code = answered(browser, asking(app, redirect_uri=local))["code"]
    assert exchanged(app, code, redirect_uri=local).status_code == 200


@pytest.mark.parametrize("challenge", ["x" * 2000, CHALLENGE + "\x00", CHALLENGE[1:], CHALLENGE + "\n"])
def test_a_challenge_that_is_none_goes_back_to_the_app(browser, app, challenge):
    for send in (browser.get, lambda address: browser.post(address, {"act": "allow"})):
        went = send(asking(app, code_challenge=challenge))
        if "\x00" not in challenge:
            assert parse_qs(urlsplit(went["Location"]).query)["error"] == ["invalid_request"]
        assert went.status_code in (302, 400)
    assert not Authorization.objects.exists()


def test_an_address_on_the_own_machine_is_no_longer_than_a_registered_one(browser, app):
    padded = f"http://127.0.0.1:{'0' * 400}80/cb"
    assert browser.post(asking(app, redirect_uri=padded), {"act": "allow"}).status_code == 400


def test_the_user_sees_all_that_an_app_may_do_by_any_permission(browser, app):
    wide = permitted(browser, app, scope="play organise")
    permitted(browser, app, scope="read")
    assert "read, play, organise" in browser.get("/profile/apps/").content.decode()
    assert refreshed(app, wide["refresh_token"]).status_code == 200


def test_strangers_sign_in_first(app, db):
    assert Client().get(asking(app)).url.startswith("/accounts/login/")


def test_a_forged_form_allows_nothing(browser, anna, app):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(anna)
    assert strict.post(asking(app), {"act": "allow"}).status_code == 403
    assert not Authorization.objects.exists()


@pytest.mark.parametrize(
    "changes",
    [
        {"code_verifier": VERIFIER + "x"},
        {"code_verifier": None},
        {"redirect_uri": "http://127.0.0.1/cb"},
        {"code": "another"},
        {"grant_type": "password"},
        {"client_id": None},
    ],
)
def test_a_stolen_code_is_worth_nothing(browser, app, changes):
    code = answered(browser, asking(app))["code"]
    answer = exchanged(app, **{"code": code, **changes})
    assert answer.status_code in (400, 401)
    assert "error" in answer.json()
    assert not ApiToken.objects.exists()


@pytest.mark.parametrize("credentials", ["ÿÿ", "====", b64encode(b"\xff\xfe").decode(), b64encode(b"\x00:\x00").decode(), ""])
def test_credentials_that_are_none_are_no_app(browser, app, credentials):
    code = answered(browser, asking(app))["code"]
    headers = {"Authorization": f"Basic {credentials}"}
    assert exchanged(app, code, headers=headers).json()["error"] == "invalid_client"
    assert Client(headers=headers).post("/oauth/revoke/", {"token": code}).json()["error"] == "invalid_client"
    assert exchanged(app, code).status_code == 200


def test_a_code_of_another_app_is_refused(browser, app, anna):
    other, _secret = apps.register(owner=anna, name="Other", redirect_uris=[BACK], confidential=False)
    code = answered(browser, asking(app))["code"]
    assert exchanged(other, code).json()["error"] == "invalid_grant"
    assert exchanged(app, code).status_code == 200


def test_a_code_holds_for_a_minute(browser, app):
    code = answered(browser, asking(app))["code"]
    with time_machine.travel(timezone.now() + timedelta(seconds=61), tick=False):
        assert exchanged(app, code).json()["error"] == "invalid_grant"


def test_a_code_used_twice_ends_the_permission(browser, app):
    code = answered(browser, asking(app))["code"]
    told = exchanged(app, code).json()
    assert exchanged(app, code).json()["error"] == "invalid_grant"
    assert find_token(told["access_token"]) is None
    assert refreshed(app, told["refresh_token"]).json()["error"] == "invalid_grant"


@pytest.mark.django_db(transaction=True)
def test_two_at_once_get_one_token(browser, app):
    code = answered(browser, asking(app))["code"]
    answers = at_once(*[lambda: exchanged(app, code).status_code] * 4)
    assert sorted(answers)[:1] == [200]
    assert sorted(answers)[1:] == [400, 400, 400]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("who", ["anna", "ben"])
def test_a_user_is_erased_although_their_app_is_just_getting_a_token(browser, anna, ben, app, monkeypatch, who):
    """Both the user who allowed it, and its developer."""
    code = answered(browser, asking(app))["code"]
    is_made, real = threading.Event(), tokens.create_for_app

    def make(*args):
        real(*args)
        is_made.set()
        wait_for(is_waited_for, "the erasure")

    def erase():
        is_made.wait()
        erasure.erase(User.objects.get(username=who))

    monkeypatch.setattr(tokens, "create_for_app", make)
    at_once(lambda: exchanged(app, code), erase)
    assert not ApiToken.objects.exists()
    assert not Authorization.objects.exists()


def test_a_refresh_token_is_replaced_each_time(browser, app):
    first = permitted(browser, app)
    second = refreshed(app, first["refresh_token"]).json()
    assert find_token(first["access_token"]) is None
    assert find_token(second["access_token"]).scopes == {"read", "play"}
    narrow = refreshed(app, second["refresh_token"], scope="read").json()
    assert find_token(narrow["access_token"]).scopes == {"read"}
    wide = refreshed(app, narrow["refresh_token"], scope="read play").json()
    assert find_token(wide["access_token"]).scopes == {"read", "play"}
    assert refreshed(app, wide["refresh_token"], scope="organise").json()["error"] == "invalid_scope"


def test_a_refresh_token_used_again_ends_the_permission(browser, app):
    first = permitted(browser, app)
    second = refreshed(app, first["refresh_token"]).json()
    assert refreshed(app, first["refresh_token"]).json()["error"] == "invalid_grant"
    assert refreshed(app, second["refresh_token"]).json()["error"] == "invalid_grant"
    assert find_token(second["access_token"]) is None


def test_any_earlier_refresh_token_used_again_ends_the_permission(browser, app):
    """A thief who has refreshed twice is noticed as well, when the app comes with the token that was stolen."""
    stolen = permitted(browser, app)["refresh_token"]
    told = refreshed(app, refreshed(app, refreshed(app, stolen).json()["refresh_token"]).json()["refresh_token"]).json()
    assert refreshed(app, stolen).json()["error"] == "invalid_grant"
    assert find_token(told["access_token"]) is None
    assert refreshed(app, told["refresh_token"]).json()["error"] == "invalid_grant"


def test_an_app_with_a_secret_has_to_know_it(browser, ben):
    app, secret = apps.register(owner=ben, name="Server", redirect_uris=[BACK], confidential=True)
    code = answered(browser, asking(app))["code"]
    assert exchanged(app, code).status_code == 401
    assert exchanged(app, code, client_secret="gss_wrong").status_code == 401
    basic = "Basic " + b64encode(f"{app.pk}:{secret}".encode()).decode()
    assert exchanged(app, code, client_id=None, headers={"Authorization": basic}).status_code == 200


def test_the_user_sees_and_ends_what_apps_may_do(browser, app):
    told = permitted(browser, app)
    page = browser.get("/profile/apps/").content.decode()
    assert "Star Reader" in page
    assert "Star Reader" not in browser.get("/profile/").content.decode(), "the keys there are the user's own"
    form = form_to(page, "", "Revoke")
    assert (
        "can no longer act for you"
        in browser.post("/profile/apps/", {**form.fields, "act": "revoke"}, follow=True).content.decode()
    )
    assert find_token(told["access_token"]) is None
    assert refreshed(app, told["refresh_token"]).json()["error"] == "invalid_grant"


def test_the_apps_of_a_suspended_developer_do_nothing_more(browser, anna, ben, player, program, app):
    told = permitted(browser, app)
    report = reports.report(by=anna, subject=reports.of_player(anna, "ben"), kind="spam", words="It advertises")
    operator = player("olga", is_staff=True)
    moderation.act(by=operator, report=report, act="suspend", words="Enough.")
    assert find_token(told["access_token"]) is None
    assert refreshed(app, told["refresh_token"]).status_code == 401
    moderation.act(by=operator, report=report, act="restore", words="Talked to them.")
    assert find_token(told["access_token"]) is None
    assert refreshed(app, told["refresh_token"]).status_code == 200


@pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
def test_an_app_signs_itself_out(browser, app, kind):
    told = permitted(browser, app)
    answer = Client().post("/oauth/revoke/", {"token": told[kind], "client_id": str(app.pk)})
    assert answer.status_code == 200
    assert find_token(told["access_token"]) is None
    assert (refreshed(app, told["refresh_token"]).status_code == 200) is (kind == "access_token")
    assert Client().post("/oauth/revoke/", {"token": "unknown", "client_id": str(app.pk)}).status_code == 200


def test_another_app_revokes_nothing(browser, app, anna):
    other, _secret = apps.register(owner=anna, name="Other", redirect_uris=[BACK], confidential=False)
    told = permitted(browser, app)
    Client().post("/oauth/revoke/", {"token": told["access_token"], "client_id": str(other.pk)})
    assert find_token(told["access_token"]) is not None


def test_revoking_everything_ends_the_permissions_too(browser, anna, app):
    told = permitted(browser, app)
    revoke_all(anna)
    assert find_token(told["access_token"]) is None
    assert refreshed(app, told["refresh_token"]).json()["error"] == "invalid_grant"


def test_a_developer_registers_and_deletes_an_app(browser, anna):
    form = form_to(browser.get("/profile/apps/").content.decode(), "", "Register the app")
    typed = {"name": ["Mine"], "redirect_uris": [f"{BACK}\ncom.example.mine:/done"], "confidential": ["on"]}
    made = browser.post("/profile/apps/", {**chosen(form, typed), "act": "register"})
    assert made.status_code == 201
    client_id, secret = re.findall(r'class="key">([^<]+)<', made.content.decode())
    app = App.objects.get(owner=anna)
    assert (client_id, app.redirect_uris) == (str(app.pk), [BACK, "com.example.mine:/done"])
    assert secret not in browser.get("/profile/apps/").content.decode()
    browser.post("/profile/apps/", {"act": "delete", "app": client_id})
    assert not App.objects.exists()


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "http://app.example/done",
        "https:///done",
        "javascript:alert(1)",
        "data:text/html,x",
        "https://app.example/#part",
        "https://user:word@app.example/",
        "https://app.example/a b",
        "https://app.example\\.bank.example/",
        "https://app.example/" + "x" * 300,
        "app:/done",
    ],
)
def test_no_code_is_sent_to_an_unsafe_address(browser, uri):
    answer = browser.post("/profile/apps/", {"act": "register", "name": "Mine", "redirect_uris": uri})
    assert answer.status_code == 422
    assert "redirect address" in answer.content.decode()
    assert not App.objects.exists()


def test_the_metadata_describes_the_server(db):
    told = Client().get("/.well-known/oauth-authorization-server").json()
    assert told["code_challenge_methods_supported"] == ["S256"]
    assert told["token_endpoint"].endswith("/oauth/token/")
    assert told["scopes_supported"] == ["read", "play", "organise"]


def test_permissions_are_given_so_often_a_day(browser, app, monkeypatch):
    """Each stays for months: one account could store half a gigabyte a day."""
    monkeypatch.setattr(grants, "ALLOWED_PER_DAY", 2)
    told = [answered(browser, asking(app)) for _each in range(4)]
    assert ["code" in one for one in told] == [True, True, False, False]
    assert told[-1] | {"error_description": ""} == {"error": "temporarily_unavailable", "state": "xyz", "error_description": ""}
    assert Authorization.objects.count() == 2


def test_an_app_gets_itself_so_many_tokens_a_day(browser, app, anna, monkeypatch):
    monkeypatch.setattr(grants, "REFRESHED_PER_DAY", 2)
    refresh = permitted(browser, app)["refresh_token"]
    for _each in range(2):
        refresh = refreshed(app, refresh).json()["refresh_token"]
    answer = refreshed(app, refresh)
    assert (answer.status_code, answer.json()["error"]) == (429, "temporarily_unavailable")
    assert ApiToken.objects.filter(user=anna).count() == 3
    with time_machine.travel(timezone.now() + timedelta(days=1, minutes=1)):
        assert refreshed(app, refresh).status_code == 200, "nothing is lost"


def test_all_apps_together_get_so_many_tokens_a_day_for_a_user(browser, app, ben, monkeypatch):
    monkeypatch.setattr(grants, "REFRESHED_BY_ALL_PER_DAY", 1)
    other = apps.register(owner=ben, name="Other", redirect_uris=[BACK], confidential=False)[0]
    one, two = permitted(browser, app)["refresh_token"], permitted(browser, other)["refresh_token"]
    assert refreshed(app, one).status_code == 200
    assert refreshed(other, two).status_code == 429
