"""A fair share of the threads: who has used much computing time runs one request at a time, and others are answered."""

from __future__ import annotations

import itertools

import pytest
from django.db import connection
from django.templatetags.static import static
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.bots import bots
from gamesvc.api.v1.account import me
from gamesvc.matches.lobby import opening
from gamesvc.request_limits import computing_time, long_answers
from gamesvc.web.games import searching
from gamesvc.web.lobby import dashboard

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def shares(monkeypatch, settings):
    """A limit of which nothing is used so far, requests that each compute for ten seconds, and a clock that stands still."""
    settings.RATE_LIMIT_SECONDS = 6
    ticks = itertools.count(step=10.0)
    monkeypatch.setattr(computing_time, "SHARES", computing_time.Shares())
    monkeypatch.setattr(computing_time, "_known", {})
    monkeypatch.setattr(computing_time, "computed", lambda: next(ticks))
    monkeypatch.setattr(computing_time, "now", lambda: 1000.0)


@pytest.fixture
def beside(monkeypatch):
    """Return what `ask` gets while another request runs through the function of a module."""

    def asked(module, name, request, ask):
        said, inner = [], getattr(module, name)

        def held(*args, **kwargs):
            if not said:
                said.append(None)
                said[0] = ask()
            return inner(*args, **kwargs)

        with monkeypatch.context() as patched:
            patched.setattr(module, name, held)
            assert request().status_code == 200
        return said[0]

    return asked


@pytest.fixture
def page(anna):
    browser = Client()
    browser.force_login(anna)
    return lambda: browser.get("/")


@pytest.fixture
def account(anna, program):
    caller = program(anna)
    return lambda: caller.get("/me/")


def test_who_has_used_much_is_answered_one_at_a_time(beside, account):
    assert beside(me, "_shown", account, account).status_code == 200  # nothing is known of them yet
    refused = beside(me, "_shown", account, account)
    assert (refused.status_code, refused.json()["code"], refused["Retry-After"]) == (429, "too_many", "1")
    assert refused.json()["detail"].startswith("Few requests that may take much computing time")
    assert account().status_code == 200


def test_the_first_requests_of_a_user_leave_threads_to_others(beside, account, ben, program):
    """What they cost is not known before one has ended."""
    other = program(ben)

    def third():
        return account().status_code, other.get("/me/").status_code

    assert beside(me, "_shown", account, lambda: beside(me, "_shown", account, third)) == (429, 200)


def test_probes_and_many_guests_of_one_network_are_answered_from_the_start(beside):
    """So a service that has just started is found to answer, and a school may open its pages."""
    guest = Client()

    def fourth():
        return guest.get("/games/").status_code, guest.get("/health/").status_code

    def twice(ask):
        return lambda: beside(searching, "search", lambda: guest.get("/games/"), ask)

    assert twice(twice(fourth))() == (200, 200)


def test_few_dear_requests_of_a_user_run_at_the_same_time(beside, account, monkeypatch):
    """Also while they have used little: two such users would take all threads."""
    seconds = itertools.count(step=0.3)
    monkeypatch.setattr(computing_time, "computed", lambda: next(seconds))
    account()
    assert beside(me, "_shown", account, account).status_code == 200
    assert beside(me, "_shown", account, lambda: beside(me, "_shown", account, account)).status_code == 429


def test_others_are_answered_meanwhile(beside, account, ben, program):
    account()
    other, reader = program(ben), Client()
    assert beside(me, "_shown", account, lambda: other.get("/me/")).status_code == 200
    assert beside(me, "_shown", account, lambda: reader.get("/games/")).status_code == 200


def test_those_beyond_their_limits_leave_threads_to_others_however_many_they_are(beside, account, ben, player, program):
    """Three accounts of one person took three of four threads, and four would have taken all."""
    second, third, other = program(ben), program(player("clara")), Client()
    for ask in (account, lambda: second.get("/me/"), lambda: third.get("/me/")):
        ask()

    def meanwhile():
        return third.get("/me/").status_code, other.get("/games/").status_code

    assert beside(me, "_shown", account, lambda: beside(me, "_shown", lambda: second.get("/me/"), meanwhile)) == (429, 200)
    assert third.get("/me/").status_code == 200


def test_pages_and_programs_of_a_user_and_their_bots_are_counted_together(beside, page, account, anna, program):
    page()
    assert beside(dashboard, "_sections", page, page).status_code == 429
    assert beside(dashboard, "_sections", page, account).status_code == 429
    bot = program(bots.make(owner=anna, name="anna-bot"))
    assert beside(dashboard, "_sections", page, lambda: bot.get("/me/")).status_code == 429


def test_guests_of_a_network_are_counted_together(beside):
    def look(address):
        return lambda: Client(REMOTE_ADDR=address).get("/games/")

    look("192.0.2.1")()
    assert beside(searching, "search", look("192.0.2.1"), look("192.0.2.1")).status_code == 429
    assert beside(searching, "search", look("192.0.2.1"), look("198.51.100.1")).status_code == 200


def test_the_refusal_of_a_known_credential_asks_the_database_nothing(beside, page, account):
    page(), account()

    def counted(ask):
        with CaptureQueriesContext(connection) as queries:
            return ask().status_code, len(queries)

    assert beside(dashboard, "_sections", page, lambda: counted(page)) == (429, 0)
    assert beside(me, "_shown", account, lambda: counted(account)) == (429, 0)


def test_cheap_requests_run_side_by_side_and_time_is_given_back(beside, account, monkeypatch):
    account()
    monkeypatch.setattr(computing_time, "now", lambda: 1000.0 + 3_600)
    assert beside(me, "_shown", account, account).status_code == 429  # dear requests are expected to be dear again
    monkeypatch.setattr(computing_time, "SHARES", computing_time.Shares())
    monkeypatch.setattr(computing_time, "computed", lambda: 1.0)
    for _ in range(20):
        assert beside(me, "_shown", account, account).status_code == 200


def test_static_files_are_answered_at_any_time(beside, page):
    page()
    assert beside(dashboard, "_sections", page, lambda: Client().get(static("style.css"))).status_code in (200, 404)


def test_a_provider_of_mail_is_answered_at_any_time(beside):
    guest = Client()
    guest.get("/games/")
    assert beside(searching, "search", lambda: guest.get("/games/"), lambda: guest.get("/games/")).status_code == 429
    posted = beside(searching, "search", lambda: guest.get("/games/"), lambda: guest.post("/mail/provider/postmark/"))
    assert posted.status_code == 404  # this provider is not set up here


def test_a_response_that_is_written_bit_by_bit_counts_until_its_end(anna, ben, program, toy, account, monkeypatch):
    monkeypatch.setattr(long_answers, "SHORT", 100)
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game="toy"))
    caller = program(anna)
    account()
    export = caller.get(f"/matches/{match.pk}/export/")
    assert export.status_code == 200
    assert account().status_code == 429
    assert b"".join(export.streaming_content)
    assert account().status_code == 200


def test_without_a_limit_nobody_is_refused(settings, beside, account):
    settings.RATE_LIMIT_SECONDS = 0
    account()
    assert beside(me, "_shown", account, account).status_code == 200
