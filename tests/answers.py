"""Every answer of the API that a test gets, held against the OpenAPI document and against the serializer that describes it."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any
from urllib.parse import quote

import brotli
import jsonschema_rs
import pytest
from django.test import Client
from django.urls import Resolver404
from drf_spectacular.generators import SchemaGenerator

from gamesvc.api.v1.schemas import Shape
from gamesvc.games import catalog
from tests.games.auction import GAME as AUCTION
from tests.games.toy import GAME as TOY

API = "/api/v1/"
COMPONENTS = "#/components/schemas/"
ITSELF = "/api/v1/openapi.json"
NAME = "urn:openapi"
UNPACK: Mapping[str, Callable[[bytes], bytes]] = {"": bytes, "gzip": gzip.decompress, "br": brotli.decompress}
DIALECT = "https://json-schema.org/draft/2020-12/schema"
# Those of the service, whichever a test may offer in their place.
_GAMES = tuple(catalog.games())
# The games of the tests, and what their views have.
OF_TESTS = (TOY, AUCTION)
VIEWS = (["points", "turn", "deck", "hands", "items", "orders", "counters"], ["coins", "lots", "have_bid", "bid", "owners"])


@cache
def document() -> dict[str, Any]:
    """Return the OpenAPI document. Its objects have no members but those they list; problems may have more (RFC 9457).

    It has the games of the tests beside the others.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catalog, "games", lambda: (*_GAMES, *OF_TESTS))
        made: dict[str, Any] = json.loads(json.dumps(SchemaGenerator().get_schema(request=None, public=True), default=str))
    for game, members in zip(OF_TESTS, VIEWS, strict=True):
        made["components"]["schemas"][f"{game.id.capitalize()}View"] |= {"type": "object", "required": members}
    for name, component in made["components"]["schemas"].items():
        if "properties" in component and name != "Problem":
            component.setdefault("additionalProperties", False)
    return made


@cache
def _validator(path: str, method: str, status: int, media: str) -> Any:
    """Return the validator of an answer; None if it is no JSON. Fails for an answer that the document does not list,
    unless it does not list the method."""
    methods = document()["paths"].get(path, {})
    described = methods.get(method, {}).get("responses", {}).get(str(status))
    if status >= 400:
        assert described is not None or method not in methods, f"{method} {path} answers {status}, which the document lacks"
        assert media == "application/problem+json", f"{method} {path} answers {status} as {media}"
        place = f"{COMPONENTS}Problem"
    else:
        assert described is not None or method not in methods, f"{method} {path} answers {status}, which the document lacks"
        content = described.get("content", {})
        assert media in content or not content, f"{method} {path} answers {status} as {media}, not {', '.join(content)}"
        place = _pointer("paths", path, method, "responses", str(status), "content", media, "schema")
        if "schema" not in content.get(media, {}):
            return None
    if media not in ("application/json", "application/problem+json"):
        return None
    return jsonschema_rs.validator_for({"$schema": DIALECT, "$ref": NAME + place}, validate_formats=True, registry=_registry())


def _pointer(*keys: str) -> str:
    """Return the place of a value in the document, as the fragment of an address (RFC 6901 6)."""
    return "#" + "".join(f"/{quote(key.replace('~', '~0').replace('/', '~1'), safe='~')}" for key in keys)


@cache
def _registry() -> jsonschema_rs.Registry:
    """Return the document where validators find it by its name. Each with a copy of its own would take 7 MB."""
    return jsonschema_rs.Registry([(NAME, {**document(), "$schema": DIALECT})])


def check(answer: Any) -> None:
    """Fail unless an answer of the API is what the document says of its address."""
    try:
        route = answer.resolver_match.route
    except Resolver404:
        return
    name = answer.request["REQUEST_METHOD"]
    path = "/" + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", route)
    if path == ITSELF or name == "OPTIONS" or answer.status_code == 304:
        return
    media = answer.headers.get("Content-Type", "").partition(";")[0]
    validator = _validator(path, "get" if name == "HEAD" else name.lower(), answer.status_code, media)
    if name == "HEAD" or answer.streaming:
        return
    assert answer.content or not media, f"{name} {path} answers {answer.status_code} as {media} without content"
    if validator is None:
        return
    told = json.loads(UNPACK[answer.headers.get("Content-Encoding", "")](answer.content))
    faults = [f"{'/'.join(map(str, one.instance_path))}: {one.message[:300]}" for one in validator.iter_errors(told)]
    assert not faults, f"{name} {path} {answer.status_code} is not what the document says: {faults[:5]}"


def fits(name: str, sent: object) -> list[str]:
    """Return how the body of a delivery to a webhook differs from what the document says of its type."""
    schema = document()["webhooks"][name]["post"]["requestBody"]["content"]["application/json"]["schema"]
    strict = {**schema, "additionalProperties": False, "components": document()["components"]}
    return [one.message for one in jsonschema_rs.validator_for(strict, validate_formats=True).iter_errors(sent)]


def misfits(example: object, *keys: str) -> list[str]:
    """Return how a value differs from the schema at this place of the document."""
    schema = {"$schema": DIALECT, "$ref": NAME + _pointer(*keys)}
    validator = jsonschema_rs.validator_for(schema, validate_formats=True, registry=_registry())
    return [f"{'/'.join(map(str, one.instance_path))}: {one.message[:300]}" for one in validator.iter_errors(example)]


_REQUEST, _REPRESENT = Client.request, Shape.to_representation


@contextmanager
def unchecked() -> Iterator[None]:
    """Answer as in production."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Client, "request", _REQUEST)
        patch.setattr(Shape, "to_representation", _REPRESENT)
        yield


@contextmanager
def checked() -> Iterator[None]:
    """Check each answer to a test's client, and that no serializer leaves out a member it was given."""

    def asked(self: Client, **more: Any) -> Any:
        answer = _REQUEST(self, **more)
        if str(more.get("PATH_INFO", "")).startswith(API):
            check(answer)
        return answer

    def represented(self: Shape, instance: Mapping[str, Any]) -> dict[str, Any]:
        assert instance.keys() <= self.fields.keys(), f"{type(self).__name__} lacks {instance.keys() - self.fields.keys()}"
        return _REPRESENT(self, instance)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Client, "request", asked)
        patch.setattr(Shape, "to_representation", represented)
        yield
