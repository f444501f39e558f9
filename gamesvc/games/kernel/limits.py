"""Limits on the fields of a state, written beside their types, and the check that a state keeps them.

`Annotated[int, Within(0, 9)]` in a state's dataclass adds a limit to the type. Reading a snapshot or an event ignores these
limits; checking a position applies them. A field without a limit of its own gets the general limits below, so that no number,
text or list is unbounded.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import re
import types
import typing
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from gamesvc.errors import GamesvcError
from gamesvc.games.kernel import forms
from gamesvc.games.kernel.game import Schema, Version

LOWEST, HIGHEST = -1, 1_000_000
LONGEST_TEXT = 100
MOST_ITEMS = 2_000
FARTHEST = 1_000_000
"""The largest distance, in versions, at which a state may refer to another version."""


class Misfit(GamesvcError, ValueError):
    """A value breaks a limit. The message names its path and what would be right."""


@dataclass(frozen=True, slots=True)
class Within:
    """An integer from `low` to `high`."""

    low: int
    high: int

    def misfit(self, value: int) -> str:
        return "" if self.low <= value <= self.high else f"must be {self.low} to {self.high}, not {value}"

    def schema(self) -> Schema:
        return {"minimum": self.low, "maximum": self.high}


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of the given words or numbers."""

    values: tuple[object, ...]

    def __init__(self, values: Collection[object]) -> None:
        object.__setattr__(self, "values", tuple(values))

    def misfit(self, value: object) -> str:
        return "" if value in self.values else f"must be one of {_listed(self.values)}, not {value!r:.80}"

    def schema(self) -> Schema:
        return {"enum": list(self.values)}


@dataclass(frozen=True, slots=True)
class Written:
    """A text that matches a pattern as a whole."""

    pattern: str

    def misfit(self, value: str) -> str:
        return "" if re.fullmatch(self.pattern, value, re.ASCII) else f"must look like {self.pattern}, not {value!r:.80}"

    def schema(self) -> Schema:
        return {"pattern": f"^(?:{self.pattern})$"}


@dataclass(frozen=True, slots=True)
class AtMost:
    """A list or an object with at most this many entries; with `unique`, no entry may occur twice."""

    count: int
    unique: bool = False

    def misfit(self, value: Collection[object]) -> str:
        if len(value) > self.count:
            return f"may have {self.count} entries, not {len(value)}"
        return "must not name anything twice" if self.unique and len(set(value)) < len(value) else ""

    def schema(self) -> Schema:
        return {"maxItems": self.count, **({"uniqueItems": True} if self.unique else {})}


@dataclass(frozen=True, slots=True, eq=False)
class Like:
    """Plain JSON of printable text that fits a schema, as `forms` reads schemas."""

    described: Schema

    def misfit(self, value: object) -> str:
        fault = forms.fault(self.described, value, "it")
        if fault is not None:
            return f"does not fit: {fault.detail.removesuffix('.')}"
        return "" if all(text.isprintable() for text in _texts(value)) else "must hold printable text only"

    def schema(self) -> Schema:
        return self.described


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from itertools.chain(value, *map(_texts, value.values()))
    elif isinstance(value, (list, tuple)):
        yield from itertools.chain(*map(_texts, value))


Limit = Within | OneOf | Written | AtMost | Like
Count = Annotated[int, Within(0, 100_000)]


def _listed(values: Collection[object]) -> str:
    words = [str(value) or '""' for value in values]
    return ", ".join(words if len(words) <= 40 else [*words[:40], "..."])


def _misfit_of_number(value: int) -> str:
    return Within(LOWEST, HIGHEST).misfit(value)


def _misfit_of_text(value: str) -> str:
    return "" if len(value) <= LONGEST_TEXT else f"may have {LONGEST_TEXT} characters, not {len(value)}"


def _misfit_of_collection(value: Collection[object]) -> str:
    return AtMost(MOST_ITEMS).misfit(value)


def _misfit_of_version(value: int) -> str:
    return Within(-FARTHEST, 2 * FARTHEST).misfit(value)


GENERAL: Mapping[object, Callable[[Any], str]] = {int: _misfit_of_number, str: _misfit_of_text, Version: _misfit_of_version}


def bare(hint: object) -> tuple[object, tuple[Limit, ...]]:
    """Split a type hint into the bare type and the limits written beside it."""
    if typing.get_origin(hint) is Annotated:
        kind, *limits = typing.get_args(hint)
        return kind, tuple(limits)
    return hint, ()


@functools.cache
def fields(cls: type, *, limits: bool = True) -> dict[str, object]:
    """Return the fields of a dataclass with their type hints, with or without the limits beside them."""
    hints = typing.get_type_hints(cls, include_extras=limits)
    return {field.name: hints[field.name] for field in dataclasses.fields(cls)}


def check(value: Any, hint: object, path: str = "", seen: set[tuple[int, object]] | None = None) -> None:
    """Raise `Misfit` if a value breaks a limit. `seen` holds the values checked before; the caller must keep them alive."""
    seen = set() if seen is None else seen
    hint, limits = bare(hint)
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        if value is not None:
            [only] = [arg for arg in typing.get_args(hint) if arg is not types.NoneType]
            check(value, only, path, seen)
        return
    simple = isinstance(value, (int, str))
    if not simple and (id(value), hint) in seen:
        return
    _check_limits(value, hint, limits, path)
    if simple or value is None or hint is Any:
        return
    if not limits:
        seen.add((id(value), hint))
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        for name, sub in fields(hint).items():
            check(getattr(value, name), sub, f"{path}/{name}", seen)
        return
    args = typing.get_args(hint)
    if isinstance(value, Mapping):
        for key, item in value.items():
            check(key, args[0], f"{path}: the key {key!r:.40}", seen)
            check(item, args[1], f"{path}/{key}", seen)
    elif origin is tuple and args[-1:] != (Ellipsis,):
        for at, (item, sub) in enumerate(zip(value, args, strict=True)):
            check(item, sub, f"{path}/{at}", seen)
    else:
        for at, item in enumerate(value):
            check(item, args[0], f"{path}/{at}", seen)


def _check_limits(value: Any, hint: object, limits: tuple[Limit, ...], path: str) -> None:
    wrong = ""
    if limits and (value is not None or hint is Any):
        wrong = next((found for limit in limits if (found := limit.misfit(value))), "")
    elif hint in GENERAL:
        wrong = GENERAL[hint](value)
    if not wrong and isinstance(value, (tuple, frozenset, Mapping)) and hint is not Any:
        wrong = _misfit_of_collection(value)
    if wrong:
        raise Misfit(f"{path or 'the state'} {wrong}")
