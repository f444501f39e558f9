"""Rate limits of pages and API: by network, user and token, and for looking at the past; and their headers."""

from __future__ import annotations

import base64
import inspect
import itertools
import json
import uuid
import zlib
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import pytest
import time_machine
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.templatetags.static import static
from django.test import Client
from django.urls import get_resolver
from django.utils import timezone
from rest_framework.exceptions import AuthenticationFailed

from accounts import tokens
from accounts.addresses import add_verified_address
from accounts.bots import bots
from accounts.models import Authorization
from accounts.oauth import apps
from gamesvc import request_limits
from gamesvc.api.errors import NotAcceptable, WrongMethod
from gamesvc.api.live import admission, messages
from gamesvc.api.live.errors import TicketRefused
from gamesvc.matches.errors import Unknown
from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Match, Refusal
from gamesvc.matches.record import loading
from gamesvc.request_limits import computing_time
from tests.matches.playing import act

pytestmark = pytest.mark.django_db
SECOND_FACTOR = "/accounts/2fa/authenticate/"
NOON = datetime(2026, 6, 1, 12, 0, 15, tzinfo=UTC)


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """A moment a quarter into a window, with counts that no other test has touched."""
    mine = uuid.uuid4().hex
    key = request_limits._key
    monkeypatch.setattr(request_limits, "_key", lambda *about: f"{mine}:{key(*about)}")
    monkeypatch.setattr(request_limits, "_not_before", 0.0)
    with time_machine.travel(NOON, tick=False) as moved:
        yield moved


@pytest.fixture
def match(toy, anna, ben):
    return opening.join_match(by=ben, match=opening.create_match(by=anna, game="toy", watch="all"))


def statuses(ask, number):
    return [ask().status_code for _ in range(number)]


def test_a_user_has_so_many_requests_a_minute_with_all_tokens_together(settings, anna, ben, program, clock):
    settings.RATE_LIMIT_PER_USER = 3
    first, second = program(anna), program(anna)
    assert statuses(lambda: first.get("/me/"), 2) == [200, 200]
    last = second.get("/me/")
    assert last["RateLimit-Policy"] == '"user";q=3;w=60'
    assert last["RateLimit"] == '"user";r=0;t=45'
    over = second.get("/me/")
    assert (over.status_code, over["Content-Type"], over["Retry-After"]) == (429, "application/problem+json", "45")
    assert over.json()["code"] == "too_many"
    assert over.json()["detail"] == "3 requests a minute are allowed for one user. Try again in 45 seconds."
    assert over["RateLimit"] == '"user";r=0;t=45'
    assert program(ben).get("/me/").status_code == 200
    clock.shift(timedelta(seconds=45))
    assert first.get("/me/").status_code == 200


def test_each_token_has_its_own_limit(settings, anna, program):
    settings.RATE_LIMIT_PER_TOKEN = 2
    first, second = program(anna), program(anna)
    assert statuses(lambda: first.get("/me/"), 3) == [200, 200, 429]
    assert statuses(lambda: second.get("/me/"), 2) == [200, 200]


@pytest.mark.parametrize(
    ("near", "far"), [(["192.0.2.7"], "192.0.2.8"), (["2001:db8:1:2::1", "2001:db8:1:2:ffff::9"], "2001:db8:1:3::1")]
)
def test_a_network_has_one_limit_for_pages_and_programs_known_or_not(settings, program, anna, near, far):
    settings.RATE_LIMIT_PER_ADDRESS = 3
    address = itertools.cycle(near)
    client = Client()
    assert client.get("/lobby/", REMOTE_ADDR=next(address)).status_code == 200
    wrong = client.get("/api/v1/me/", REMOTE_ADDR=next(address), headers={"Authorization": "Bearer gsk_wrong"})
    assert wrong.status_code == 401
    assert client.get("/api/v1/games/", REMOTE_ADDR=next(address)).status_code == 200
    page = client.get("/lobby/", REMOTE_ADDR=next(address))
    assert (page.status_code, page["Retry-After"]) == (429, "45")
    assert "3 requests a minute are allowed from one network. Try again in 45 seconds." in page.content.decode()
    answer = client.get("/api/v1/games/", REMOTE_ADDR=next(address))
    assert (answer.status_code, answer.json()["code"], answer["Retry-After"]) == (429, "too_many", "45")
    assert client.get("/lobby/", REMOTE_ADDR=far).status_code == 200


@pytest.mark.parametrize("path", ["/lobby/", "/api/v1/games/", "/nowhere/"])
def test_the_many_ipv6_networks_of_one_customer_have_one_limit_together(settings, path):
    settings.RATE_LIMIT_PER_ADDRESS = 2
    client = Client()
    codes = [client.get(path, REMOTE_ADDR=f"2001:db8:1:{number:x}::1").status_code for number in range(7)]
    assert [code == 429 for code in codes] == [False] * 6 + [True]
    assert client.get(path, REMOTE_ADDR="2001:db8:2::1").status_code != 429


@pytest.mark.parametrize("path", ["/matches/{}/board.svg", "/api/v1/matches/{}/board.svg"])
def test_the_many_ipv6_networks_of_one_customer_look_at_the_past_together(settings, match, path):
    settings.RATE_LIMIT_HISTORY = 1
    client = Client()
    asked = path.format(match.number)
    codes = [client.get(asked, REMOTE_ADDR=f"2001:db8:1:{number:x}::1").status_code for number in range(4)]
    assert codes == [200, 200, 200, 429]
    assert client.get(asked, REMOTE_ADDR="2001:db8:2::1").status_code == 200


def test_a_signed_in_reader_of_pages_is_limited_and_nothing_is_done_beyond(settings, anna, match):
    settings.RATE_LIMIT_PER_USER = 1
    client = Client()
    client.force_login(anna)
    assert client.get("/lobby/").status_code == 200
    body = {"order": "if drew seat=0 then draw", "act": "add"}
    assert client.post(f"/matches/{match.number}/standing", body).status_code == 429
    assert client.post("/new/toy/", {}).status_code == 429
    assert Match.objects.count() == 1


def test_what_is_played_stays_for_ever_and_is_limited_by_the_day(settings, anna, match, program, clock):
    """600 commands a minute of one user would be a gigabyte a day. Their bots have no limit of their own."""
    settings.RATE_LIMIT_ACTS = 2
    bot = program(bots.make(owner=anna, name="anna-bot"))
    api, address = program(anna), f"/matches/{match.number}"

    def draw(by=api):
        version = api.get(f"{address}/view/")["ETag"]
        return by.post(f"{address}/commands/", {"name": "draw"}, etag=version)

    first = draw()
    assert first.status_code == 200
    assert first["RateLimit-Policy"] == '"acts";q=2;w=86400'
    assert bot.post(f"{address}/commands/", {"name": "draw"}).status_code != 429
    late = draw()
    assert (late.status_code, late["Retry-After"]) == (429, str(43_185))
    for way in ("orders", "undo", "redo", "go-to"):
        assert api.post(f"{address}/{way}/", {}).status_code == 429
    assert api.get(f"{address}/undo/").status_code == 200
    clock.shift(timedelta(hours=12))
    assert draw().status_code != 429


def test_orders_of_a_page_are_each_counted(settings, anna, toy):
    settings.RATE_LIMIT_ACTS, settings.RATE_LIMIT_PER_USER = 1, 100
    match = opening.create_match(by=anna, game=toy, bots={1: "random"})
    client = Client()
    client.force_login(anna)
    before = loading.load(match.id, match.game)
    body = {"orders": "draw\ndraw", "_version": str(before.viewer_version(0))}
    answer = client.post(f"/matches/{match.number}/orders", body)
    assert answer.status_code == 429, answer.content.decode()
    assert answer["Retry-After"] == str(43_185)
    assert "1 commands, undos and steps on boards a day" in answer.content.decode()
    assert len(loading.load(match.id, match.game).timeline.state.hands[0]) == len(before.timeline.state.hands[0]) + 1


# Requests without a view: how to send each, and its status.
UNANSWERED = {
    "no page": (lambda client: client.get("/nowhere/"), 404),
    "no resource": (lambda client: client.get("/api/v1/nowhere/"), 404),
    "a slash too few": (lambda client: client.get("/lobby"), 308),
    "no static file": (lambda client: client.get("/static/nothing.css"), 404),
    "another site's form": (lambda client: client.post("/accounts/login/", {"login": "anna"}), 403),
    "U+0000 in the query": (lambda client: client.get("/lobby/?game=%00"), 400),
    "U+0000 in a form": (lambda client: client.post("/mail/unsubscribe/x", {"all": "\0"}), 400),
    "a field too long": (lambda client: client.post("/mail/unsubscribe/x", {"all": "x" * 40_000}), 400),
    "too many fields": (lambda client: client.post("/mail/unsubscribe/x", {f"f{n}": "x" for n in range(2000)}), 400),
    "another encoding": (
        lambda client: client.post("/mail/unsubscribe/x", "a=b", content_type="application/x-www-form-urlencoded; charset=utf-7"),
        400,
    ),
    "another host": (lambda client: client.get("/lobby/", headers={"Host": "evil.example"}), 400),
    "a wrong token": (lambda client: client.get("/api/v1/me/", headers={"Authorization": "Bearer gsk_wrong"}), 401),
}


@pytest.mark.parametrize("what", UNANSWERED)
def test_a_request_counts_once_whatever_answers_it(settings, what):
    settings.RATE_LIMIT_PER_ADDRESS = 2
    ask, status = UNANSWERED[what]
    client = Client(enforce_csrf_checks=True, raise_request_exception=False)
    first, second, third = (ask(client) for _ in range(3))
    assert [first.status_code, second.status_code, third.status_code] == [status, status, 429]
    assert first["RateLimit"] == '"address";r=1;t=45'
    assert (third["RateLimit"], third["Retry-After"]) == ('"address";r=0;t=45', "45")


def test_static_files_are_free(settings):
    settings.RATE_LIMIT_PER_ADDRESS = 1
    client = Client()
    files = [client.get(static("site.css")) for _ in range(3)]
    assert {answer.status_code for answer in files} == {200}
    assert client.get("/lobby/").status_code == 200


def test_looking_at_the_past_is_limited_more_tightly(settings, anna, match, program):
    act(match, 0)
    settings.RATE_LIMIT_HISTORY = 2
    client, at = program(anna), f"/matches/{match.number}"
    assert client.get(f"{at}/view/?version=6").status_code == 200
    assert "history" not in client.get(f"{at}/view/").get("RateLimit", "")
    assert client.get(f"{at}/steps/6/")["RateLimit"] == '"history";r=0;t=45'
    assert client.get(f"{at}/board.png").status_code == 429
    assert client.get(f"{at}/view/").status_code == 200
    page = Client()
    page.force_login(anna)
    assert page.get(f"{at}/?at=6").status_code == 429
    assert page.get(f"{at}/").status_code == 200
    stranger = Client()
    assert statuses(lambda: stranger.get(f"{at}/?at=6", REMOTE_ADDR="192.0.2.9"), 3) == [200, 200, 429]
    assert stranger.get(f"{at}/?at=6", REMOTE_ADDR="192.0.2.10").status_code == 200


def routes(resolver, before=""):
    for pattern in resolver.url_patterns:
        route = before + str(pattern.pattern)
        if hasattr(pattern, "url_patterns"):
            yield from routes(pattern, route)
        else:
            yield route, pattern.callback


def test_every_address_that_looks_at_the_past_is_marked():
    """In the OpenAPI document: an address with a version or a moment in its query or path folds the past."""
    schema = Client().get("/api/v1/openapi.json").json()
    takes = {}
    for path, operations in schema["paths"].items():
        for operation in operations.values():
            named = {(one["in"], one["name"]) for one in operation.get("parameters", [])}
            found = {name for place, name in named if place == "query" and name in ("version", "at")}
            if found or ("path", "version") in named:
                takes[path] = tuple(sorted(found)) or (request_limits.ALWAYS,)
    assert len(takes) >= 3
    marked = {f"/{route}": callback.folds for route, callback in routes(get_resolver()) if hasattr(callback, "folds")}
    plain = {path.replace("<str:", "{").replace("<int:", "{").replace(">", "}"): marks for path, marks in marked.items()}
    for path, names in takes.items():
        assert path in plain, f"{path} takes {names} and is not marked as one that folds the past"
        assert set(names) <= set(plain[path]) or request_limits.ALWAYS in plain[path], path
    assert len(plain) > len(takes), "exports, proofs, forks and the pages are marked as well"


TELL_OF_THE_LAST_COMMAND = {"api/v1/matches/<str:ident>/undo/"}
"""Folds the match once, up to the command that may be undone, to see if it still may."""


def test_every_address_of_a_match_that_folds_its_past_is_marked(anna, match, program, monkeypatch):
    """Called without a query, none that is not marked folds the match up to an earlier version."""
    for turn in range(4):
        act(match, turn % 2, {"name": "draw"})
    folded = []
    for name in ("load_at", "load_near"):
        load = getattr(loading, name)
        monkeypatch.setattr(loading, name, lambda *given, load=load: folded.append(given) or load(*given))
    page = Client()
    page.force_login(anna)
    api, folding, marked = program(anna), set(), set(TELL_OF_THE_LAST_COMMAND)
    for route, callback in routes(get_resolver()):
        path = "/" + route.replace("<str:ident>", str(match.number))
        if "matches/<str:ident>" not in route or "<" in path:
            continue
        folded.clear()
        answer = api.get(path.removeprefix("/api/v1")) if path.startswith("/api/") else page.get(path)
        assert answer.status_code < 500
        if folded:
            folding.add(route)
        if request_limits.ALWAYS in getattr(callback, "folds", ()):
            marked.add(route)
    assert folding <= marked, f"{folding - marked} fold the past and are not marked"
    assert TELL_OF_THE_LAST_COMMAND | {"api/v1/matches/<str:ident>/clock/", "matches/<str:ident>/clock"} <= folding, folding


def test_while_valkey_is_away_requests_pass_uncounted_and_it_is_said_once(settings, anna, program, caplog):
    settings.RATE_LIMIT_PER_USER = 1
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    client = program(anna)
    assert statuses(lambda: client.get("/me/"), 3) == [200, 200, 200]
    assert [record.message for record in caplog.records if "uncounted" in record.message] == [
        record.message for record in caplog.records if record.name == "gamesvc.request_limits"
    ]
    assert len([record for record in caplog.records if record.name == "gamesvc.request_limits"]) == 1


def test_a_refused_command_keeps_four_kilobytes_and_its_copy_is_still_known(toy, anna, match, program):
    client = program(anna)
    tag = client.get(f"/matches/{match.number}/view/")["ETag"]
    large = {"name": "set_orders", "text": "x" * 9_000, "more": "y" * 5_000}
    answers = [client.post(f"/matches/{match.number}/commands/", large, etag=tag, key="one") for _ in range(2)]
    assert [answer.status_code for answer in answers] == [422, 422]
    assert answers[0].json()["code"] == answers[1].json()["code"]
    other = client.post(f"/matches/{match.number}/commands/", large | {"more": "z" * 5_000}, etag=tag, key="one")
    assert (other.status_code, other.json()["code"]) == (422, "key_reused")
    row = Refusal.objects.get()
    assert row.command["name"] == "set_orders"
    assert row.command["left_out"]["bytes"] > 14_000
    assert len(str(row.command)) + len(row.detail) < 4096


def test_a_described_position_counts_as_one_that_folds_the_past(settings, anna, program):
    """The position is tried before any other check of the match, so no match is created."""
    settings.RATE_LIMIT_HISTORY = 2
    asked = {"game": "space_fleet_commander", "hours": 0}
    position = {**asked, "position": {"game": "space_fleet_commander"}}
    assert statuses(lambda: program(anna).post("/matches/", position), 3) == [422, 422, 429]
    assert program(anna).post("/matches/", asked).status_code == 422


def test_a_ticket_for_a_stream_counts_whenever_it_is_shown(settings, anna, program):
    settings.LIVE_URL = "http://live.example"
    place = urlsplit(program(anna).get("/me/stream/")["Location"])
    settings.RATE_LIMIT_PER_USER = 2
    scope = {"type": "http", "method": "GET", "path": place.path, "query_string": place.query.encode(), "headers": []}
    admit = inspect.unwrap(admission.admit)  # in this thread, on the connection of the test
    assert [admit(scope).caller.user_id for _ in range(2)] == [anna.pk, anna.pk]
    with pytest.raises(request_limits.Exceeded):
        admit(scope)


@pytest.mark.parametrize(
    ("asked", "refused"),
    [
        ({"headers": [(b"authorization", b"Bearer gsk_none")]}, AuthenticationFailed),
        ({"query_string": b"ticket=none"}, TicketRefused),
        ({"path": "/api/v1/nowhere/stream/"}, Unknown),
        ({"method": "POST"}, WrongMethod),
        ({"headers": [(b"accept", b"image/png")]}, NotAcceptable),
    ],
)
def test_a_refused_request_for_a_stream_counts_for_its_network(settings, anna, asked, refused):
    settings.RATE_LIMIT_PER_ADDRESS = 2
    scope = {"type": "http", "method": "GET", "path": "/api/v1/me/stream/", "query_string": b"", "headers": [], **asked}
    scope["client"] = ("203.0.113.9", 4444)
    admit = inspect.unwrap(admission.admit)
    for refusal in (refused, refused, request_limits.Exceeded):
        with pytest.raises(refusal):
            admit(scope)


@pytest.mark.parametrize("told", [{}, {"a": 1}, "abcd", 7, None, [[], 1], [1, [2]], [1]])
def test_a_cursor_of_any_form_is_read(told):
    packed = base64.urlsafe_b64encode(zlib.compress(json.dumps(told).encode())).decode()
    assert messages.read_cursor(packed) == {}


# --- a limit that is reached uses up no other ---


def test_a_program_beyond_its_own_limit_keeps_its_user_from_nothing(settings, anna, program):
    """An app that a user allowed to read could keep them from every page, also from the one that revokes its permission."""
    settings.RATE_LIMIT_PER_TOKEN, settings.RATE_LIMIT_PER_USER = 2, 4
    wild, page = program(anna), Client()
    page.force_login(anna)
    assert statuses(lambda: wild.get("/me/"), 10) == [200, 200, *[429] * 8]
    assert statuses(lambda: page.get("/lobby/"), 3) == [200, 200, 429]


def test_what_is_refused_by_the_minute_is_no_act_of_the_day(settings, anna, match, program, clock):
    """A program that tried again without waiting used up the day of its user within minutes, in all matches and by mail."""
    settings.RATE_LIMIT_PER_TOKEN, settings.RATE_LIMIT_ACTS = 1, 3
    wild, address = program(anna), f"/matches/{match.number}/commands/"
    answers = [wild.post(address, {"name": "draw"}) for _ in range(6)]
    assert [answer.status_code == 429 for answer in answers] == [False, *[True] * 5]
    assert '"acts"' not in answers[-1]["RateLimit"]
    settings.RATE_LIMIT_PER_TOKEN = 0
    assert [status == 429 for status in statuses(lambda: wild.post(address, {"name": "draw"}), 3)] == [False, False, True]


def test_an_app_has_one_limit_with_all_tokens_that_it_gets_itself(settings, anna, ben, program):
    settings.RATE_LIMIT_PER_TOKEN = 2
    app, _secret = apps.register(owner=ben, name="Reader", redirect_uris=["https://app.example/done"], confidential=False)
    soon = timezone.now() + timedelta(days=1)
    allowed = Authorization.objects.create(app=app, user=anna, scopes=["read"], code_expires_at=soon, expires_at=soon)

    def ask():
        plain = tokens.new_text()
        tokens.create_for_app(allowed, plain, ["read"], soon)
        return Client(headers={"Authorization": f"Bearer {plain}"}).get("/api/v1/me/")

    assert statuses(ask, 4) == [200, 200, 429, 429]
    assert program(anna).get("/me/").status_code == 200


@pytest.mark.parametrize(("name", "wait"), [("RATE_LIMIT_PER_USER", "in: 45 Sekunden."), ("RATE_LIMIT_ACTS", "in: 12 Stunden.")])
def test_a_page_says_in_german_too_when_to_come_again(settings, anna, match, name, wait):
    setattr(settings, name, 1)
    page = Client(headers={"Accept-Language": "de"})
    page.force_login(anna)
    anna.language = "de"
    anna.save()
    page.post(f"/matches/{match.number}/undo", {})
    late = page.post(f"/matches/{match.number}/undo", {})
    told = late.content.decode()
    assert (late.status_code, "sind" in told, wait in told) == (429, True, True), told


@pytest.mark.parametrize("path", ["/lobby/", "/api/v1/games/", "/nowhere/"])
def test_one_ipv6_network_uses_up_nothing_of_the_others_of_its_customer(settings, path):
    settings.RATE_LIMIT_PER_ADDRESS = 2
    client = Client()
    codes = [client.get(path, REMOTE_ADDR="2001:db8:1:1::1").status_code for _ in range(9)]
    assert [code == 429 for code in codes] == [False, False, *[True] * 7]
    assert client.get(path, REMOTE_ADDR="2001:db8:1:2::1").status_code != 429


def test_who_floods_a_network_without_an_account_keeps_no_user_of_it_out(settings, anna, ben, program):
    """A university or a provider of phones has one address for very many people."""
    settings.RATE_LIMIT_PER_ADDRESS = 8
    guest, page, known, unknown = Client(), Client(), program(anna), program(ben)
    page.force_login(anna)
    known.get("/me/")
    assert statuses(lambda: guest.get("/nowhere/"), 20) == [*[404] * 5, *[429] * 15]
    assert statuses(lambda: guest.get("/lobby/"), 2) == [429, 429]
    assert statuses(lambda: unknown.get("/me/"), 2) == [429, 429], "any token may be made up"
    assert (page.get("/lobby/").status_code, known.get("/me/").status_code) == (200, 200)
    assert page.get("/lobby/").status_code == 429, "all of it is used up now"


def test_who_floods_a_network_keeps_no_known_browser_of_it_from_its_second_factor(settings, anna):
    add_verified_address(anna, "anna@players.example")
    TOTP.activate(anna, generate_totp_secret())
    codes, browser, unknown = RecoveryCodes.activate(anna).get_unused_codes(), Client(), Client()
    _give_password(browser)
    browser.post(SECOND_FACTOR, {"code": codes[0]})
    browser.post("/accounts/logout/")
    _give_password(unknown)
    settings.RATE_LIMIT_PER_ADDRESS = 16
    assert statuses(lambda: Client().get("/nowhere/"), 20) == [*[404] * 12, *[429] * 8]
    assert unknown.get(SECOND_FACTOR).status_code == 429
    assert _give_password(browser) == 302
    assert browser.get(SECOND_FACTOR).status_code == 200
    assert browser.post(SECOND_FACTOR, {"code": codes[1]}).status_code == 302
    assert browser.get("/lobby/").status_code == 200


def _give_password(browser):
    """Sign in up to the second factor, whose page gets no mark of a known browser: its path is that of the sign-in alone."""
    status = browser.post("/accounts/login/", {"login": "anna", "password": "a long password"}).status_code
    browser.cookies.pop("known_browser", None)
    return status


@pytest.mark.parametrize("header", ["Bearer {token}", "Basic {token}"])
def test_one_credential_sent_in_many_ways_has_no_user_forgotten(settings, anna, ben, program, monkeypatch, header):
    """A program wrote its token with more and more spaces, or put made-up headers beside its session: each counted as new."""
    monkeypatch.setattr(computing_time, "KEPT", 20)
    monkeypatch.setattr(computing_time, "_known", {})
    settings.RATE_LIMIT_PER_ADDRESS = 60  # of which guests leave fifteen
    reader, other = program(anna), Client()
    assert reader.get("/me/").status_code == 200
    other.force_login(ben)
    token = program(ben).token
    for number in range(1, 23):
        shown = header.format(token=" " * number + token)
        assert other.get("/api/v1/me/", headers={"Authorization": shown}).status_code == 200
    guest = Client()
    assert statuses(lambda: guest.get("/games/"), 23).count(429) == 1
    assert reader.get("/me/").status_code == 200
