"""What is made for one reader is kept by no cache on the way: every address is asked as a player, by page and by program."""

from __future__ import annotations

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from django.test import Client

from gamesvc.matches.lobby import opening
from tests.walking import doors

pytestmark = pytest.mark.django_db
VALUES = {
    "game": "stratastar",
    "game_id": "stratastar",
    "token": "x",
    "secret": "x",
    "code": "too_late",
    "version": 1,
    "number": 1,
    "kind": "svg",
    "seat": 0,
    "absence_id": 1,
    "follow_id": 1,
    "token_id": "00000000-0000-0000-0000-000000000001",
}
# The same for everyone, and asked of no session.
PUBLIC = ("health/", "api/v1/openapi.json")


@pytest.fixture
def match(anna, ben):
    return opening.join_match(by=ben, match=opening.create_match(by=anna, game="stratastar"))


def asked(match):
    """The addresses that answer a GET, with the parameters of a running match."""
    for door in doors():
        if not door.route.startswith(("admin/", "accounts/", "mail/", *PUBLIC)):
            given = {name: VALUES.get(name, match.number if name == "ident" else "anna") for name in door.parameters}
            yield door.path(**given)


def check_private(answer, path):
    kept = answer.headers.get("Cache-Control", "")
    assert "private" in kept or "no-store" in kept, (path, answer.status_code, kept)


def test_no_cache_keeps_the_page_of_a_player(match, anna):
    browser = Client()
    browser.force_login(anna)
    paths = list(asked(match))
    assert f"/matches/{match.number}/" in paths
    for path in paths:
        check_private(browser.get(path), path)


def test_no_browser_keeps_a_page_of_a_player(match, anna):
    """Who signs out leaves a hand to nobody who goes back on the same computer: browsers show a page again as it stood."""
    browser = Client()
    browser.force_login(anna)
    pages = {path: answer for path in asked(match) if "html" in (answer := browser.get(path)).headers.get("Content-Type", "")}
    assert {"/", f"/matches/{match.number}/"} <= set(pages)
    assert [path for path, answer in pages.items() if "no-store" not in answer["Cache-Control"]] == []
    assert "no-store" not in Client().get("/lobby/")["Cache-Control"], "a guest has nothing to hide"


def test_no_browser_keeps_a_page_with_the_secrets_of_an_account(anna):
    """Who signs out leaves them to nobody who goes back on the same computer."""
    browser = Client()
    browser.force_login(anna)
    browser.post("/accounts/reauthenticate/", {"password": "a long password"})
    EmailAddress.objects.create(user=anna, email=anna.email, verified=True, primary=True)
    RecoveryCodes.activate(anna)
    for path in ("2fa/totp/activate/", "2fa/recovery-codes/", "2fa/recovery-codes/download/", "email/"):
        answer = browser.get(f"/accounts/{path}")
        assert answer.status_code == 200, path
        assert "no-store" in answer["Cache-Control"], path


def test_no_cache_keeps_what_a_program_gets(match, anna, program):
    api = program(anna)
    for path in asked(match):
        if path.startswith("/api/v1/"):
            check_private(api.get(path.removeprefix("/api/v1")), path)


def test_no_cache_keeps_what_a_link_shows(match):
    path = f"/matches/{match.number}/?link={match.link_token}"
    answer = Client().get(path)
    assert answer.status_code == 200
    check_private(answer, path)
