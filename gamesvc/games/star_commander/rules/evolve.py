"""Events to states. Nothing is looked up that a rules change could alter. The modules of `evolving` have a function per event."""

from __future__ import annotations

from gamesvc.games.kernel.game import Event
from gamesvc.games.star_commander.events import KINDS
from gamesvc.games.star_commander.events.course import GameSetUp
from gamesvc.games.star_commander.rules.evolving import board, cards, course, plays
from gamesvc.games.star_commander.rules.evolving.changes import Handlers
from gamesvc.games.star_commander.state import State

HANDLERS: Handlers = {**course.HANDLERS, **cards.HANDLERS, **board.HANDLERS, **plays.HANDLERS}
"""The functions of all events but the set-up, before which there is no state."""


def evolve(state: State | None, event: Event) -> State:
    if state is None:
        return course.set_up(GameSetUp.of(event.data))
    kind = KINDS[event.type]
    return HANDLERS[kind](state, kind.of(event.data))
