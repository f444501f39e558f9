"""Two worlds that differ in what one seat keeps hidden must look the same to all others, at every version.

Both worlds take the same commands. What they show is compared event by event, also in the middle of an act, because any
version of a match can be looked at later. Where the hidden thing acts, the worlds may part: the first event that differs must
be one of those through which it acts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gamesvc.games.kernel.game import Event, Game, Viewer
from gamesvc.games.kernel.timeline import Run
from gamesvc.games.secrecy import apart, shown

Acts = Callable[[Event], bool]
"""Whether a hidden thing may act through an event."""


def part(game: Game[Any], keeper: int, one: Run[Any], two: Run[Any], acts: Acts) -> bool:
    """Whether two runs of the same command part, because what the seat `keeper` hides acted. Raises AssertionError for a leak."""
    viewers: Sequence[Viewer] = [None, *(seat for seat in range(game.seats(one.state)) if seat != keeper)]
    for at, (event, twin) in enumerate(zip(one.events, two.events, strict=False)):
        if (event.type, event.data) != (twin.type, twin.data) and (acts(event) or acts(twin)):
            return True
        for viewer in viewers:
            where = f"version {event.version}, {event.type} and {twin.type}, for {viewer}"
            told, counterpart = shown(game, event, viewer), shown(game, twin, viewer)
            assert told == counterpart, f"{where}: {told} is told, in the other world {counterpart}"
            same_sight(game, one.states[at], two.states[at], viewer, where)
    rest = [*one.events[len(two.events) :], *two.events[len(one.events) :]]
    assert not rest or acts(rest[0]), f"in one world alone there is {rest[0].type}"
    return bool(rest)


def same_sight(game: Game[Any], one: Any, two: Any, viewer: Viewer, where: str) -> None:
    """Two states show a viewer the same, and the same seats are asked for the same."""
    seen, counterpart = game.view(one, viewer), game.view(two, viewer)
    assert seen == counterpart, f"{where}: {apart(seen, counterpart)}"
    assert tuple(game.awaited(one)) == tuple(game.awaited(two)), f"{where}: other seats are awaited"
