"""The last step of the OpenAPI document: every field, parameter, shape and answer says what it means."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.conf import settings

from gamesvc.api.openapi import answers, examples, games, glossary, webhooks
from gamesvc.api.openapi.sections import SECTIONS
from gamesvc.games import catalog

Document = dict[str, Any]
PROBLEM = "application/problem+json"
# What drf-spectacular says of an answer without content.
_EMPTY = "No response body"


def complete(result: Document, generator: object, request: object, public: bool) -> Document:
    """Fill in what the serializers leave open: a hook of drf-spectacular."""
    base = settings.BASE_URL
    result["info"]["contact"] = {"name": "The operators of this service", "url": f"{base}/"}
    result["servers"] = [{"url": base, "description": "This service."}]
    result["externalDocs"] = {"url": f"{base}/api/docs/", "description": "Guides and reference."}
    result["tags"] = [{"name": name, "description": text} for name, text in sorted(SECTIONS.items())]
    components = result["components"]
    components["responses"] = {f"Problem{status}": _problem(status) for status in answers.STATUSES if status >= "400"}
    components["headers"] = {name: dict(header) for name, header in answers.HEADERS.items()}
    components["schemas"].update(webhooks.SHAPES)
    result["webhooks"] = webhooks.described()
    games.add(components["schemas"], catalog.games())
    for name, shape in components["schemas"].items():
        _explain(name, shape)
    _close(result)
    for path, method, operation in operations(result):
        if method == "get":
            operation["responses"].setdefault("304", {})
        examples.add(path, method, operation)
        _complete_operation(operation, components["schemas"])
    return result


def operations(document: Document) -> Iterator[tuple[str, str, Document]]:
    """Yield each operation with its path and method."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def _close(document: Document) -> None:
    """Say of each shape that a request sends that it takes no other members (`schemas.Strict`)."""
    shapes = document["components"]["schemas"]
    for _path, _method, operation in operations(document):
        for media in operation.get("requestBody", {}).get("content", {}).values():
            shape = shapes[media["schema"]["$ref"].rpartition("/")[2]]
            if "properties" in shape:
                shape["additionalProperties"] = False


def _problem(status: str) -> Document:
    told: Document = {
        "description": answers.STATUSES[status],
        "content": {PROBLEM: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    return {**told, **_headers(status)}


def _headers(status: str, *more: str) -> Document:
    names = [*answers.OF_STATUS.get(status, ()), *more]
    return {"headers": {name: {"$ref": f"#/components/headers/{name}"} for name in names}} if names else {}


def _explain(name: str, shape: Document) -> None:
    """Give a shape and its fields the words of the glossary."""
    if name in glossary.SHAPES:
        shape["description"] = glossary.SHAPES[name]
    for field, schema in shape.get("properties", {}).items():
        told = glossary.FIELDS.get(f"{name}.{field}") or glossary.FIELDS.get(field)
        if told and not schema.get("description"):
            schema["description"] = told


def _complete_operation(operation: Document, schemas: Document) -> None:
    for parameter in operation.get("parameters", ()):
        if not parameter.get("description") and parameter["name"] in glossary.PARAMETERS:
            parameter["description"] = glossary.PARAMETERS[parameter["name"]]
    given = operation["responses"]
    for status in (*answers.ANYWHERE, *(answers.WITH_BODY if "requestBody" in operation else ())):
        given.setdefault(status, {})
    for status, answer in given.items():
        if status >= "400":
            given[status] = {"$ref": f"#/components/responses/Problem{status}"}
            continue
        if answer.get("description", "") in ("", _EMPTY):
            answer["description"] = _described(status, answer, schemas)
        answer.update(_headers(status, *(("ETag",) if "304" in given else ()), *answers.ALWAYS))
    operation["responses"] = dict(sorted(given.items()))


def _described(status: str, answer: Document, schemas: Document) -> str:
    """Return what an answer holds, by the shape of its content."""
    kinds: list[Document] = list(answer.get("content", {}).values())
    content: Document = kinds[0].get("schema", {}) if kinds else {}
    told = str(content.get("description", "")) or _shape(content, schemas)
    if content.get("type") == "array":
        told = f"A list. Each item: {_shape(content.get('items', {}), schemas)}"
    return f"{answers.STATUSES[status]} {told}" if status != "200" and told else told or answers.STATUSES[status]


def _shape(schema: Document, schemas: Document) -> str:
    name = schema.get("$ref", "").rpartition("/")[2]
    return str(schemas.get(name, {}).get("description", ""))
