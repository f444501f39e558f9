"""The reference of the API, made from the OpenAPI document."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass, field
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_safe
from drf_spectacular.settings import spectacular_settings

from gamesvc.web.common import markdown
from gamesvc.web.docs.guides import guides

COMPONENT = "#/components/schemas/"


@dataclass(frozen=True, slots=True)
class Field:
    """A parameter, or a member of a shape."""

    name: str
    kind: str
    shape: str
    """The shape that its value has; empty for a plain value."""
    text: str
    required: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer by its status."""

    status: str
    text: str
    shape: str = ""
    example: str = ""
    """In JSON, on several lines."""


@dataclass(frozen=True, slots=True)
class Operation:
    """A method of an address."""

    id: str
    method: str
    path: str
    text: SafeString
    parameters: tuple[Field, ...]
    body: tuple[Field, ...]
    example: str
    """Of the body, in JSON, on several lines; empty without one."""
    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class Shape:
    """An object of requests and answers, or a choice between such objects."""

    name: str
    text: str
    fields: tuple[Field, ...]
    choices: tuple[str, ...] = ()


@dataclass(slots=True)
class Reference:
    """Everything that the document describes: operations by section, and shapes by name."""

    sections: dict[str, list[Operation]] = field(default_factory=dict)
    shapes: list[Shape] = field(default_factory=list)


@functools.cache
def reference() -> Reference:
    """Read the OpenAPI document. It depends on the code alone."""
    document: dict[str, Any] = spectacular_settings.DEFAULT_GENERATOR_CLASS().get_schema(request=None, public=True)
    schemas, found = document["components"]["schemas"], Reference()
    _resolve(document["paths"], schemas)
    _resolve(schemas, schemas)
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            found.sections.setdefault(operation["tags"][0], []).append(_operation(path, method, operation, document))
    for name, methods in document["webhooks"].items():
        operation = methods["post"]
        found.sections.setdefault(operation["tags"][0], []).append(_operation(name, "post", operation, document))
    for name, schema in sorted(schemas.items()):
        if _has_place(schema):
            choices = tuple(shape for one in schema.get("anyOf", ()) if (shape := _name(one)))
            found.shapes.append(Shape(name, schema.get("description", ""), _members(schema), choices))
    return found


def _resolve(part: Any, schemas: dict[str, Any]) -> None:
    """Put lists of words where a part of the document refers to one: only objects and choices have a place of their own."""
    if isinstance(part, list):
        for one in part:
            _resolve(one, schemas)
    elif isinstance(part, dict):
        if (name := _name(part)) and not _has_place(schemas[name]):
            part.pop("$ref")
            part.update(schemas[name])
        for one in part.values():
            _resolve(one, schemas)


def _has_place(schema: dict[str, Any]) -> bool:
    return schema.get("type") == "object" or not schema.keys().isdisjoint(("anyOf", "oneOf"))


def _operation(path: str, method: str, operation: dict[str, Any], document: dict[str, Any]) -> Operation:
    sent = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    content = sent.get("schema", {})
    body = document["components"]["schemas"].get(_name(content), content)
    parameters = [
        Field(one["name"], f"{one['in']}, {_kind(one['schema'])}", "", one.get("description", ""), one.get("required", False))
        for one in operation.get("parameters", ())
    ]
    answers = [_answer(status, answer, document) for status, answer in operation["responses"].items()]
    text = mark_safe(markdown.render(operation.get("description", "")))
    shown = path.removeprefix("/api/v1")
    return Operation(
        operation["operationId"], method.upper(), shown, text, tuple(parameters), _members(body), _example(sent), tuple(answers)
    )


def _answer(status: str, answer: dict[str, Any], document: dict[str, Any]) -> Answer:
    if "$ref" in answer:
        answer = document["components"]["responses"][answer["$ref"].rpartition("/")[2]]
    contents = list(answer.get("content", {}).values())
    schema = contents[0].get("schema", {}) if contents else {}
    example = _example(contents[0]) if contents else ""
    return Answer(status, answer["description"], _name(schema) or _name(schema.get("items", {})), example)


def _example(content: dict[str, Any]) -> str:
    return json.dumps(content["example"], indent=2, ensure_ascii=False) if "example" in content else ""


def _members(schema: dict[str, Any]) -> tuple[Field, ...]:
    needed = schema.get("required", ())
    return tuple(
        Field(name, _kind(one), _shape(one), one.get("description", ""), name in needed)
        for name, one in schema.get("properties", {}).items()
    )


def _name(schema: dict[str, Any]) -> str:
    """Return the name of the shape that a schema refers to; empty if it does not."""
    reference = schema.get("$ref", "")
    return reference.removeprefix(COMPONENT) if isinstance(reference, str) and reference.startswith(COMPONENT) else ""


def _shape(schema: dict[str, Any]) -> str:
    """Return the shape that a value, or each of its items, has."""
    choices = [schema, schema.get("items", {}), *schema.get("allOf", ()), *schema.get("oneOf", ()), *schema.get("anyOf", ())]
    return next((name for one in choices if (name := _name(one))), "")


def _kind(schema: dict[str, Any]) -> str:
    """Return the type of a value in words."""
    choices = schema.get("oneOf", ())
    values = schema.get("enum") or [value for one in choices for value in one.get("enum", ())]
    if values:
        return ", ".join(str(one) for one in values)
    kinds = schema.get("type", "object" if _shape(schema) else "any")
    named = " or ".join([kinds] if isinstance(kinds, str) else kinds)
    return f"{named} ({schema['format']})" if "format" in schema else named


@require_safe
def sections(request: HttpRequest) -> HttpResponse:
    """List the sections of the reference with their operations."""
    context = {"guides": guides(), "sections": sorted(reference().sections.items())}
    return render(request, "web/docs/sections.html", context)


@require_safe
def section(request: HttpRequest, name: str) -> HttpResponse:
    operations = reference().sections.get(name)
    if operations is None:
        raise Http404("There is no such section.")
    return render(request, "web/docs/section.html", {"guides": guides(), "name": name, "operations": operations})


@require_safe
def shapes(request: HttpRequest) -> HttpResponse:
    """Show the objects of requests and answers."""
    return render(request, "web/docs/shapes.html", {"guides": guides(), "shapes": reference().shapes})
