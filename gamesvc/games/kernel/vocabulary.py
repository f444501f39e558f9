"""The schemas of forms: the objects they are made of, and the meta-schema with the keywords that games use, those of our own
among them, as `forms` reads them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gamesvc.json_types import JsonMapping, JsonObject

DRAFT = "https://json-schema.org/draft/2020-12/schema"
TYPES = ("object", "array", "string", "integer", "boolean", "null")
_COUNT: JsonObject = {"type": "integer", "minimum": 0}
_SELF: JsonObject = {"$ref": "#"}
_TEXT: JsonObject = {"type": "string"}


def closed_object(fields: Mapping[str, JsonMapping], required: Sequence[str]) -> JsonObject:
    """Return the schema of an object with these fields and no others."""
    return {"type": "object", "properties": dict(fields), "required": list(required), "additionalProperties": False}


def with_name(body: JsonMapping, name: str) -> JsonObject:
    """Return the schema of a command from that of its parameters."""
    if "oneOf" in body:
        return {**body, "oneOf": [with_name(option, name) for option in body["oneOf"]]}
    properties = {"name": {"const": name}, **body["properties"]}
    return {**body, "properties": properties, "required": ["name", *body["required"]]}


def meta_schema(address: str) -> JsonObject:
    """Return the schema that each form's `parameters` fit. `address` is where it is published."""
    keywords = {**_standard(), **_own()}
    return {
        "$schema": DRAFT,
        "$id": address,
        "title": "Parameters of a form",
        "type": "object",
        "properties": keywords,
        "additionalProperties": False,
    }


def _standard() -> JsonObject:
    kind = {"enum": list(TYPES)}
    return {
        "type": {"oneOf": [kind, {"type": "array", "items": kind, "minItems": 1, "uniqueItems": True}]},
        "enum": {"type": "array", "items": {"type": ["string", "integer", "boolean", "null"]}},
        "const": {"type": ["string", "integer", "boolean", "null"]},
        "title": _TEXT,
        "description": _TEXT,
        "default": {},
        "examples": {"type": "array", "minItems": 1},
        "minimum": {"type": "integer"},
        "maximum": {"type": "integer"},
        "minLength": _COUNT,
        "maxLength": _COUNT,
        "pattern": {"type": "string", "format": "regex"},
        "items": _SELF,
        "minItems": _COUNT,
        "maxItems": _COUNT,
        "uniqueItems": {"type": "boolean"},
        "properties": {"type": "object", "additionalProperties": _SELF},
        "required": {"type": "array", "items": _TEXT, "uniqueItems": True},
        "minProperties": _COUNT,
        "additionalProperties": {"oneOf": [{"type": "boolean"}, _SELF]},
        "oneOf": {"type": "array", "items": _SELF, "minItems": 1},
    }


def _own() -> JsonObject:
    total = {
        "minimum": {"type": "integer"},
        "maximum": {"type": "integer"},
        "worth": {"type": "object", "additionalProperties": {"type": "integer"}},
        "spare": {"type": "boolean"},
    }
    words = {"type": "object", "additionalProperties": _TEXT}
    return {
        "labels": {**words, "description": "Words for people, by value."},
        "shape": {**_TEXT, "description": "A text that matches `pattern`, in words."},
        "supply": {
            "type": "object",
            "additionalProperties": {"type": "integer", "minimum": 1},
            "description": "On an array: how often each item may be chosen at most.",
        },
        "total": {
            "type": "object",
            "properties": total,
            "additionalProperties": False,
            "description": "The sum of worths lies within `minimum` to `maximum`. Without `spare`, no item may be dispensable.",
        },
        "pairwise": {"type": "array", "items": _TEXT, "description": "Fields in which any two items of the array differ."},
        "payment": {"type": "boolean", "description": "What is paid. `default` is a legal payment: leave it out to pay that."},
        "ordered": {"type": "boolean", "description": "The order of the items matters."},
        "at": {"oneOf": [_TEXT, words], "description": "The target of the picture that a value stands for."},
    }


STANDARD = frozenset(_standard())
"""The keywords that JSON Schema knows too."""
