"""Every operation of the API takes hostile text in every place a request has, and none of it is ever a fault of ours.

The operations and their fields come from the service's own OpenAPI document: a new one is tested by being there.
"""

from __future__ import annotations

import copy
import json
import uuid
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from django.db import transaction
from drf_spectacular.generators import SchemaGenerator

from gamesvc.matches import loading, lobby
from tests.conftest import make_anna, make_ben, make_player
from tests.hostile import TEXTS, UNTAKEN, VALUES, nested
from tests.matches.playing import act

pytestmark = pytest.mark.django_db
DOCUMENT: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
OPERATIONS = [
    (method, path, operation)
    for path, item in DOCUMENT["paths"].items()
    for method, operation in item.items()
    if method in ("get", "post", "put", "patch", "delete")
]
QUERIES = {"link", "as"}
"""Read for every match, and named in no document."""
ELSEWHERE = ("nul", "integer over 2^63", "whole fraction", "many digits")
"""Enough for a match that takes the request for other reasons than its text."""
CONDITION = {"event": {"type": "colony_placed", "data": {"seat": 1}}, "view": [{"path": "turn", "op": "=", "value": 2}]}
FITTING: dict[str, Any] = {
    "game": "space_war",
    "text": "orders react kind play use avoid",
    "order": "if drawn then end",
    "when": CONDITION,
    "commands": [{"name": "end_turn"}],
    "orders": [{"when": {"target": "b-04"}, "do": "stand"}],
    "to": "all",
    "bots": {"1": "greedy"},
    "clock": {"turn": "2d", "days_off": {"weekdays": ["sat"], "zone": "UTC"}},
    "options": {"decks": ["terrans", "swarm"]},
    "scopes": ["read"],
    "user": "carol",
    "url": "https://hooks.example/x",
    "first": "2027-03-01",
    "last": "2027-03-02",
    "start": "22:00",
    "end": "07:00",
    "reminders": ["50%"],
    "channels": ["mail"],
}


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in schema:
        schema = DOCUMENT["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    return schema


def fields_of(operation: dict[str, Any]) -> dict[str, Any]:
    content = operation.get("requestBody", {}).get("content", {})
    return dict(resolved(content.get("application/json", {}).get("schema", {})).get("properties", {}))


def fitting(name: str, schema: dict[str, Any]) -> Any:
    """A value that the field takes, so that what stands beside it is looked at."""
    if name in FITTING:
        return FITTING[name]
    for shape in (schema, *map(resolved, schema.get("allOf", ())), *map(resolved, schema.get("oneOf", ()))):
        shape = resolved(shape)
        if "default" in shape:
            return shape["default"]
        if "enum" in shape:
            return shape["enum"][0]
        kind = shape.get("type", "null")
        kind = kind[0] if isinstance(kind, list) else kind
        if kind in ("string", "integer", "boolean", "array", "object"):
            return {"string": "text", "integer": 1, "boolean": True, "array": [], "object": {}}[kind]
    return None


def inside(value: Any, hostile: Any) -> Iterator[Any]:
    """The value with something hostile in the place of each of its parts, names included."""
    yield hostile
    if isinstance(value, dict):
        for name, item in value.items():
            for changed in inside(item, hostile):
                yield {**value, name: changed}
        if isinstance(hostile, str):
            yield {**value, hostile: 1}
    elif isinstance(value, list):
        for place, item in enumerate(value):
            for changed in inside(item, hostile):
                yield [*value[:place], changed, *value[place + 1 :]]


@pytest.fixture(scope="module")
def world(shared):
    """A player, and the addresses of a running match of theirs, an open one, and one that is over."""
    with shared():
        anna, ben = make_anna(), make_ben()
        make_player("carol")
        running = lobby.create_match(by=anna, game="space_war", seats=2)
        running = lobby.join_match(by=ben, match=running)
        opened = lobby.create_match(by=anna, game="stratastar", seats=3)
        over = lobby.join_match(by=ben, match=lobby.create_match(by=anna, game="space_war"))
        act(over, 0, {"name": "resign"})
        return anna, [str(match.number) for match in (running, opened, over)]


@pytest.fixture
def ways(world, db, program):
    """A player's program, and the addresses of three matches."""
    anna, matches = copy.deepcopy(world)
    return program(anna), matches


def send(somebody, method: str, path: str, body: Any, **headers: str) -> Any:
    """One request of which nothing stays."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    sent = {"Idempotency-Key": str(uuid.uuid4()), "Authorization": f"Bearer {somebody.token}", **headers}
    with transaction.atomic():
        answer = somebody.client.generic(method.upper(), path, b"" if method == "get" else data, "application/json", headers=sent)
        transaction.set_rollback(True)
    if answer.status_code < 400:
        loading.forget_all()
    assert answer.status_code < 500, (method, path, repr(data)[:300], {name: value[:80] for name, value in headers.items()})
    if answer.status_code >= 400 and method != "head":
        problem = answer.json()
        assert problem["code"], path
        assert problem["detail"], path
    return answer


def address(path: str, ident: str, names: dict[str, str]) -> str:
    for name in ("ident", "number", "game_id", "kind", "version", "seat"):
        fits = {"ident": ident, "game_id": "stratastar", "kind": "svg", "version": "8"}.get(name, "1")
        path = path.replace(f"{{{name}}}", names.get(name, fits))
    for name in [part[1:-1] for part in path.split("/") if part.startswith("{")]:
        path = path.replace(f"{{{name}}}", names.get(name, str(uuid.UUID(int=1)) if "token" in name else "1"))
    return path


@pytest.mark.parametrize(("method", "path", "operation"), OPERATIONS, ids=[f"{one[0]} {one[1]}" for one in OPERATIONS])
def test_no_text_anywhere_is_a_fault_of_ours(ways, method, path, operation):
    somebody, matches = ways
    fields = fields_of(operation)
    body = {name: fitting(name, schema) for name, schema in fields.items()}
    seen = somebody.client.get(f"/api/v1/matches/{matches[0]}/view/", headers={"Authorization": f"Bearer {somebody.token}"})
    headers = {"If-Match": seen.headers["ETag"]}
    queries = {one["name"] for one in operation.get("parameters", ()) if one["in"] == "query"}
    queries |= QUERIES if "{ident}" in path else set()
    named = {one["name"] for one in operation.get("parameters", ()) if one["in"] == "path"}
    here = address(path, matches[0], {})
    for label, value in VALUES.items():
        for name in fields:
            for changed in inside(body[name], value):
                answer = send(somebody, method, here, {**body, name: changed}, **headers)
                if label in UNTAKEN:
                    assert answer.status_code in (400, 403, 404, 405, 415), (here, name, label, answer.content[:300])
            for ident in matches[1:] if "{ident}" in path and label in ELSEWHERE else ():
                send(somebody, method, address(path, ident, {}), {**body, name: value}, **headers)
        if fields and isinstance(value, str):
            send(somebody, method, here, {**body, value: value}, **headers)
    for label, text in TEXTS.items():
        if "surrogate" in label:
            continue
        written = quote(text.encode(), safe="")
        for name in sorted(queries):
            send(somebody, method, f"{here}?{name}={written}", body, **headers)
        for name in sorted(named):
            send(somebody, method, address(path, matches[0], {name: written}), body, **headers)
        if "\n" not in text and method != "get":
            header = text.encode().decode("latin-1")
            for name in ("If-Match", "Idempotency-Key"):
                send(somebody, method, here, body, **{**headers, name: header})


def test_a_body_with_what_no_door_takes_says_where_it_stands(ways):
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


def test_a_command_is_no_longer_than_16_kb(ways):
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
