"""The events of a match, typed: what each one says, and the name under which it is stored (`kernel.typed`)."""

from __future__ import annotations

from collections.abc import Mapping

from gamesvc.games.kernel.game import Event
from gamesvc.games.kernel.typed import by_type
from gamesvc.games.space_war.events import answers, course, play, zones
from gamesvc.games.space_war.events.base import WarEvent

KINDS: Mapping[str, type[WarEvent]] = by_type((*course.KINDS, *answers.KINDS, *play.KINDS, *zones.KINDS))


def read_event(event: Event) -> WarEvent:
    """Return what an event says. Raises TypeError where something is missing."""
    return KINDS.get(event.type, WarEvent).of(event.data)
