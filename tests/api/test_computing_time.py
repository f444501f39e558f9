"""A fair share of the threads: who has used much computing time runs one request at a time, and others are answered."""

from __future__ import annotations

import functools
import itertools
import sys
from types import SimpleNamespace

import pytest
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.db import connection
from django.templatetags.static import static
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.addresses import add_verified_address
from accounts.bots import bots
from gamesvc.api.v1.account import me
from gamesvc.matches.lobby import opening
from gamesvc.matches.record import positions
from gamesvc.request_limits import computing_time, long_answers
from gamesvc.web.games import searching
from gamesvc.web.lobby import dashboard
from tests.matches.playing import duel, play_out

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


def test_positions_of_many_new_users_leave_threads_to_others(account, player, program, toy, monkeypatch):
    """What a position costs is not known before it has been played on."""
    check, answers, waiting = positions.check_position, [], [program(player(name)) for name in ("carol", "dora", "emil")]
    body = {"game": "toy", "position": {"format": 1, "game": "toy", "state": {}, "marked": []}}

    pages = []

    def checked(*given):
        if waiting:
            answers.append(waiting.pop().post("/matches/", body))
        else:
            pages.append(account().status_code)
        return check(*given)

    monkeypatch.setattr(positions, "check_position", checked)
    last = program(player("frank")).post("/matches/", body)
    assert [one.status_code for one in (*answers, last)] == [429, 422, 422]
    assert answers[0]["Retry-After"] == "1"
    assert program(player("grete")).post("/matches/", body).status_code == 422, "it is their turn again"
    assert set(pages) == {200}, "other requests are none of these"


def test_forks_of_described_positions_leave_threads_to_others(anna, ben, player, program, toy, monkeypatch):
    """Each is judged as the position was: ten at once of one player took all threads for a minute."""
    finished = duel(anna, ben)
    play_out(finished)
    api, first, second = (program(one) for one in (anna, player("carol"), player("dora")))
    described = api.get(f"/matches/{finished.number}/position/?version=8").json()
    body = {"game": toy, "position": described["position"], "options": described["options"], "bots": {"1": "greedy"}}
    strange = api.post("/matches/", body).json()["number"]
    begun = api.get(f"/matches/{strange}/view/").json()["version"]
    forks = {
        f"/matches/{number}/forks/": {"version": version, "kind": "board"}
        for number, version in ((strange, begun), (finished.number, 8))
    }
    check, answers, waiting = positions.check_position, [], [second]

    def checked(*given):
        if waiting:
            waiting.pop().post("/matches/", body)
        elif not answers:
            answers.append(None)  # the forks are judged too
            answers[:] = [api.post(path, fork).status_code for path, fork in forks.items()]
        return check(*given)

    monkeypatch.setattr(positions, "check_position", checked)
    assert first.post("/matches/", body).status_code == 201
    assert answers == [429, 201]
    assert [api.post(path, fork).status_code for path, fork in forks.items()] == [201, 201], "it is their turn again"


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


def test_guests_of_a_network_keep_no_known_browser_of_it_from_signing_in(beside, anna):
    """Neither from the password nor from the second factor. Its cookie counts at the sign-in alone."""
    add_verified_address(anna, "anna@players.example")
    TOTP.activate(anna, generate_totp_secret())
    codes, browser, guest = RecoveryCodes.activate(anna).get_unused_codes(), Client(), Client()
    _sign_in(browser, codes[0])
    mark = browser.cookies["known_browser"].value
    browser.post("/accounts/logout/")
    guest.get("/games/")

    def ask():
        browser.cookies["known_browser"] = mark
        elsewhere = browser.get("/games/").status_code
        return elsewhere, _sign_in(Client(), codes[1])[0], _sign_in(browser, codes[1])

    assert beside(searching, "search", lambda: guest.get("/games/"), ask) == (429, 429, [302, 200, 302])
    assert "_auth_user_id" in browser.session


def _sign_in(browser, code):
    """Sign in as a browser does: the page of the second factor gets no mark of a known one."""
    page = "/accounts/2fa/authenticate/"
    login = browser.post("/accounts/login/", {"login": "anna", "password": "a long password"})
    browser.cookies.pop("known_browser", None)
    return [login.status_code, browser.get(page).status_code, browser.post(page, {"code": code}).status_code]


def test_the_refusal_of_a_known_credential_asks_the_database_nothing(beside, page, account):
    page(), account()

    def counted(ask):
        with CaptureQueriesContext(connection) as queries:
            return ask().status_code, len(queries)

    assert beside(dashboard, "_sections", page, lambda: counted(page)) == (429, 0)
    assert beside(me, "_shown", account, lambda: counted(account)) == (429, 0)


def test_little_is_remembered_of_a_credential_however_long_it_is(monkeypatch):
    """A guest's cookies of 400 kB each took 400 MB of each process."""
    remembered: dict[object, object] = {}
    monkeypatch.setattr(computing_time, "_known", remembered)
    guest = Client()
    for letter in "ab":
        guest.cookies["sessionid"] = letter * 400_000
        assert guest.get("/games/").status_code == 200
    assert len(remembered) == 2
    assert sys.getsizeof(next(iter(remembered))) < 200


def test_credentials_that_guests_make_up_have_no_user_forgotten(account, monkeypatch, settings):
    """Of a network whose guests have asked too often, users who are known are answered all the same."""
    monkeypatch.setattr(computing_time, "KEPT", 4)
    monkeypatch.setattr(computing_time, "computed", lambda: 1.0)
    settings.RATE_LIMIT_PER_ADDRESS = 20  # of which guests leave five
    assert account().status_code == 200
    guest, answers = Client(), []
    for number in range(18):
        guest.cookies["sessionid"] = f"made-up-{number}"
        answers.append(guest.get("/games/").status_code)
    assert 429 in answers
    assert account().status_code == 200


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


@pytest.fixture
def times(monkeypatch):
    """Times that pass by hand: what is computed, and what the clock shows."""
    found = SimpleNamespace(computed=1.0, shown=1000.0)
    monkeypatch.setattr(computing_time, "computed", lambda: found.computed)
    monkeypatch.setattr(computing_time, "now", lambda: found.shown)
    return found


@pytest.fixture
def compute(times, beside, account):
    """Return a function that lets the account compute for some seconds."""

    def computed(seconds):
        beside(me, "_shown", account, lambda: setattr(times, "computed", times.computed + seconds))

    return computed


@pytest.fixture
def two(beside, account):
    """Return a function that asks for the account twice at the same time and returns what the second one gets."""
    return lambda: beside(me, "_shown", account, account).status_code


@pytest.fixture
def while_others_wait(beside, times, player, program):
    """Return a function that asks something after other users have taken all threads for some seconds."""
    callers = [program(player(name)) for name in ("dora", "emil", "frida", "gero")]

    def asked(ask, *, seconds=1.0):
        def last():
            times.shown += seconds
            return ask()

        for caller in callers:
            last = functools.partial(beside, me, "_shown", functools.partial(caller.get, "/me/"), last)
        return last()

    return asked


def test_while_others_wait_the_limits_are_those_of_a_few_seconds(compute, two, account, while_others_wait):
    """Eight users with 375 cheap requests each at once kept all others waiting for 24 seconds."""
    compute(0.6)
    assert two() == 200
    assert while_others_wait(two, seconds=0.1) == 200  # all threads are taken, but nobody waits for long
    assert while_others_wait(two) == 429
    assert while_others_wait(lambda: account().status_code) == 200


def test_nobody_waits_any_more_when_threads_have_been_free_for_a_moment(times, compute, two, while_others_wait):
    compute(0.6)
    assert while_others_wait(two) == 429
    times.shown += 0.6
    assert two() == 200


def test_while_others_wait_nothing_is_given_back(times, compute, two, while_others_wait):
    """Ten users, each within the limit of a minute, would use up all that there is."""
    compute(0.6)

    def later():
        first = two()
        times.shown += 60
        return first, two()

    assert while_others_wait(later) == (429, 429)
    times.shown += 60
    assert two() == 200


def test_while_others_wait_a_request_that_only_waits_counts(times, compute, two, account, beside, while_others_wait):
    """Requests of a user that wait for each other compute nothing, and keep all threads from others."""
    compute(0.0)

    def waits():
        for _ in range(2):
            beside(me, "_shown", account, lambda: setattr(times, "shown", times.shown + 4.0))
        return two()

    assert waits() == 200
    assert while_others_wait(waits) == 429
    times.shown += 4
    assert two() == 200  # however long it waited


@pytest.fixture
def computes(times, beside):
    """Return a function that lets a request compute for some seconds."""
    return lambda ask, seconds: beside(me, "_shown", ask, lambda: setattr(times, "computed", times.computed + seconds))


@pytest.mark.parametrize(("used", "answered"), [(0.6, 200), (4.0, 200), (40.0, 429)])
def test_while_others_wait_those_who_use_most_leave_a_thread_to_those_who_use_less(
    used, answered, computes, account, ben, player, program, beside, while_others_wait
):
    """Two users kept out, for as long as they liked, everyone else who had seen three pages meanwhile."""
    second, third = program(ben), program(player("clara"))
    asked = [account, lambda: second.get("/me/"), lambda: third.get("/me/")]
    for ask, seconds in zip(asked, (100.0, 100.0, used), strict=True):
        computes(ask, seconds)

    def meanwhile():
        return [ask().status_code for ask in asked[1:]]

    assert while_others_wait(lambda: beside(me, "_shown", account, meanwhile)) == [429, answered]
    assert while_others_wait(lambda: asked[1]().status_code) == 200


def test_all_networks_of_a_customer_share_three_times_the_time_of_one(beside):
    """A customer has 65,536 of them, and a request from each computed as long as it liked."""

    def look(network):
        return lambda: Client(REMOTE_ADDR=f"2001:db8:5:{network}::1").get("/games/")

    for network in range(2):
        assert look(network)().status_code == 200
    assert beside(searching, "search", look(2), look(3)).status_code == 429
    assert beside(searching, "search", look(4), lambda: Client(REMOTE_ADDR="2001:db8:6::1").get("/games/")).status_code == 200


def test_networks_of_which_nothing_is_to_be_remembered_are_forgotten(times, monkeypatch):
    """A customer has 65,536 of them: each request looked through all that had come within an hour."""
    monkeypatch.setattr(computing_time, "KEPT", 5)
    monkeypatch.setattr(computing_time, "SHARES", computing_time.Shares())
    for network in range(100):
        assert Client(REMOTE_ADDR=f"2001:db8:5:{network:x}::1").get("/games/").status_code == 200
        times.shown += 30
    assert len(computing_time.SHARES) < 20


def test_without_a_limit_nobody_is_refused(settings, beside, account):
    settings.RATE_LIMIT_SECONDS = 0
    account()
    assert beside(me, "_shown", account, account).status_code == 200
