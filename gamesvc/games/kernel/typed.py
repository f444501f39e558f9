"""Typed events: one frozen dataclass per event type, with the name under which it is stored.

Every event of a type holds its fields without a default. A field with a default is in the data only where it has another value:
the event has nothing to say there, or is older than the field. So what was read is written again with the same keys and values.
Keys without a field are ignored: a later release may have written them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import ClassVar, Self, TypeVar

from gamesvc.games.kernel.game import Data, Event
from gamesvc.json_types import JsonObject


class TypedEvent:
    """The content of one event. A field named after a keyword of Python ends with `_`, which its key does not."""

    __slots__ = ()
    TYPE: ClassVar[str]
    VERSION: ClassVar[int] = 1

    @classmethod
    def of(cls, data: Data) -> Self:
        """Read an event's data. Raises TypeError where a key is missing that every such event has."""
        try:
            return cls(**data)
        except TypeError:  # a key has no field, or a field of another name
            return cls(**{name: data[key] for name, key, _default in keys_of(cls) if key in data})

    def as_json(self) -> JsonObject:
        """Return the data under which it is stored."""
        return {key: value for name, key, default in keys_of(type(self)) if (value := getattr(self, name)) != default}

    def event(self, version: int = 0) -> Event:
        return Event(self.TYPE, self.as_json(), version, self.VERSION)


# Not `functools.cache`: the type checker does not accept a class of events as a hashable argument.
_KEYS: dict[type[TypedEvent], tuple[tuple[str, str, object], ...]] = {}


def keys_of(kind: type[TypedEvent]) -> tuple[tuple[str, str, object], ...]:
    """Return name, key and default of a type's fields; MISSING, which equals no value, where there is no default."""
    if kind not in _KEYS:
        _KEYS[kind] = tuple((one.name, one.name.removesuffix("_"), one.default) for one in fields(kind))  # type: ignore[arg-type]
    return _KEYS[kind]


E = TypeVar("E", bound=TypedEvent)


def by_type(kinds: Iterable[type[E]]) -> Mapping[str, type[E]]:
    """Return the classes by the names under which their events are stored. Raises ValueError for a name used twice."""
    found: dict[str, type[E]] = {}
    for kind in kinds:
        if kind.TYPE in found:
            raise ValueError(f"two classes have the type {kind.TYPE!r}")
        found[kind.TYPE] = kind
    return found
