"""The effect of a rewind on cards, draws and prepared answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gamesvc.games.kernel.dice import Dice
from gamesvc.games.kernel.game import Data, Event
from gamesvc.games.stratastar.events.actions import Spied
from gamesvc.games.stratastar.events.turns import CardsDrawn, DeckReshuffled, HandsDealt
from gamesvc.games.stratastar.state import State


def on_rewind(then: State, now: State, retracted: Sequence[Event], dice: Dice) -> Data:
    """Reshuffle the deck if an event drew from it or looked at it."""
    touched = any(_touches_deck(event) for event in retracted)
    return {"deck": list(dice.shuffle(then.deck))} if touched and then.deck else {}


def _touches_deck(event: Event) -> bool:
    if event.type == Spied.TYPE:
        return Spied.of(event.data).target == "deck"
    return event.type in (CardsDrawn.TYPE, DeckReshuffled.TYPE, HandsDealt.TYPE)


def rewound(then: State, now: State, data: Data) -> State:
    """Return the earlier state with the current standing orders."""
    players = tuple(replace(old, orders=new.orders) for old, new in zip(then.players, now.players))
    return replace(then, players=players, deck=tuple(data["deck"]) if "deck" in data else then.deck)
