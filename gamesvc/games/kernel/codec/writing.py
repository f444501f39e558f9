"""Write states as plain JSON, guided by the type hints of their frozen dataclasses."""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any

from gamesvc.games.kernel import limits
from gamesvc.games.kernel.codec.hints import only
from gamesvc.games.kernel.codec.parts import Parts
from gamesvc.games.kernel.game import Version

Writer = Callable[[Any, int, Parts | None], Any]
"""Write a value, with the base of versions and the table of shared parts."""


def with_sorted_keys(value: object) -> Any:
    """Return the same plain JSON with the keys of every object sorted, which is how it is stored."""
    if isinstance(value, Mapping):
        return {key: with_sorted_keys(value[key]) for key in sorted(value)}
    if isinstance(value, (list, tuple)):
        return [with_sorted_keys(item) for item in value]
    return value


def to_json(value: object, hint: object, base: int = 0, parts: Parts | None = None) -> Any:
    """Write a value of type `hint` as plain JSON: integers, strings, dataclasses, tuples, frozensets, dicts, unions."""
    return _namer(hint)(value, base, parts)


@functools.cache
def _namer(hint: object) -> Writer:
    """Return a writer for a type. It writes shared values as references to parts."""
    write, bare = _writer(hint), hint
    while typing.get_origin(bare) in (typing.Union, types.UnionType):
        bare = only(typing.get_args(bare))
    # A part is written as the bare type: "or None" would create a second reference to it.
    part = _writer(bare)
    if write is _as_it_is and hint is not Any:
        return write

    def name(value: object, base: int, parts: Parts | None) -> object:
        if parts is None or isinstance(value, (int, str, frozenset)) or value is None or value == ():
            return write(value, base, parts)
        return parts.name(value, bare, lambda: part(value, base, parts))

    return name


@functools.cache
def _writer(hint: object) -> Writer:
    """Return a writer for a type. Cached, because inspecting type hints takes longer than writing a value."""
    if hint is Version:
        return lambda value, base, parts: value - base
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return lambda value, base, parts: {name: write(getattr(value, name), base, parts) for name, write in _field_writers(hint)}
    origin = typing.get_origin(hint)
    args = typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return _optional_writer(_namer(only(args)))
    if origin is tuple:
        return _tuple_writer(args)
    if origin is frozenset:
        item = _writer(args[0])
        return lambda value, base, parts: sorted(item(one, base, None) for one in value)
    if origin is not None and isinstance(origin, type) and issubclass(origin, typing.Mapping):
        item = _namer(args[1])
        if args[0] is Version:
            return lambda value, base, parts: [[key - base, item(one, base, parts)] for key, one in value.items()]
        return lambda value, base, parts: {str(key): item(one, base, parts) for key, one in value.items()}
    return _as_it_is


@functools.cache
def _field_writers(cls: type) -> list[tuple[str, Writer]]:
    """List the fields of a dataclass with their writers. Called lazily: a type may contain itself."""
    return [(name, _namer(hint)) for name, hint in limits.fields(cls, limits=False).items()]


def _as_it_is(value: object, base: int, parts: Parts | None) -> object:
    return value


def _optional_writer(write: Writer) -> Writer:
    return lambda value, base, parts: None if value is None else write(value, base, parts)


def _tuple_writer(args: tuple[object, ...]) -> Writer:
    if len(args) == 2 and args[1] is Ellipsis:
        item = _namer(args[0])
        return lambda value, base, parts: [item(one, base, parts) for one in value]
    items = [_namer(arg) for arg in args]
    return lambda value, base, parts: [write(one, base, parts) for write, one in zip(items, value, strict=True)]
