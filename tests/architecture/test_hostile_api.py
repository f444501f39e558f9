"""Hostile text in every body field of every API operation is never a fault of ours.

The operations and their fields come from the service's own OpenAPI document, so new ones are tested automatically.
"""

from __future__ import annotations

import pytest

from tests.architecture.hostile_api import address, every_operation, inside, prepared, send, ways, world  # noqa: F401
from tests.hostile import UNTAKEN, VALUES, nested

pytestmark = [pytest.mark.django_db, pytest.mark.long]
ELSEWHERE = ("nul", "integer over 2^63", "whole fraction", "many digits")
"""Values tried on a match that accepts the request otherwise."""


@every_operation
def test_no_text_in_a_body_is_a_fault_of_ours(ways, method, path, operation):  # noqa: F811
    somebody, matches = ways
    body, headers, here = prepared(ways, path, operation)
    for label, value in VALUES.items():
        for name in body:
            for changed in inside(body[name], value):
                answer = send(somebody, method, here, {**body, name: changed}, **headers)
                if label in UNTAKEN:
                    assert answer.status_code in (400, 403, 404, 405, 415), (here, name, label, answer.content[:300])
            for ident in matches[1:] if "{ident}" in path and label in ELSEWHERE else ():
                send(somebody, method, address(path, ident, {}), {**body, name: value}, **headers)
        if body and isinstance(value, str):
            send(somebody, method, here, {**body, value: value}, **headers)


def test_a_body_with_what_no_door_takes_says_where_it_stands(ways):  # noqa: F811
    somebody, (running, *_) = ways
    path = f"/api/v1/matches/{running}/commands/"
    for command, pointer, code in (
        ({"name": "end\x00"}, "#/name", "bad_text"),
        ({"name": "end", "a/b~\x00": 1}, "#/a~1b~0\ufffd", "bad_text"),
        ({"name": "play", "card": [{"x": "\x00"}]}, "#/card/0/x", "bad_text"),
        ({"name": "play", "n" * 201: 1}, f"#/{'n' * 100}…", "bad_text"),
        ({"name": "play", "x": 2**60}, "#/x", "bad_number"),
        ({"name": "play", "x": nested(600)}, f"#/x{'/0' * 31}", "too_deep"),
    ):
        problem = send(somebody, "post", path, command).json()
        assert (problem["status"], problem["code"]) == (400, code)
        assert [one["pointer"] for one in problem["errors"]] == [pointer]
    raw = send(somebody, "post", path, b'{"name": "\\ud800"}')
    assert raw.json()["code"] == "bad_request"


def test_a_command_is_no_longer_than_16_kb(ways):  # noqa: F811
    somebody, (running, *_) = ways
    view = somebody.get(f"/matches/{running}/view/")
    problem = send(
        somebody,
        "post",
        f"/api/v1/matches/{running}/commands/",
        {"name": "choose", "picks": ["a-01"] * 3000},
        **{"If-Match": view.headers["ETag"]},
    ).json()
    assert (problem["status"], problem["code"]) == (422, "too_long")


@pytest.mark.parametrize("path", ["/api/v1/games/", "/"])
def test_what_stands_around_a_body_is_judged_too(client, path):
    client.raise_request_exception = False
    for more in (
        {"QUERY_STRING": "search=a%00b"},
        {"HTTP_IDEMPOTENCY_KEY": "a\x00b"},
        {"HTTP_COOKIE": 'sessionid="\\000aaaaaaaaaaaaaaaa"'},
        {"CONTENT_TYPE": "text/plain; charset=hex"},
        {"CONTENT_TYPE": "application/x-www-form-urlencoded; charset=utf-7", "QUERY_STRING": "search=+AAA-"},
    ):
        answer = client.get(path, **more)
        assert answer.status_code == 400, more
        kind = "application/problem+json" if path.startswith("/api/") else "text/html; charset=utf-8"
        assert answer.headers["Content-Type"] == kind
