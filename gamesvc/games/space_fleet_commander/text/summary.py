"""The end of a match in a few words: what decided it, and the figures of each player."""

from __future__ import annotations

from gamesvc.games.kernel.game import Caption, Data
from gamesvc.games.kernel.telling import Summary
from gamesvc.games.space_fleet_commander.text.narrate import ENDINGS
from gamesvc.language import say


def summary(view: Data, caption: Caption) -> Summary | None:
    """Return what decided the match; None before its end."""
    if view["outcome"] is None:
        return None
    table = view["table"]
    figures = (
        (say("stars"), tuple(str(row["stars"]) for row in table)),
        (say("rank"), tuple(row["title"] or "-" for row in table)),
        (say("time boxes"), tuple(str(row["time"]) for row in table)),
    )
    return Summary(say(ENDINGS[view["outcome"]["reason"]]), figures)
