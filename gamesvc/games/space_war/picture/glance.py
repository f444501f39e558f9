"""The position in a few words: for the head of a page, and in place of the picture where it cannot be seen."""

from __future__ import annotations

from gamesvc.games.kernel.game import Caption, Data
from gamesvc.games.kernel.telling import Glance
from gamesvc.games.kernel.wording import SEAT_NAMES
from gamesvc.games.space_war.data import name_of
from gamesvc.games.space_war.text.board import item_words


def glance(seen: Data, caption: Caption) -> Glance:
    """Return turn, phase and acting seats; commander and life of each side, and the items."""
    acting = ", ".join(seat_name(one["seat"], caption) for one in seen["awaited"])
    return Glance(
        headline=f"Turn {seen['turn']}, {seen['phase']}. " + (f"{acting} to act." if acting else "Over."),
        description=_described(seen, caption),
        turn=seen["turn"],
    )


def seat_name(seat: int, caption: Caption) -> str:
    return caption.names[seat] if seat < len(caption.names) and caption.names[seat] else SEAT_NAMES[seat]


def _described(seen: Data, caption: Caption) -> str:
    parts = []
    for side in seen["sides"]:
        commander = name_of(side["commander"]) if side["commander"] else "no commander"
        parts.append(f"{seat_name(side['seat'], caption)}, {commander}, life {side['life']} of {side['full_life']}.")
    if seen["items"]:
        parts.append("Items: " + "; ".join(item_words(item) for item in seen["items"]) + ".")
    return " ".join(parts)
