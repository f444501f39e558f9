"""The effect of a rewind on cards, draws and prepared answers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gamesvc.games.kernel.dice import Dice
from gamesvc.games.kernel.game import Data
from gamesvc.games.star_commander.data import DOMAINS
from gamesvc.games.star_commander.state import State


def on_rewind(then: State, now: State, retracted: Any, dice: Dice) -> Data:
    """Reshuffle the decks that were drawn from or looked at, and the face-down systems if one was turned up."""
    data: dict[str, Any] = {}
    touched = {
        event.data["domain"]
        for event in retracted
        if event.type in ("card_drawn", "deck_reshuffled")
        or (event.type == "choice_requested" and "card" in event.data)
        or (event.type == "card_discarded" and event.data["source"] == "deck")
    }
    data["decks"] = {domain: list(dice.shuffle(then.decks[domain])) for domain in DOMAINS if domain in touched}
    if any(event.type == "system_explored" for event in retracted):
        down = [cell.card for cell in then.cells.values() if not cell.explored]
        data["systems"] = list(dice.shuffle([*down, *then.undealt]))
    return data


def rewound(then: State, now: State, data: Data) -> State:
    """Return the earlier state with the new draws and the current standing orders."""
    decks = {domain: tuple(data.get("decks", {}).get(domain, deck)) for domain, deck in then.decks.items()}
    cells, undealt = then.cells, then.undealt
    if "systems" in data:
        left = list(data["systems"])
        cells = {name: cell if cell.explored else replace(cell, card=left.pop(0)) for name, cell in then.cells.items()}
        undealt = tuple(left)
    seats = tuple(replace(seat, orders=later.orders) for seat, later in zip(then.seats, now.seats, strict=True))
    return replace(then, decks=decks, cells=cells, undealt=undealt, seats=seats)
