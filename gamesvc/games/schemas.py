"""The JSON Schemas of a game. Those of its events come from the classes that write them."""

from __future__ import annotations

import dataclasses
import functools
import json
import types
import typing
from collections.abc import Mapping
from importlib import resources
from typing import Any

from gamesvc.games.kernel import codec, limits
from gamesvc.games.kernel.game import Game
from gamesvc.games.kernel.typed import TypedEvent, keys_of
from gamesvc.json_types import JsonObject

OUTCOME: JsonObject = {
    "type": "object",
    "properties": {
        "reason": {"type": "string"},
        "ranking": {
            "type": "array",
            "items": {"type": "array", "items": {"type": "integer", "minimum": 0}},
            "description": "Groups of seats, the best first; the seats of a group share their place.",
        },
        "scores": {"type": "array", "items": {"type": "integer"}, "description": "One for each seat."},
        "detail": {"type": "object"},
    },
    "required": ["reason", "ranking", "scores", "detail"],
    "additionalProperties": False,
}
_PLAIN = {str: "string", bool: "boolean", int: "integer", type(None): "null"}


def schemas_of(game: Game[Any]) -> JsonObject:
    """Return the JSON Schemas of a game: options, positions, commands by name, views, events by type, and the outcome."""
    parts = {"type": "array", "description": "Values that several states share. They refer to them by number."}
    with_parts = {"properties": {"parts": parts}, "required": ["parts"]}
    position = {
        "type": "object",
        "required": ["format", "game", "state", "marked"],
        "properties": {
            "format": {"const": codec.POSITION_FORMAT},
            "game": {"const": game.id},
            "rules": {"type": "string"},
            "state": {"type": "object"},
            "marked": {"type": "array"},
            "parts": parts,
        },
        "anyOf": [
            {
                "title": "Without marked states",
                "properties": {"state": codec.schema(game.state), "marked": {"maxItems": 0}},
                "not": with_parts,
            },
            {"title": "With marked states", **with_parts},
        ],
    }
    return {
        "options": game.manifest.options,
        "position": position,
        "commands": game.commands,
        "view": _view(game.id),
        "events": of_kinds(game.events),
        "outcome": OUTCOME,
    }


@functools.cache
def _view(game_id: str) -> JsonObject:
    """Return the schema of a game's views, which stands in its folder; of a game without one nothing is said."""
    folder = resources.files("gamesvc.games") / game_id / "data" / "view.schema.json"
    return json.loads(folder.read_text(encoding="utf-8")) if folder.is_file() else {}


def of_kinds(kinds: Mapping[str, type]) -> JsonObject:
    """Return the schema of the data of each event type, with the version of the type that it describes."""
    return {name: _of_event(kind) for name, kind in sorted(kinds.items())}


def _of_event(kind: type[TypedEvent]) -> JsonObject:
    """Describe the data of an event that is whole. A redacted one may lack any key.

    A field with a default is left out where it has that value. A later release may add keys.
    """
    hints = typing.get_type_hints(kind, include_extras=True)
    fields = keys_of(kind)
    told = (kind.__doc__ or "").strip()
    return {
        "title": kind.TYPE,
        "description": " ".join(told.split()) if not told.startswith(f"{kind.__name__}(") else "",
        "type_version": kind.VERSION,
        "type": "object",
        "properties": {key: _of_hint(hints[name]) for name, key, _default in fields},
        "required": [key for _name, key, default in fields if default is dataclasses.MISSING and not _is_made(kind, key)],
        "additionalProperties": True,
    }


def _is_made(kind: type, name: str) -> bool:
    """Return True for a field with a factory as its default."""
    found = {one.name.removesuffix("_"): one for one in dataclasses.fields(kind)}
    return found[name].default_factory is not dataclasses.MISSING


def _of_hint(hint: Any) -> JsonObject:
    """Describe a value of an event by its type hint; with nothing said of what is no JSON by itself."""
    hint, _limits = limits.bare(hint)
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Required, typing.NotRequired):
        return _of_hint(args[0])
    if origin is typing.Literal:
        return {"enum": list(args)}
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [_of_hint(arg) for arg in args]}
    if typing.is_typeddict(hint):
        hints = typing.get_type_hints(hint, include_extras=True)
        keys = {name: _of_hint(sub) for name, sub in hints.items()}
        # `__required_keys__` would be wrong: in these modules annotations are text.
        required = [name for name, sub in hints.items() if typing.get_origin(sub) is not typing.NotRequired]
        return {"type": "object", "properties": keys, "required": required if hint.__total__ else []}
    if origin is tuple and not (len(args) == 2 and args[1] is Ellipsis):
        return {"type": "array", "prefixItems": [_of_hint(arg) for arg in args], "minItems": len(args), "maxItems": len(args)}
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _of_hint(args[1])}
    if origin is not None:
        return {"type": "array", "items": _of_hint(args[0])}
    return {"type": _PLAIN[hint]} if hint in _PLAIN else {}
