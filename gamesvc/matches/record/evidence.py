"""Records as a verifier reads them: nothing in a file is believed, so every field is asked for by name and kind. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from gamesvc.games.kernel.game import Event, Game

T = TypeVar("T")
Record = Mapping[str, Any]
_KINDS = {int: "a whole number", str: "text", dict: "an object", list: "a list"}


class Wrong(Exception):
    """Something a record says does not hold; `version` is the first that fails (None: the trailer)."""

    def __init__(self, version: int | None, reason: str) -> None:
        super().__init__(reason)
        self.version = version
        self.reason = reason


def field(record: Record, kind: type[T], *path: str) -> T:
    """A field of an event, of the kind named. Raises `Wrong`."""
    value: Any = record
    for name in path:
        if not isinstance(value, dict) or name not in value:
            raise Wrong(record["version"], f"{'.'.join(path)} is missing.")
        value = value[name]
    if type(value) is not kind:
        raise Wrong(record["version"], f"{'.'.join(path)} must be {_KINDS[kind]}.")
    return value


def hidden(record: Record) -> bool:
    """Whether a record is redacted or sealed: its digest could not be recomputed."""
    return "salt" not in record


def lifted(game: Game[Any], record: Record) -> Event:
    """A whole record as today's engine reads it."""
    draws = tuple(record["meta"].get("draws", ()))
    return game.lift(Event(game.bare_type(record["type"]), record["data"], record["version"], record["type_version"], draws))
