"""The end of a match in a few words: what decided it, and the figures of each player."""

from __future__ import annotations

from gamesvc.games.kernel.game import Caption, Data
from gamesvc.games.kernel.telling import Summary
from gamesvc.games.stratastar.text.narrate import REASONS
from gamesvc.language import say


def summary(seen: Data, caption: Caption) -> Summary | None:
    """Return what decided the match; None before its end."""
    if not seen["ended"]:
        return None
    players = seen["players"]
    figures = (
        (say("worlds"), tuple(str(one["worlds"]) for one in players)),
        (say("colonies"), tuple(str(one["colony_count"]) for one in players)),
        (say("fleets"), tuple(str(one["fleet_count"]) for one in players)),
    )
    return Summary(say(REASONS[seen["ended"]["reason"]]), figures)
