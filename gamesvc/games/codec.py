"""States to JSON and back, by the type hints of their frozen dataclasses.

Used for positions (what we print, we parse) and for snapshots. Versions that a state holds (`kernel.Version`) are
written as a distance from a base, so that a position can begin a match at any version.
"""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from typing import Any, TypeVar

from gamesvc.games.kernel import Game, Refused, Version

T = TypeVar("T")
POSITION_FORMAT = 1


class Malformed(ValueError):
    """The JSON does not describe a value of the type asked for."""


@functools.cache
def _fields(cls: type) -> dict[str, Any]:
    hints = typing.get_type_hints(cls)
    return {field.name: hints[field.name] for field in dataclasses.fields(cls)}


def to_json(value: Any, hint: Any, base: int = 0) -> Any:
    """Write a value of type `hint` as plain JSON. Integers, strings, dataclasses, tuples, frozensets, dicts, unions."""
    if hint is Version:
        return value - base
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return {name: to_json(getattr(value, name), sub, base) for name, sub in _fields(hint).items()}
    origin = typing.get_origin(hint)
    args = typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        if value is None:
            return None
        return to_json(value, _one(args), base)
    if origin is tuple:
        if len(args) == 2 and args[1] is Ellipsis:
            return [to_json(item, args[0], base) for item in value]
        return [to_json(item, sub, base) for item, sub in zip(value, args, strict=True)]
    if origin is frozenset:
        return sorted(to_json(item, args[0], base) for item in value)
    if origin is not None and isinstance(origin, type) and issubclass(origin, typing.Mapping):
        if args[0] is Version:
            return [[key - base, to_json(item, args[1], base)] for key, item in value.items()]
        return {str(key): to_json(item, args[1], base) for key, item in value.items()}
    return value


def from_json(data: Any, hint: Any, base: int = 0, path: str = "") -> Any:
    """Read a value of type `hint`. Raises `Malformed` with the path of what does not fit."""
    if hint is Any:
        return data
    if hint is Version:
        return Version(_of(data, int, path) + base)
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        fields = _fields(hint)
        if not isinstance(data, dict) or data.keys() - fields.keys():
            raise Malformed(f"{path or 'the state'} must be an object with {', '.join(fields)}")
        values = {}
        for name, sub in fields.items():
            if name in data:
                values[name] = from_json(data[name], sub, base, f"{path}/{name}")
        try:
            return hint(**values)
        except TypeError as error:
            raise Malformed(f"{path or 'the state'}: {error}") from None
    origin = typing.get_origin(hint)
    args = typing.get_args(hint)
    if origin is typing.Literal:
        if data not in args:
            raise Malformed(f"{path} must be one of {', '.join(map(str, args))}")
        return data
    if origin in (typing.Union, types.UnionType):
        return None if data is None else from_json(data, _one(args), base, path)
    if origin is tuple:
        items = _of(data, list, path)
        if len(args) == 2 and args[1] is Ellipsis:
            return tuple(from_json(item, args[0], base, f"{path}/{at}") for at, item in enumerate(items))
        if len(items) != len(args):
            raise Malformed(f"{path} must have {len(args)} items")
        return tuple(from_json(item, sub, base, f"{path}/{at}") for at, (item, sub) in enumerate(zip(items, args, strict=True)))
    if origin is frozenset:
        return frozenset(from_json(item, args[0], base, f"{path}/{at}") for at, item in enumerate(_of(data, list, path)))
    if origin is not None and isinstance(origin, type) and issubclass(origin, typing.Mapping):
        if args[0] is Version:
            pairs = _of(data, list, path)
            return {Version(key + base): from_json(item, args[1], base, f"{path}/{key}") for key, item in pairs}
        key_type = int if args[0] is int else str
        try:
            return {key_type(key): from_json(item, args[1], base, f"{path}/{key}") for key, item in _of(data, dict, path).items()}
        except ValueError as error:
            raise Malformed(str(error) if isinstance(error, Malformed) else f"{path} must have whole numbers as keys") from None
    if hint is None or hint is types.NoneType:
        return None
    return _of(data, hint, path)


def _one(args: tuple[Any, ...]) -> Any:
    [only] = [arg for arg in args if arg is not types.NoneType]
    return only


def _of(data: Any, kind: type[T], path: str) -> T:
    if not isinstance(data, kind) or (kind is int and isinstance(data, bool)):
        raise Malformed(f"{path or 'the value'} must be of type {kind.__name__}")
    return data


def write_position(game: Game[Any], state: Any, version: int, kept: dict[int, Any]) -> dict[str, Any]:
    """Describe a whole position, the states its marks name included (flat, each once)."""
    return {
        "format": POSITION_FORMAT,
        "game": game.id,
        "rules": game.manifest.rules,
        "state": to_json(state, game.state, version),
        "marked": [{"back": version - at, "state": to_json(kept[at], game.state, version)} for at in sorted(kept)],
    }


def read_position(game: Game[Any], position: Any, version: int) -> tuple[Any, dict[int, Any]]:
    """Read a position as the state at `version`. Raises `Refused` (`bad_position`) with what is wrong."""
    try:
        if not isinstance(position, dict) or position.get("format") != POSITION_FORMAT or position.get("game") != game.id:
            raise Malformed(
                f'a position is an object with "format": {POSITION_FORMAT}, "game": "{game.id}", "state" and "marked"'
            )
        state = from_json(position.get("state"), game.state, version)
        marked = {
            version - _of(entry["back"], int, "/marked"): from_json(entry["state"], game.state, version)
            for entry in position.get("marked", [])
        }
        if missing := game.marks(state) - marked.keys():
            raise Malformed(f"/marked lacks the states {sorted(version - at for at in missing)} versions back")
        faults = game.faults(state)
    except Malformed as error:
        raise Refused("bad_position", f"This is no position of {game.manifest.title}: {error}.", "position") from None
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise Refused("bad_position", f"This is no position of {game.manifest.title}: {error!r}.", "position") from None
    if faults:
        raise Refused("bad_position", f"This is no position of {game.manifest.title}: {faults[0]}.", "position")
    return state, marked


def schema(hint: Any) -> dict[str, Any]:
    """Describe a state's JSON as JSON Schema, from the same type hints that write it."""
    if hint is Version or hint is int:
        return {"type": "integer"}
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return {
            "type": "object",
            "properties": {name: schema(sub) for name, sub in _fields(hint).items()},
            "additionalProperties": False,
        }
    origin = typing.get_origin(hint)
    args = typing.get_args(hint)
    if origin is typing.Literal:
        return {"enum": list(args)}
    if origin in (typing.Union, types.UnionType):
        return {"oneOf": [{"type": "null"}, schema(_one(args))]}
    if origin is tuple and not (len(args) == 2 and args[1] is Ellipsis):
        return {"type": "array", "prefixItems": [schema(arg) for arg in args], "minItems": len(args), "maxItems": len(args)}
    if origin in (tuple, frozenset):
        return {"type": "array", "items": schema(args[0])}
    if origin is not None:
        if args[0] is Version:
            return {"type": "array", "items": {"type": "array"}}
        return {"type": "object", "additionalProperties": schema(args[1])}
    return {"type": {str: "string", bool: "boolean"}[hint]} if hint in (str, bool) else {}
