"""Changes of a state: the fields that an event replaces, and how they are made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gamesvc.games.kernel.frozen import replace
from gamesvc.games.space_war.events.base import WarEvent
from gamesvc.games.space_war.state import Piece, Side, State
from gamesvc.json_types import JsonObject

Changes = JsonObject
"""Fields of the state with their new values."""
Handlers = Mapping[type[WarEvent], Callable[[State, Any], Changes]]
"""For each class of event, the function that returns what such an event changes."""


def nothing(state: State, event: WarEvent) -> Changes:
    """Change nothing: the event tells the players something."""
    return {}


def with_side(state: State, seat: int, **changes: Any) -> tuple[Side, Side]:
    a, b = state.sides
    return (replace(a, **changes), b) if seat == 0 else (a, replace(b, **changes))


def with_piece(state: State, instance: str, **changes: Any) -> tuple[Piece, ...]:
    return tuple(replace(p, **changes) if p.id == instance else p for p in state.pieces)
