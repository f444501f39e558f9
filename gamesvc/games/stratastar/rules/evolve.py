"""Events to states. Each handler uses the numbers in the event and nothing that a rules change could alter."""

from __future__ import annotations

from gamesvc.games.kernel.game import Event
from gamesvc.games.stratastar.events import KINDS
from gamesvc.games.stratastar.rules.evolving import Handlers, actions, dealings, effects, turns
from gamesvc.games.stratastar.state import State

HANDLERS: Handlers = {
    **turns.HANDLERS,
    **actions.HANDLERS,
    **effects.HANDLERS,
    **dealings.HANDLERS,
}


def evolve(state: State | None, event: Event) -> State:
    """Return the state after an event. Raises KeyError for a type that no version of this game ever wrote."""
    kind = KINDS[event.type]
    return HANDLERS[kind](state, kind.of(event.data))
