"""The position in a few words: for the head of a page, and in place of the picture where it cannot be seen."""

from __future__ import annotations

from gamesvc.games.kernel.game import Caption, Data
from gamesvc.games.kernel.telling import Glance, headline
from gamesvc.games.kernel.wording import seat_name
from gamesvc.games.space_war.data import name_of
from gamesvc.games.space_war.text.board import item_words
from gamesvc.games.space_war.text.narrate import phase_name


def glance(seen: Data, caption: Caption) -> Glance:
    """Return turn, phase and acting seats; commander and life of each side, and the items."""
    over = seen["phase"] == "over"
    now = f"Over after turn {seen['turn']}" if over else f"Turn {seen['turn']}, {phase_name(seen['phase'])}"
    return Glance(headline(now, seen["awaited"], caption), _described(seen, caption), seen["turn"])


def _described(seen: Data, caption: Caption) -> str:
    parts = []
    for side in seen["sides"]:
        commander = name_of(side["commander"]) if side["commander"] else "no commander"
        parts.append(f"{seat_name(side['seat'], caption.names)}, {commander}, life {side['life']} of {side['full_life']}.")
    if seen["items"]:
        parts.append("Items: " + "; ".join(item_words(item) for item in seen["items"]) + ".")
    return " ".join(parts)
