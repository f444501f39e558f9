"""The end of a match in a few words: what decided it, and the figures of each player."""

from __future__ import annotations

from gamesvc.games.kernel.game import Caption, Data
from gamesvc.games.kernel.telling import Summary
from gamesvc.games.kernel.wording import seat_name
from gamesvc.language import mark, say

_REASONS = {
    "commander": mark("the commander of {loser} fell"),
    "resigned": mark("{loser} resigned"),
    "timed_out": mark("{loser} ran out of time too often"),
}


def summary(seen: Data, caption: Caption) -> Summary | None:
    """Return what decided the match; None before its end."""
    if seen["winner"] is None:
        return None
    sides = seen["sides"]
    figures = (
        (say("life"), tuple(str(side["life"]) for side in sides)),
        (say("cards in play"), tuple(str(sum(p["controller"] == side["seat"] for p in seen["pieces"])) for side in sides)),
        (say("flipped station cards"), tuple(str(len(side["station"]) - side["face_down"]) for side in sides)),
        (say("cards in the draw pile"), tuple(str(side["pile"]) for side in sides)),
    )
    return Summary(say(_REASONS[seen["reason"]], loser=seat_name(1 - seen["winner"], caption.names)), figures)
