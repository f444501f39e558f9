"""Events to states. Every number comes from the event; nothing is looked up in the card table.

The modules of `evolving` say what each event changes.
"""

from __future__ import annotations

from gamesvc.games.kernel.frozen import replace
from gamesvc.games.kernel.game import Event
from gamesvc.games.space_war.events import read_event
from gamesvc.games.space_war.events.course import GameCreated, GameEnded, TimedOut
from gamesvc.games.space_war.rules.evolving.answers import ANSWERS, settled
from gamesvc.games.space_war.rules.evolving.changes import Changes, Handlers
from gamesvc.games.space_war.rules.evolving.course import COURSE, created
from gamesvc.games.space_war.rules.evolving.play import PLAY
from gamesvc.games.space_war.rules.evolving.zones import ZONES
from gamesvc.games.space_war.state import State

HANDLERS: Handlers = {**COURSE, **ANSWERS, **PLAY, **ZONES}
"""The changes made by every event but the first one."""


def evolve(state: State | None, event: Event) -> State:
    """Apply one event.

    `todo` is the remaining agenda. `cmd` is the command that begins with this event. Its sender is present, so their row of
    timeouts ends, and commands of that kind can no longer be replayed. `settles` are items that stand before anything happens.
    The commands to repeat are those of the active seat and are shown to it, so they go when another one becomes active.
    """
    if state is None:
        return created(GameCreated.of(event.data))
    told = read_event(event)
    if told.settles is not None:
        state = replace(state, items=settled(state.items, told.settles))
    handler = HANDLERS.get(type(told))
    changes: Changes = handler(state, told) if handler is not None else {}
    if told.todo is not None:
        changes["agenda"] = tuple(told.todo)
    if state.replay and changes.get("active", state.active) != state.active:
        changes["replay"] = ()
    if told.cmd is not None and not isinstance(told, (TimedOut, GameEnded)):
        if state.replay and told.cmd["replay"]:
            changes["replay"] = ()
        seat = told.cmd["seat"]
        if state.sides[seat].timeouts:
            sides = list(changes.get("sides", state.sides))
            sides[seat] = replace(sides[seat], timeouts=0, timed="")
            changes["sides"] = tuple(sides)
    return replace(state, **changes) if changes else state
