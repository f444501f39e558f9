"""Two worlds that differ in one seat's secret must look the same to all others at every version.

Both worlds take the same commands. Their outputs are compared event by event, including the middle of acts, because any version
of a match can be viewed later. When the secret acts, the worlds may part: the first event that differs must be one of those
through which it acts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gamesvc.games.kernel.game import Event, Game, Viewer
from gamesvc.games.kernel.timeline import Run
from gamesvc.games.secrecy import apart, shown

Acts = Callable[[Event], bool]
"""A test that is True for an event through which a secret may act."""


def part(game: Game[Any], keeper: int, one: Run[Any], two: Run[Any], acts: Acts) -> bool:
    """Return True if two runs of the same command part because the secret of the seat `keeper` acted.

    Raises AssertionError for a leak.
    """
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
    """Assert that two states show a viewer the same and await the same seats for the same decisions."""
    seen, counterpart = game.view(one, viewer), game.view(two, viewer)
    assert seen == counterpart, f"{where}: {apart(seen, counterpart)}"
    assert tuple(game.awaited(one)) == tuple(game.awaited(two)), f"{where}: other seats are awaited"
