"""The viewer's hand, and help on cards, vessels and systems."""

from __future__ import annotations

from gamesvc.games.kernel.game import Data
from gamesvc.games.kernel.telling import Explained, Held, pile
from gamesvc.games.kernel.wording import capital
from gamesvc.games.star_commander.data import CATALOGS, DOMAINS
from gamesvc.games.star_commander.text.reference import card_line, in_sight, kind_of, numbers, text_of
from gamesvc.language import say

DISCARD = "discard-"
"""The beginning of the id of a discard pile; its domain follows."""


def hand(view: Data) -> tuple[Held, ...] | None:
    """Return the viewer's cards."""
    if view["seat"] is None:
        return None
    catalog = CATALOGS[view["edition"]].cards
    return tuple(Held(uid, f"{uid} {card_line(catalog[card])}") for uid, card in view["hand"])


def explain(view: Data, of: str) -> Explained | None:
    """Return help on a card, vessel, system or discard pile that the view shows by this id, or on a kind of card."""
    catalog = CATALOGS[view["edition"]].cards
    if of.startswith(DISCARD) and (domain := of.removeprefix(DISCARD)) in DOMAINS:
        name = say("Discard pile of {domain}", domain=capital(domain))
        return pile(name, [catalog[card].name for card in view["discards"][domain]])
    if of in view["cells"] and view["cells"][of]["card"] is None:
        return Explained(of, say("Unexplored until a ship jumps there."))
    card = catalog.get(dict(in_sight(view)).get(of, of))
    return None if card is None else Explained(card.name, f"{capital(kind_of(card))}, {numbers(card)}. {text_of(card)}".strip())
