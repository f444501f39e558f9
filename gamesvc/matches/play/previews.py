"""The effect of an order, tried on a copy and shown as the seat would see it. It stops where chance or hidden facts decide.

The copy never holds the real hidden facts: they are dealt again first, with fresh random numbers. So a preview's content, and
whether there is any, reveals nothing about them.
"""

from __future__ import annotations

import secrets as system
from typing import Any

from django.utils.translation import gettext

from gamesvc.games.kernel.dice import Dice, DrawNeeded, KeyedSource
from gamesvc.games.kernel.game import Event, Game, Refused, see_event
from gamesvc.games.kernel.timeline import Timeline
from gamesvc.json_types import JsonMapping

# Number of further deals. Results that differ between them are not shown.
REDEALS = 8


class Preview:
    """A position to try orders on, one after the other. The match itself does not change."""

    def __init__(self, timeline: Timeline, seat: int, names: tuple[str, ...]) -> None:
        self._seat = seat
        self._names = names
        self._timeline = self._redealt(timeline)
        self.over = False

    def tell(self, command: JsonMapping) -> list[str]:
        """Return the effect of an order, in sentences. Raises `Refused` if it is illegal as far as the seat can see."""
        game = self._timeline.game
        seen, refusal, run = self._try(self._timeline, command)
        for _ in range(REDEALS):
            other, other_refusal, _run = self._try(self._redealt(self._timeline), command)
            if other_refusal != refusal or other != seen:
                self.over = True
                common = [one for one, two in zip(seen, other, strict=False) if one == two] if other_refusal == refusal else []
                return [*self._sentences(game, common), gettext("From here something decides that you cannot see.")]
        if refusal == ("draw_needed",):
            self.over = True
            return [gettext("From here chance decides.")]
        if refusal is not None:
            raise Refused(*refusal)
        self._timeline.follow(run)
        return self._sentences(game, seen)

    def _try(self, timeline: Timeline, command: JsonMapping) -> tuple[list[Event], tuple[Any, ...] | None, Any]:
        """Return the events as the seat sees them, or the reason why there are none."""
        game = timeline.game
        try:
            run = timeline.preview(self._seat, command)
        except DrawNeeded:
            return [], ("draw_needed",), None
        except Refused as refused:
            return [], (refused.code, refused.detail, refused.parameter), None
        seen = [see_event(game, event, self._seat) for event in run.events]
        return [event for event in seen if event is not None], None, run

    def _redealt(self, old: Timeline) -> Timeline:
        dice = Dice(KeyedSource(system.token_bytes(32)))
        return Timeline.resume(
            old.game,
            version=old.version,
            state=old.game.redeal(old.state, self._seat, dice),
            draws=old.draws,
            kept=old.kept,
            recall=old.recall,
            log=old.log,
        )

    def _sentences(self, game: Game, events: list[Event]) -> list[str]:
        return [sentence for event in events if (sentence := game.tell(event, self._seat, self._names))]
