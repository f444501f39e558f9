"""Fields of untrusted records, read one by one with their type checked. Pure."""

from __future__ import annotations

from typing import TypeVar

from gamesvc.errors import GamesvcError
from gamesvc.games.kernel.game import Event, Game
from gamesvc.json_types import JsonMapping

T = TypeVar("T")
Record = JsonMapping
_KINDS = {int: "a whole number", str: "text", dict: "an object", list: "a list"}


class Wrong(GamesvcError):
    """A claim of the record that does not hold. `version` is the first event that fails (None: the trailer)."""

    def __init__(self, version: int | None, reason: str) -> None:
        super().__init__(reason)
        self.version = version


def field(record: Record, kind: type[T], *path: str) -> T:
    """Return a field of an event if it has the given type. Raises `Wrong`."""
    value: object = record
    for name in path:
        if not isinstance(value, dict) or name not in value:
            raise Wrong(record["version"], f"{'.'.join(path)} is missing.")
        value = value[name]
    if type(value) is not kind:
        raise Wrong(record["version"], f"{'.'.join(path)} must be {_KINDS[kind]}.")
    return value


def hidden(record: Record) -> bool:
    """Return True if a record is redacted or sealed, so that its digest cannot be recomputed."""
    return "salt" not in record


def lifted(game: Game, record: Record) -> Event:
    """Return a complete record as today's engine reads it."""
    draws = tuple(record["meta"].get("draws", ()))
    return game.lift(Event(game.bare_type(record["type"]), record["data"], record["version"], record["type_version"], draws))
