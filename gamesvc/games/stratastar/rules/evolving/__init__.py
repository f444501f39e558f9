"""One small function per event type: the state before and the event to the state after. They take every number from the event."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gamesvc.games.stratastar.events.shapes import StratastarEvent
from gamesvc.games.stratastar.state import State

Handlers = Mapping[type[StratastarEvent], Callable[[Any, Any], State]]
"""For each class of event, the function that applies it to a state. Only `BoardLaid` is applied to no state."""
