"""The JSON Schema of a state."""

from __future__ import annotations

import dataclasses
import types
import typing
from typing import Any

from gamesvc.games.kernel import limits
from gamesvc.games.kernel.codec.hints import only
from gamesvc.games.kernel.game import Version
from gamesvc.json_types import JsonObject


def schema(hint: object) -> JsonObject:
    """Describe a state's JSON as JSON Schema, from the type hints and limits that also control reading and checking."""
    hint, kept = limits.bare(hint)
    described = _schema(hint)
    for limit in kept:
        described |= limit.schema()
    return described


def _schema(hint: Any) -> JsonObject:
    if hint is Version or hint is int:
        return {"type": "integer"}
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return {
            "type": "object",
            "properties": {name: schema(sub) for name, sub in limits.fields(hint).items()},
            "additionalProperties": False,
        }
    origin = typing.get_origin(hint)
    args = typing.get_args(hint)
    if origin is typing.Literal:
        return {"enum": list(args)}
    if origin in (typing.Union, types.UnionType):
        return {"oneOf": [{"type": "null"}, schema(only(args))]}
    if origin is tuple and not (len(args) == 2 and args[1] is Ellipsis):
        return {"type": "array", "prefixItems": [schema(arg) for arg in args], "minItems": len(args), "maxItems": len(args)}
    if origin in (tuple, frozenset):
        return {"type": "array", "items": schema(args[0])}
    if origin is not None:
        if args[0] is Version:
            return {"type": "array", "items": {"type": "array"}}
        return {"type": "object", "propertyNames": _of_keys(args[0]), "additionalProperties": schema(args[1])}
    return {"type": {str: "string", bool: "boolean"}[hint]} if hint in (str, bool) else {}


def _of_keys(hint: object) -> JsonObject:
    """Describe the keys of a mapping, which in JSON are texts. Limits of numbers are not told."""
    bare, _limits = limits.bare(hint)
    return {"pattern": "^-?[0-9]+$"} if bare is int else schema(hint)
