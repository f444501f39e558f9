"""The events of a match, typed: what each one says, and the name under which it is stored (`kernel.typed`)."""

from __future__ import annotations

from collections.abc import Mapping

from gamesvc.games.kernel.typed import TypedEvent, by_type
from gamesvc.games.space_fleet_commander.events import damage, opening, turns

KINDS: Mapping[str, type[TypedEvent]] = by_type((*opening.KINDS, *turns.KINDS, *damage.KINDS))
