"""The types that a type hint names, and the error for JSON that does not fit it."""

from __future__ import annotations

import types
from typing import TypeVar

from gamesvc.errors import GamesvcError

T = TypeVar("T")


class Malformed(GamesvcError, ValueError):
    """The JSON does not describe a value of the requested type."""


def only(args: tuple[object, ...]) -> object:
    """Return the one type of a union that is not None."""
    [bare] = [arg for arg in args if arg is not types.NoneType]
    return bare


def of(data: object, kind: type[T], path: str) -> T:
    """Return the value if it is of this type. Raises `Malformed` with its path."""
    if not isinstance(data, kind) or (kind is int and isinstance(data, bool)):
        raise Malformed(f"{path or 'the value'} must be of type {kind.__name__}")
    return data
