"""The viewer's hand, and help on cards, vessels and systems."""

from __future__ import annotations

from gamesvc.games.kernel.game import Data
from gamesvc.games.kernel.telling import Explained, Held
from gamesvc.games.kernel.wording import counted
from gamesvc.games.star_commander.data import CATALOGS, DOMAINS, Card
from gamesvc.games.star_commander.text.narrate import card_name


def hand(view: Data) -> tuple[Held, ...] | None:
    """Return the viewer's cards."""
    if view["seat"] is None:
        return None
    return tuple(Held(uid, f"{uid} {card_name(card)}") for uid, card in view["hand"])


def explain(view: Data, of: str) -> Explained | None:
    """Return help on a card, vessel or system that the view shows by this id, or on a kind of card."""
    catalog = CATALOGS[view["edition"]].cards
    if of in view["cells"] and view["cells"][of]["card"] is None:
        return Explained(of, "Unexplored until a ship jumps there.")
    card = catalog.get(_shown(view).get(of, of))
    return None if card is None else Explained(card.name, _words(card))


def _shown(view: Data) -> dict[str, str]:
    """Return the card of everything that the view shows with an id."""
    cards = [*view["hand"], *view["prompt"].get("cards", ())]
    cards += [entry for seat in view["seats"] for entry in seat["technologies"]]
    cards += [entry for offer in view["offers"] for entry in offer.get("cards", ())]
    cells = {name: cell["card"] for name, cell in view["cells"].items()}
    return dict(cards) | cells | {name: vessel["card"] for name, vessel in view["vessels"].items()}


def _words(card: Card) -> str:
    """Describe a card as it is printed: kind, figures, text."""
    parts = [_kind(card)]
    if card.kind == "system":
        parts.append(f"up to {counted(card.max_development, 'development')}")
    else:
        parts.append(counted(card.cost, "credit"))
    if card.is_vessel:
        parts.append(f"attack {card.attack}, {counted(card.hp, 'hit point')}")
    if card.kind == "ship":
        parts.append(f"speed {card.speed}")
    return f"{', '.join(parts)}. {card.text}".strip()


def _kind(card: Card) -> str:
    words = [card.domain] * (card.domain in DOMAINS) + [card.grade] * (card.grade == "capital") + [card.kind]
    return " ".join(words).capitalize()
