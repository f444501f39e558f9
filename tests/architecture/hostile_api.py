"""Requests with hostile text to every operation of the API, from the service's own OpenAPI document."""

from __future__ import annotations

import copy
import json
import uuid
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import pytest
from django.db import transaction
from drf_spectacular.generators import SchemaGenerator

from gamesvc.matches.lobby import opening
from tests.conftest import make_anna, make_ben, make_player
from tests.matches.playing import act

DOCUMENT: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
OPERATIONS = [
    (method, path, operation)
    for path, item in DOCUMENT["paths"].items()
    for method, operation in item.items()
    if method in ("get", "post", "put", "patch", "delete")
]
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
    """Return a valid value for the field, so that the other fields are checked."""
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
    """Yield the value with something hostile in place of each of its parts, names included."""
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
        running = opening.create_match(by=anna, game="space_war", seats=2)
        running = opening.join_match(by=ben, match=running)
        opened = opening.create_match(by=anna, game="stratastar", seats=3)
        over = opening.join_match(by=ben, match=opening.create_match(by=anna, game="space_war"))
        act(over, 0, {"name": "resign"})
        return anna, [str(match.number) for match in (running, opened, over)]


@pytest.fixture
def ways(world, db, program):
    """A player's program, and the addresses of three matches."""
    anna, matches = copy.deepcopy(world)
    return program(anna), matches


def send(somebody, method: str, path: str, body: Any, **headers: str) -> Any:
    """Send one request and roll it back."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    sent = {"Idempotency-Key": str(uuid.uuid4()), "Authorization": f"Bearer {somebody.token}", **headers}
    # Reading leaves nothing behind.
    with nullcontext() if method == "get" else transaction.atomic():
        answer = somebody.client.generic(method.upper(), path, b"" if method == "get" else data, "application/json", headers=sent)
        if method != "get":
            transaction.set_rollback(True)
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


def prepared(ways, path: str, operation: dict[str, Any]) -> tuple[dict[str, Any], dict[str, str], str]:
    """Return a valid body for an operation, its headers, and its address."""
    somebody, matches = ways
    body = {name: fitting(name, schema) for name, schema in fields_of(operation).items()}
    seen = somebody.client.get(f"/api/v1/matches/{matches[0]}/view/", headers={"Authorization": f"Bearer {somebody.token}"})
    return body, {"If-Match": seen.headers["ETag"]}, address(path, matches[0], {})


every_operation = pytest.mark.parametrize(
    ("method", "path", "operation"), OPERATIONS, ids=[f"{method} {path}" for method, path, _operation in OPERATIONS]
)
