"""HTTP as programs expect it: conditions (RFC 9110 13), queries, places of what was made, and calls from other sites' pages."""

from __future__ import annotations

import email.message
import tracemalloc
import urllib.parse
from collections import defaultdict
from http import cookies

import pytest
from django.test import Client
from hypothesis import given as examples_of
from hypothesis import strategies as st

from gamesvc import request_limits
from gamesvc.matches.models import Seat
from gamesvc.request_limits import parsers
from tests.api.test_api import etag, expect_problem

pytestmark = pytest.mark.django_db


@pytest.fixture
def two(anna, ben, program):
    return program(anna), program(ben)


@pytest.fixture
def duel(toy, two):
    match = two[0].post("/matches/", {"game": toy}).json()["id"]
    two[1].post(f"/matches/{match}/join/", {"seat": 1})
    return match


def at_version(tag: str, version: int) -> str:
    return f'{tag.rpartition("-")[0]}-{version}"'


@pytest.mark.parametrize("given", ["*", '"other", {}', "{}, {beyond}"])
def test_a_command_names_its_version_in_any_form(duel, two, given):
    tag = etag(two[0], duel)
    condition = given.format(tag, beyond=at_version(tag, 999)) if given != "*" else given
    assert two[0].post(f"/matches/{duel}/commands/", {"name": "draw"}, etag=condition).status_code == 200


def test_a_version_that_is_not_reached_yet_is_refused(duel, two):
    beyond = at_version(etag(two[0], duel), 999)
    expect_problem(two[0].post(f"/matches/{duel}/commands/", {"name": "draw"}, etag=beyond), 412, "stale")


def test_whoever_has_no_seat_learns_that_first(duel, player, program):
    watcher = program(player("carla"))
    refused = watcher.post(f"/matches/{duel}/commands/", {"name": "draw"}, etag='"nonsense"')
    assert refused.status_code in (403, 404), "not 412: a version tells nothing to who may not act"


@pytest.mark.parametrize("path", ["view/", "forms/", "events/", "", "clock/", "board.svg"])
@pytest.mark.parametrize("form", ["{}", "W/{}", '"other", {}', "*"])
def test_a_read_is_sent_once(duel, two, path, form):
    first = two[0].get(f"/matches/{duel}/{path}")
    again = two[0].get(f"/matches/{duel}/{path}", **{"If-None-Match": form.format(first.headers["ETag"])})
    assert (first.status_code, again.status_code, again.content) == (200, 304, b"")
    assert {"Authorization", "Cookie"} <= {one.strip() for one in again.headers["Vary"].split(",")}
    assert two[0].get(f"/matches/{duel}/{path}", **{"If-None-Match": '"other"'}).status_code == 200


@pytest.mark.parametrize(
    ("query", "parameter"),
    [("mine=0", "mine"), ("suitable=null", "suitable"), ("status=bogus", "status"), ("status=", "status"), ("sort=new", "sort")],
)
def test_a_query_that_does_not_fit_is_pointed_at(anna, program, query, parameter):
    refused = program(anna).get(f"/matches/?{query}")
    assert refused.status_code == 400
    body = refused.json()
    assert body["parameter"] == parameter == body["errors"][0]["parameter"]


def test_every_number_in_a_query_is_checked(duel, two):
    """Also beside another parameter, whose value makes it needless."""
    checked = 0
    for path, methods in two[0].get("/openapi.json").json()["paths"].items():
        address = path.removeprefix("/api/v1").format_map(defaultdict(int, ident=duel, version=1, kind="svg"))
        names = {one["name"]: one["schema"] for one in methods.get("get", {}).get("parameters", ()) if one["in"] == "query"}
        for name in [name for name, schema in names.items() if schema.get("type") == "integer"]:
            beside = "&at=2999-01-01T00:00:00Z" if "at" in names else ""
            refused = two[0].get(f"{address}?{name}=null{beside}")
            assert (refused.status_code, refused.json()["parameter"]) == (400, name), path
            checked += 1
    assert checked > 12


@pytest.mark.parametrize("kind", ["gif", "SVG", "svg.png", "%C3%B0"])
def test_a_picture_is_of_a_kind_that_is_named(duel, two, kind):
    assert two[0].get(f"/matches/{duel}/board.{kind}").status_code == 404


def test_a_board_is_shown_as_text(duel, two, toy):
    answer = two[0].get(f"/matches/{duel}/board.txt")
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.content == b"[0, 0]"
    waiting = two[0].post("/matches/", {"game": toy}).json()["number"]
    assert two[0].get(f"/matches/{waiting}/board.txt").content == b"The game has not begun.\n"


def test_reading_a_view_writes_nothing(duel, two):
    before = list(Seat.objects.order_by("pk").values())
    assert two[0].get(f"/matches/{duel}/view/").status_code == 200
    assert list(Seat.objects.order_by("pk").values()) == before


def test_what_was_made_has_a_place(toy, anna, program):
    made = program(anna).post("/matches/", {"game": toy})
    assert made.headers["Location"] == f"/api/v1/matches/{made.json()['id']}/"
    assert program(anna).get(made.headers["Location"].removeprefix("/api/v1")).json()["id"] == made.json()["id"]


def test_pages_of_other_sites_call_with_a_token_and_never_with_a_session(anna, program, client):
    origin = {"Origin": "https://board.example"}
    answer = program(anna).get("/matches/", **origin)
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert "ETag" in answer.headers["Access-Control-Expose-Headers"]
    assert "Access-Control-Allow-Credentials" not in answer.headers
    asked = {**origin, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "if-match"}
    allowed = client.options("/api/v1/matches/", headers=asked)
    assert allowed.status_code == 200
    assert "if-match" in allowed.headers["Access-Control-Allow-Headers"]
    assert "Access-Control-Allow-Origin" not in client.get("/", headers=origin).headers


@pytest.mark.parametrize("accepted", ["application/problem+json", "application/problem+json; q=0.9, text/html"])
def test_who_accepts_problems_gets_them_and_json(client, accepted):
    headers = {"Accept": accepted}
    assert client.get("/api/v1/games/", headers=headers)["Content-Type"] == "application/json"
    refused = client.get("/api/v1/me/", headers=headers)
    assert (refused.status_code, refused["Content-Type"]) == (401, "application/problem+json")


@examples_of(st.text(st.characters(max_codepoint=255) | st.sampled_from('\\"07'), max_size=40))
def test_a_cookie_is_read_as_it_was_written(value):
    _value, written = cookies.SimpleCookie().value_encode(value)
    assert cookies._unquote(written) == value


@examples_of(st.text(st.sampled_from(' ;="\\aB*0'), max_size=30))
def test_parameters_are_read_as_by_python(text):
    assert email.message._parseparam(text) == _parts_as_by_python(text)


def _parts_as_by_python(text):
    """Python 3.11, `email.message._parseparam`."""
    left, found = f";{text}", []
    while left[:1] == ";":
        left = left[1:]
        end = left.find(";")
        while end > 0 and (left.count('"', 0, end) - left.count('\\"', 0, end)) % 2:
            end = left.find(";", end + 1)
        if end < 0:
            end = len(left)
        part = left[:end]
        if "=" in part:
            at = part.index("=")
            part = part[:at].strip().lower() + "=" + part[at + 1 :].strip()
        found.append(part.strip())
        left = left[end:]
    return found


@examples_of(st.text(st.sampled_from("%%4aé1"), max_size=60).map(str.encode))
def test_escapes_are_read_as_by_python(data):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parsers, "AT_ONCE", 7)
        assert urllib.parse.unquote_to_bytes(data) == parsers._unescape(data)


@pytest.mark.parametrize("piece", ["%", "%41", "%C3%A9", "%\u0100"])
def test_a_form_of_many_escapes_takes_little_memory(client, settings, piece):
    """Anybody may post one to any page: what refuses it, reads it first."""
    settings.FORM_BYTES = 512 * 1024
    body = f"login={piece * (settings.FORM_BYTES // len(piece.encode()) - 10)}".encode()
    tracemalloc.start()
    try:
        answer = client.post("/accounts/login/", body, content_type="application/x-www-form-urlencoded")
        _now, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert answer.status_code == 400
    assert most < 64 * settings.FORM_BYTES


@pytest.mark.parametrize("path", ["/", "/accounts/login/", "/health/", "/api/v1/", "/api/v1/matches/1/view/"])
@pytest.mark.parametrize("unreadable", ["x*=nobody-knows-it''a", f"x*{'9' * 5_000}=a"])
def test_a_type_of_content_that_cannot_be_read_is_refused_and_counted(path, unreadable, monkeypatch):
    counted = []
    monkeypatch.setattr(request_limits, "count", lambda _request, who, **_more: counted.append(who))
    answer = Client().get(path, CONTENT_TYPE=f"text/html; {unreadable}")
    assert answer.status_code == 400
    assert counted


@pytest.mark.parametrize("path", ["/", "/api/v1/"])
def test_a_long_type_of_content_is_not_decoded(path, monkeypatch):
    """Of this encoding Python takes the square of the length: half a second for 60 kB, before the request was counted."""
    decoded = []
    monkeypatch.setattr(email.message.utils, "decode_rfc2231", lambda text: (decoded.append(len(text)), (None, None, ""))[1])
    answer = Client().get(path, CONTENT_TYPE=f"text/html; x*=punycode''a-{'b' * 60_000}")
    assert answer.status_code == 400
    assert not decoded
