"""The parts that all events of The Space War have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

from gamesvc.games.kernel.game import Data
from gamesvc.games.kernel.typed import TypedEvent


class Sent(TypedDict):
    """A command and its sender. `replay`: it may be repeated after a reaction undid it."""

    seat: int
    command: Data
    replay: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class WarEvent(TypedEvent):
    """Something that happened in a match. Events of an unknown type are read as this alone."""

    todo: Sequence[Data] | None = None
    """The tasks still to be resolved, the next one first. None if the event left them as they were."""
    cmd: Sent | None = None
    """The command that begins with this event."""
    settles: Sequence[int] | None = None
    """The items that the sender of the command lets stand by it. An event of its own could be counted. None if none were open."""
