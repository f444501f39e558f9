"""The viewer's hand, and help on cards, abilities and spaces."""

from __future__ import annotations

from gamesvc.games.kernel.game import Data
from gamesvc.games.kernel.telling import Explained, Held, pile
from gamesvc.games.kernel.wording import Speaker, capital, listed, opening
from gamesvc.games.stratastar.data import ABILITY_NAMES, ABILITY_TEXTS, CARD_NAMES, COSTS, OPTIONAL, POWER, RESEARCH
from gamesvc.games.stratastar.data.geometry import INDEX
from gamesvc.games.stratastar.text.board import pieces_at
from gamesvc.games.stratastar.text.narrate import ACTIONS, CHITS
from gamesvc.json_types import JsonMapping
from gamesvc.language import mark, say

_PLAIN = {power: kind for kind, power in POWER.items()}
DISCARD = "discard"
"""The id of the discard pile."""
_NAMES = ACTIONS | {"spy": mark("spying")}


def hand(seen: Data) -> tuple[Held, ...] | None:
    """Return the viewer's cards by kind, with their number."""
    if seen["viewer"] is None:
        return None
    cards = seen["hand"]
    return tuple(Held(card, f"{cards.count(card)} {name}") for card, name in CARD_NAMES.items() if card in cards)


def explain(seen: Data, of: str) -> Explained | None:
    """Return help on a kind of card, an ability, a space or the discard pile."""
    if of in CARD_NAMES:
        return Explained(CARD_NAMES[of], _card(seen, of))
    if of in ABILITY_NAMES:
        return Explained(ABILITY_NAMES[of], f"{capital(say(ABILITY_TEXTS[of]))}. {_price(of)}")
    if of in INDEX:
        return Explained(of, _space(seen, of))
    if of == DISCARD:
        return pile(say("Discard pile"), [CARD_NAMES[card] for card in seen["discard"]])
    return None


def _card(seen: Data, card: str) -> str:
    """Describe what a card pays for under the options of the match."""
    if card == RESEARCH:
        return say("Stands for any one card, and pays for what only Research pays.")
    kind = _PLAIN.get(card, card)
    costs = {what: dict(cost) for what, cost in COSTS.items() if what not in OPTIONAL or seen["options"][OPTIONAL[what]]}
    uses = [f"{_named(what)} ({cost[kind]})" for what, cost in costs.items() if kind in cost]
    parts = [say("Worth two in a payment.")] if card in _PLAIN else []
    parts.append(say("Pays for {uses}.", uses=listed(uses)))
    parts += [say("It also adds force to a battle.")] if kind == "attack" else []
    return " ".join(parts)


def _named(what: str) -> str:
    return ABILITY_NAMES.get(what) or say(_NAMES[what])


def _price(ability: str) -> str:
    cost = dict(COSTS.get(ability, ()))
    if not cost:
        return say("Costs nothing.")
    return say("Costs {price}.", price=listed(f"{amount} {CARD_NAMES[kind]}" for kind, amount in cost.items()))


def _space(seen: Data, space: str) -> str:
    """Describe what is known to lie in a space, and who is there."""
    t = Speaker(seen["viewer"], ())
    there = [
        f"{opening(t.who(player['seat']))}: {', '.join(pieces)}."
        for player in seen["players"]
        if (pieces := pieces_at(player, space))
    ]
    return " ".join([_ground(seen, space, t), *there])


def _ground(seen: JsonMapping, space: str, t: Speaker) -> str:
    home = next((player["seat"] for player in seen["players"] if player["home"] == space), None)
    if home is not None:
        return t.says("{whose} Homeworld.", whom=home)
    if space not in seen["unknown"]:
        return f"{capital(say(CHITS[seen['chits'].get(space, 'blank')]))}."
    scouted = seen.get("scouted", {}).get(space)
    if scouted is None:
        return say("Unknown until a fleet enters it.")
    return say("{ground}, as you scouted.", ground=capital(say(CHITS[scouted])))
