"""The effect of an order, tried on a copy and shown as the seat would see it. It stops where chance or hidden facts decide.

The copy never holds the real hidden facts: they are dealt again first, with fresh random numbers. So a preview's content, and
whether there is any, reveals nothing about them.
"""

from __future__ import annotations

import secrets as system
import time
from contextlib import suppress
from typing import NamedTuple

from django.utils.translation import gettext

from gamesvc.games import dealing
from gamesvc.games.kernel.dice import Dice, DrawNeeded, KeyedSource
from gamesvc.games.kernel.game import Event, Game, Refused, see_event
from gamesvc.games.kernel.telling import Part
from gamesvc.games.kernel.timeline import Run, Timeline
from gamesvc.json_types import JsonMapping
from gamesvc.matches.story.gist import gist

DEALS = 9
"""The number of deals on which each order is tried. Results that differ between them are not shown."""
CPU_SECONDS = 2.0
"""The CPU time after which no further order is tried."""

Tried = tuple[list[Event], Refused | DrawNeeded | None, Run | None]


class _Line(NamedTuple):
    sentence: str
    part: Part | None


class Preview:
    """A position to try orders on, one after the other. The match itself does not change.

    `over`: no further order can be tried. `reveals`: the last one reveals something, so that its undo has to be asked for.
    """

    def __init__(self, timeline: Timeline, seat: int, names: tuple[str, ...]) -> None:
        self._seat = seat
        self._names = names
        self._began = time.thread_time()
        self._deals: list[Timeline] = []
        with suppress(Refused):  # of a position that cannot be dealt, nothing can be told
            while len(self._deals) < DEALS and not self._is_late():
                self._deals.append(dealt(timeline, seat))
        self.over = len(self._deals) < DEALS
        self.reveals = False

    def tell(self, command: JsonMapping) -> list[str]:
        """Return the effect of an order, in sentences. Raises `Refused` if it is illegal as far as the seat can see."""
        game = self._deals[0].game
        seen, fault, run = self._try(self._deals[0], command)
        self.reveals = any(map(game.reveals, seen))
        runs = [run]
        self.over = fault is not None or self._is_late()
        for timeline in self._deals[1:]:
            other, other_fault, run = self._try(timeline, command)
            if _reason(other_fault) != _reason(fault) or other != seen:
                self.over = True
                common = [one for one, two in zip(seen, other, strict=False) if one == two]
                return [*self._sentences(game, common), self._undecided()]
            runs.append(run)
        if isinstance(fault, Refused):
            raise fault
        if fault is not None:
            return [self._undecided()]
        for timeline, run in zip(self._deals, runs, strict=True):
            assert run is not None
            timeline.follow(run)
        return self._sentences(game, seen)

    def _is_late(self) -> bool:
        return time.thread_time() - self._began > CPU_SECONDS

    def _try(self, timeline: Timeline, command: JsonMapping) -> Tried:
        """Return the events as the seat sees them, or the reason why there are none."""
        try:
            run = timeline.preview(self._seat, command)
        except (DrawNeeded, Refused) as fault:
            return [], fault, None
        seen = [see_event(timeline.game, event, self._seat) for event in run.events]
        return [event for event in seen if event is not None], None, run

    @staticmethod
    def _undecided() -> str:
        # One sentence for both: which of them it is may depend on something hidden, such as a die that another seat has seen.
        return gettext("From here chance decides, or something that you cannot see.")

    def _sentences(self, game: Game, events: list[Event]) -> list[str]:
        told = ((game.tell(event, self._seat, self._names), game.parts.get(event.type)) for event in events)
        return [line.sentence for line in gist([_Line(sentence, part) for sentence, part in told if sentence])]


def dealt(real: Timeline, seat: int) -> Timeline:
    """Return a copy of a match in which everything hidden from the seat is dealt again. Raises `Refused` if it cannot be."""
    dice = Dice(KeyedSource(system.token_bytes(32)))
    state, marked = dealing.deal(real.game, real.state, real.at, seat, dice)

    def unmarked(version: int) -> object:
        raise ValueError(f"a copy goes back only to versions that the game marks, not to {version}")

    return Timeline.resume(
        real.game,
        version=real.version,
        state=state,
        draws=real.draws,
        kept=marked,
        recall=unmarked,
        log=lambda until: real.whole_log(),
    )


def _reason(fault: Refused | DrawNeeded | None) -> object:
    return (fault.code, fault.detail, fault.parameter) if isinstance(fault, Refused) else type(fault)
