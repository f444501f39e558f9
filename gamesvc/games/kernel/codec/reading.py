"""Read states from plain JSON, guided by the type hints of their frozen dataclasses."""

from __future__ import annotations

import dataclasses
import functools
import re
import types
import typing
from collections.abc import Callable
from typing import Any

from gamesvc.games.kernel import limits
from gamesvc.games.kernel.codec.hints import Malformed, of, only
from gamesvc.games.kernel.codec.parts import PART, Parts
from gamesvc.games.kernel.game import Version
from gamesvc.games.kernel.wording import counted

NUMBER = re.compile(r"0|-?[1-9][0-9]{0,8}", re.ASCII)
Reader = Callable[[object, int, str, Parts | None], Any]
"""Read JSON, with the base of versions, the path for error messages, and the parts that references point to."""


def from_json(data: object, hint: object, base: int = 0, path: str = "", parts: Parts | None = None) -> Any:
    """Read a value of type `hint`. Raises `Malformed` with the path of the first value that does not fit."""
    return _reader(hint)(data, base, path, parts)


@functools.cache
def _reader(hint: object) -> Reader:
    """Return a reader for a type, which follows references to parts."""
    plain = _plain_reader(hint)

    def read(data: object, base: int, path: str, parts: Parts | None) -> object:
        if parts is not None and isinstance(data, dict) and data.keys() == {PART}:
            return parts.read(data[PART], lambda whole: plain(whole, base, path, parts))
        return plain(data, base, path, parts)

    return read


def _plain_reader(hint: Any) -> Reader:
    """Return a reader for a type. Cached by `_reader`, because inspecting type hints takes longer than reading a value."""
    if hint is Any:
        return _as_written
    if hint is Version:
        return lambda data, base, path, parts: Version(of(data, int, path) + base)
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return _object_reader(hint)
    origin = typing.get_origin(hint)
    args = typing.get_args(hint)
    if origin is typing.Literal:
        return _literal_reader(args)
    if origin in (typing.Union, types.UnionType):
        return _optional_reader(_reader(only(args)))
    if origin is tuple:
        return _tuple_reader(args)
    if origin is frozenset:
        return _set_reader(_reader(args[0]))
    if origin is not None and isinstance(origin, type) and issubclass(origin, typing.Mapping):
        return _versions_reader(_reader(args[1])) if args[0] is Version else _mapping_reader(args[0], _reader(args[1]))
    if hint is None or hint is types.NoneType:
        return lambda data, base, path, parts: None
    return lambda data, base, path, parts: of(data, hint, path)


def _as_written(data: object, base: int, path: str, parts: Parts | None) -> object:
    return data


def _object_reader(cls: type) -> Reader:
    """Return a reader for a dataclass."""
    hints = limits.fields(cls, limits=False)

    def read(data: object, base: int, path: str, parts: Parts | None) -> object:
        if not isinstance(data, dict) or data.keys() - hints.keys():
            raise Malformed(f"{path or 'the state'} must be an object with {', '.join(hints)}")
        values = {name: field(data[name], base, f"{path}/{name}", parts) for name, field in _field_readers(cls) if name in data}
        try:
            return cls(**values)
        except TypeError as error:
            raise Malformed(f"{path or 'the state'}: {error}") from None

    return read


@functools.cache
def _field_readers(cls: type) -> list[tuple[str, Reader]]:
    """List the fields of a dataclass with their readers. Called lazily: a type may contain itself."""
    return [(name, _reader(hint)) for name, hint in limits.fields(cls, limits=False).items()]


def _literal_reader(words: tuple[object, ...]) -> Reader:
    def read(data: object, base: int, path: str, parts: Parts | None) -> object:
        if data not in words:
            raise Malformed(f"{path} must be one of {', '.join(map(str, words))}")
        return data

    return read


def _optional_reader(read: Reader) -> Reader:
    return lambda data, base, path, parts: None if data is None else read(data, base, path, parts)


def _tuple_reader(args: tuple[object, ...]) -> Reader:
    """Return a reader for a tuple: of any length (`tuple[int, ...]`), or with one type for each item."""
    if len(args) == 2 and args[1] is Ellipsis:
        read = _reader(args[0])
        return lambda data, base, path, parts: tuple(
            [read(item, base, f"{path}/{at}", parts) for at, item in enumerate(of(data, list, path))]
        )
    items = [_reader(arg) for arg in args]

    def read_each(data: object, base: int, path: str, parts: Parts | None) -> object:
        if len(listed := of(data, list, path)) != len(items):
            raise Malformed(f"{path} must have {counted(len(items), 'item')}")
        return tuple([read(listed[at], base, f"{path}/{at}", parts) for at, read in enumerate(items)])

    return read_each


def _set_reader(read: Reader) -> Reader:
    """Return a reader for a frozenset. Its items are never parts."""
    return lambda data, base, path, parts: frozenset(
        [read(item, base, f"{path}/{at}", None) for at, item in enumerate(of(data, list, path))]
    )


def _versions_reader(read: Reader) -> Reader:
    """Return a reader for a mapping from versions, which is written as a list of pairs."""
    return lambda data, base, path, parts: {
        Version(key + base): read(item, base, f"{path}/{key}", parts) for key, item in of(data, list, path)
    }


def _mapping_reader(key_hint: object, read: Reader) -> Reader:
    """Return a reader for a mapping from text or whole numbers."""
    read_key = _number_of if key_hint is int else _text_of
    return lambda data, base, path, parts: {
        read_key(key, path): read(item, base, f"{path}/{key}", parts) for key, item in of(data, dict, path).items()
    }


def _number_of(key: str, path: str) -> int:
    if not NUMBER.fullmatch(key):
        raise Malformed(f"{path} must have whole numbers as keys, not {key!r:.40}")
    return int(key)


def _text_of(key: str, path: str) -> str:
    return key
