"""A check that an engine handles any input, however malformed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gamesvc.games.kernel.dice import seeded
from gamesvc.games.kernel.game import Game, Refused
from gamesvc.games.kernel.timeline import Timeline


def answered(game: Game[Any], timeline: Timeline[Any], seat: int, sent: Mapping[str, Any] | str) -> bool:
    """Return True if a command or order text is decided without faults, or refused with a code and a sentence."""
    try:
        command = game.parse(sent, game.view(timeline.state, seat)) if isinstance(sent, str) else sent
        run = timeline.command(seat, dict(command), seeded("answered", next_draw=timeline.draws))
    except Refused as refused:
        return bool(refused.code and refused.detail)
    return not game.faults(run.state)
