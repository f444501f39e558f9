"""All events of Stratastar, today's and those of earlier rules: what each one says, and the names under which it is stored."""

from __future__ import annotations

from collections.abc import Mapping

from gamesvc.games.kernel.typed import by_type
from gamesvc.games.stratastar.events import actions, dealings, effects, turns
from gamesvc.games.stratastar.events.shapes import StratastarEvent

KINDS: Mapping[str, type[StratastarEvent]] = by_type((*turns.KINDS, *actions.KINDS, *effects.KINDS, *dealings.KINDS))
