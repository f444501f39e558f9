"""One decision in progress: the events so far, and the list of remaining steps.

The rules run as small steps on a list, the next one last. A step that needs an answer puts itself back and waits; its function
then returns True. `choice_requested` stores the list, and the answer continues from there. Steps refer to each other by name
(`{"do": "window"}`), so that modules do not depend on each other; `turn.STEPS` maps the names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gamesvc.games.kernel.timeline import Run
from gamesvc.games.kernel.typed import TypedEvent
from gamesvc.games.star_commander.events.course import ChoiceRequested
from gamesvc.games.star_commander.rules.values import Board
from gamesvc.games.star_commander.state import State
from gamesvc.json_types import JsonObject

Step = JsonObject
TURN_PROMPTS = frozenset({"command", "combat_choose"})


class TopCard(NamedTuple):
    """The top card of a deck."""

    uid: str
    card: str
    domain: str


class Play:
    """The collector of events and steps that all rules modules work on."""

    def __init__(self, run: Run[State], *, answering: bool = True) -> None:
        self.run = run
        self.work: list[Step] = [dict(step) for step in run.state.work]
        self.answering = answering
        self._board: Board | None = None

    @property
    def state(self) -> State:
        return self.run.state

    @property
    def board(self) -> Board:
        if self._board is None or self._board.state is not self.run.state:
            self._board = Board(self.run.state)
        return self._board

    def emit(self, event: TypedEvent) -> State:
        return self.run.emit(event)

    def push(self, do: str, **data: object) -> None:
        self.work.append({"do": do, **data})

    def wait(
        self, step: Step, prompt: str, seat: int, what: str = "", *, asked: Sequence[int] = (), top: TopCard | None = None
    ) -> bool:
        """Put the step back and ask the seat. A pending decision that is unchanged is not opened again.

        `asked`: the seats after it that may answer already. `top`: the card that the seat looks at. A seat that was asked alone
        in a window keeps its question when others are asked beside it.
        """
        self.work.append(step)
        standing = self.state.prompt
        same = (standing.kind, standing.seat, standing.what, standing.answered) == (prompt, seat, what, False)
        joined = same and not self.answering and self.state.window is not None and not self.state.window.question
        same = same and self.state.work == self.work
        if self.state.window is not None:
            same = same and list(self.state.window.asked) == list(asked)
        if not same or (self.answering and prompt not in TURN_PROMPTS):
            self.emit(
                ChoiceRequested(
                    prompt=prompt,
                    seat=seat,
                    what=what,
                    number=standing.number + (not joined),
                    work=[dict(one) for one in self.work],
                    asked=asked or (),
                    uid=top.uid if top else None,
                    card=top.card if top else None,
                    domain=top.domain if top else None,
                )
            )
        return True
