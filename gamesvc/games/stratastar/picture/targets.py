"""The targets of the picture that stand for values of commands."""

from __future__ import annotations

from gamesvc.games.kernel.game import Data
from gamesvc.games.kernel.targets import Finder
from gamesvc.games.stratastar.data import CARD_NAMES
from gamesvc.games.stratastar.data.geometry import INDEX
from gamesvc.language import mark

MOST_OFFERS = 5
"""The offers that the picture lists."""
_SEATS = ("to", "target", "seat")
"""The fields that name a seat."""
_FROM_HAND = ("pay", "cards", "others", "give", "builds")
"""The fields that take cards from the viewer's hand."""


def finder(seen: Data) -> Finder:
    """Return the finder of targets: spaces of the map, seats, the deck, offers, and kinds of card in the viewer's hand."""
    hand, offers = frozenset(seen.get("hand", ())), [one["id"] for one in seen["offers"]][:MOST_OFFERS]

    def found(command: str, field: str, value: object) -> str | None:
        if command == "set_orders":
            return f"cell:{value}" if value in INDEX else None
        if field == "offer":
            return f"offer:{value}" if value in offers else None
        if field in _SEATS and isinstance(value, int) and not isinstance(value, bool):
            return f"seat:{value}"
        if not isinstance(value, str):
            return None
        if value in INDEX:
            return f"cell:{value}"
        if value == "deck":
            return "deck"
        return f"hand:{value}" if field.split(".")[0] in _FROM_HAND and value in CARD_NAMES and value in hand else None

    return found


KINDS = {
    "seat": mark("A player's band: score, cards in hand, pieces and abilities. Aim at a player here."),
    "deck": mark("Cards are drawn from here. When it is empty, the discard pile is shuffled."),
    "offer": mark("An open offer of cards. It stands until it is accepted, rejected or withdrawn."),
}
"""Help on a kind of target, where `explain` has nothing to say about each."""
