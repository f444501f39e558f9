"""The end of a match in a few words: what decided it, and the figures of each player."""

from __future__ import annotations

from gamesvc.games.kernel.game import Caption, Data
from gamesvc.games.kernel.telling import Summary
from gamesvc.games.star_commander.text.naming import REASONS
from gamesvc.language import say


def summary(view: Data, caption: Caption) -> Summary | None:
    """Return what decided the match; None before its end."""
    if not view["result"]:
        return None
    seats = view["seats"]
    figures = (
        (say("developments"), tuple(str(seat["devs"]) for seat in seats)),
        (say("systems"), tuple(str(seat["systems"]) for seat in seats)),
        (say("ships"), tuple(str(seat["ships"]) for seat in seats)),
        (say("credits"), tuple(str(seat["credits"]) for seat in seats)),
    )
    return Summary(say(REASONS[view["result"]["reason"]]), figures)
