"""What an order would do: tried on a copy, told as the seat would see it, stopped where chance or something hidden decides.

Never tried on the match as it is: what is hidden from the seat is dealt anew first, by chance that nobody knows, so that
whatever a preview tells, and whether it tells anything, says nothing of what really lies there.
"""

from __future__ import annotations

import secrets as system
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext

from gamesvc.games.kernel.dice import Dice, DrawNeeded, KeyedSource
from gamesvc.games.kernel.game import Event, Game, Refused, see_event
from gamesvc.games.kernel.timeline import Timeline

# What is hidden from the seat is dealt anew so often again: what differs then is not told.
REDEALS = 8


class Preview:
    """A position to try orders on, one after the other; the match itself does not change."""

    def __init__(self, timeline: Timeline[Any], seat: int, names: tuple[str, ...]) -> None:
        self._seat = seat
        self._names = names
        self._timeline = self._redealt(timeline)
        self.over = False

    def tell(self, command: Mapping[str, Any]) -> list[str]:
        """What the order would do, in sentences. Raises `Refused` for one that is illegal as far as the seat can see."""
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

    def _try(self, timeline: Timeline[Any], command: Mapping[str, Any]) -> tuple[list[Event], tuple[Any, ...] | None, Any]:
        """The events as the seat sees them, or why there are none."""
        game = timeline.game
        try:
            run = timeline.preview(self._seat, command)
        except DrawNeeded:
            return [], ("draw_needed",), None
        except Refused as refused:
            return [], (refused.code, refused.detail, refused.parameter), None
        seen = [see_event(game, event, self._seat) for event in run.events]
        return [event for event in seen if event is not None], None, run

    def _redealt(self, old: Timeline[Any]) -> Timeline[Any]:
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

    def _sentences(self, game: Game[Any], events: list[Event]) -> list[str]:
        return [sentence for event in events if (sentence := game.tell(event, self._seat, self._names))]
