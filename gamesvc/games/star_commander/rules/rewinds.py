"""The effect of a rewind on cards, draws and prepared answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gamesvc.games.kernel.dice import Dice
from gamesvc.games.kernel.game import Data, Event
from gamesvc.games.kernel.typed import TypedEvent
from gamesvc.games.star_commander.data import DOMAINS
from gamesvc.games.star_commander.events import KINDS
from gamesvc.games.star_commander.events.board import SystemExplored
from gamesvc.games.star_commander.events.cards import CardDiscarded, CardDrawn, DeckReshuffled
from gamesvc.games.star_commander.events.course import ChoiceRequested
from gamesvc.games.star_commander.state import State
from gamesvc.json_types import JsonObject


def on_rewind(then: State, now: State, retracted: Sequence[Event], dice: Dice) -> Data:
    """Reshuffle the decks that were drawn from or looked at, and the face-down systems if one was turned up.

    A card that a seat is looking at in the earlier state stays on top: the look is the same one.
    """
    data: JsonObject = {}
    told = [KINDS[event.type].of(event.data) for event in retracted if event.type in KINDS]
    touched = {_touched(event) for event in told}
    data["decks"] = {domain: _shuffled(then, domain, dice) for domain in DOMAINS if domain in touched}
    if any(isinstance(event, SystemExplored) for event in told):
        down = [cell.card for cell in then.cells.values() if not cell.explored]
        data["systems"] = list(dice.shuffle([*down, *then.undealt]))
    return data


def _shuffled(then: State, domain: str, dice: Dice) -> list[str]:
    """Shuffle a deck, below a card that is being looked at."""
    deck, prompt = then.decks[domain], then.prompt
    top = 1 if prompt.what == "keep_or_discard" and not prompt.answered and then.work[-1]["domain"] == domain else 0
    return [*deck[:top], *dice.shuffle(deck[top:])]


def _touched(event: TypedEvent) -> str | None:
    """Return the domain whose deck an event drew from, looked at or reshuffled."""
    match event:
        case CardDrawn() | DeckReshuffled() | ChoiceRequested() | CardDiscarded(source="deck"):
            return event.domain
    return None


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
