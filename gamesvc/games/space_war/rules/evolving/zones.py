"""Events of piles, hands, discard piles and stations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gamesvc.games.kernel.frozen import replace
from gamesvc.games.space_war.events.answers import CardCountered
from gamesvc.games.space_war.events.zones import (
    CardPlayed,
    CardResolved,
    CardsDiscarded,
    CardsDrawn,
    CardsMilled,
    CardsReturned,
    Looked,
    PileOrdered,
    StationAdded,
    StationFlipped,
    StationLeft,
    StationMoved,
    StationUnflipped,
)
from gamesvc.games.space_war.rules.evolving.changes import Changes, Handlers, nothing, with_side
from gamesvc.games.space_war.state import Side, State, StationCard, owner_of


def leave_out(items: tuple[str, ...], gone: Sequence[str]) -> tuple[str, ...]:
    return tuple(item for item in items if item not in gone)


def _pile_ordered(state: State, event: PileOrdered) -> Changes:
    changes: Changes = {"sides": with_side(state, event.seat, pile=tuple(event.order), known=event.known or 0)}
    if event.cards is not None:
        changes["cards"] = {**state.cards, **event.cards}
    return changes


def _cards_drawn(state: State, event: CardsDrawn) -> Changes:
    side = state.sides[event.seat]
    n = len(event.cards)
    hand, known = (*side.hand, *event.cards), max(0, side.known - n)
    return {"sides": with_side(state, event.seat, pile=side.pile[n:], hand=hand, known=known)}


def _cards_milled(state: State, event: CardsMilled) -> Changes:
    side = state.sides[event.seat]
    n = len(event.cards)
    discard, known = (*side.discard, *event.cards), max(0, side.known - n)
    return {"sides": with_side(state, event.seat, pile=side.pile[n:], discard=discard, known=known)}


def _cards_discarded(state: State, event: CardsDiscarded) -> Changes:
    side, cards = state.sides[event.seat], event.cards
    return {
        "sides": with_side(
            state,
            event.seat,
            hand=leave_out(side.hand, cards),
            station=tuple(card for card in side.station if card.id not in cards),
            discard=(*side.discard, *cards),
        )
    }


def _card_played(state: State, event: CardPlayed) -> Changes:
    side = state.sides[event.seat]
    card = event.card
    return {
        "sides": with_side(
            state,
            event.seat,
            hand=leave_out(side.hand, [card]),
            station=tuple(one for one in side.station if one.id != card),
            actions=side.actions - event.cost,
            plays=side.plays + 1,
        ),
        "limbo": (*state.limbo, card),
    }


def card_resolved(state: State, event: CardResolved | CardCountered) -> Changes:
    """Move a resolved event card, or a countered card, from limbo to its owner's discard pile."""
    card = event.card
    if card not in state.limbo:
        return {}
    owner = owner_of(card)
    return {
        "limbo": leave_out(state.limbo, [card]),
        "sides": with_side(state, owner, discard=(*state.sides[owner].discard, card)),
    }


def take(state: State, card: str) -> tuple[tuple[Side, Side], Changes]:
    """Take a card out of its place outside play."""
    owner = owner_of(card)
    side = state.sides[owner]
    if card in state.limbo:
        return state.sides, {"limbo": leave_out(state.limbo, [card])}
    changes: Changes = {}
    if card in side.hand:
        changes["hand"] = leave_out(side.hand, [card])
    elif card in side.discard:
        changes["discard"] = leave_out(side.discard, [card])
    elif card in side.pile:
        changes["known"] = max(0, side.known - (side.pile.index(card) < side.known))
        changes["pile"] = leave_out(side.pile, [card])
    else:
        changes["station"] = tuple(one for one in side.station if one.id != card)
    return with_side(state, owner, **changes), {}


def _cards_returned(state: State, event: CardsReturned | StationLeft) -> Changes:
    """Move cards from anywhere outside play to their owner's hand or onto their owner's draw pile."""
    changes: Changes = {}
    for card in event.cards:
        sides, more = take(state, card)
        side = sides[owner_of(card)]
        if event.to == "hand":
            side = replace(side, hand=(*side.hand, card))
        else:
            side = replace(side, pile=(card, *side.pile), known=side.known + 1)
        sides = (side, sides[1]) if owner_of(card) == 0 else (sides[0], side)
        state = replace(state, sides=sides, **more)
        changes |= more
    return {**changes, "sides": state.sides}


def _station_added(state: State, event: StationAdded) -> Changes:
    """Turn a card from hand, limbo or play into a face-down station card."""
    card, seat = event.card, event.seat
    if any(p.id == card for p in state.pieces):
        changes: Changes = {"pieces": tuple(p for p in state.pieces if p.id != card)}
        sides = state.sides
    else:
        sides, changes = take(state, card)
    side = sides[seat]
    station = (*side.station, StationCard(event.slot, card, event.row))
    new = replace(side, station=station, slots=side.slots + 1, managed=side.managed or event.managed)
    changes["sides"] = (new, sides[1]) if seat == 0 else (sides[0], new)
    return changes


def _station(state: State, seat: int, slots: Sequence[str], **changes: Any) -> tuple[StationCard, ...]:
    return tuple(replace(card, **changes) if card.slot in slots else card for card in state.sides[seat].station)


def _station_moved(state: State, event: StationMoved) -> Changes:
    seat = event.seat
    managed = state.sides[seat].managed or event.managed
    return {"sides": with_side(state, seat, station=_station(state, seat, event.slots, row=event.row), managed=managed)}


def _station_flipped(state: State, event: StationFlipped) -> Changes:
    seat = event.seat
    return {"sides": with_side(state, seat, station=_station(state, seat, event.slots, flipped=True, item=event.item))}


def _station_unflipped(state: State, event: StationUnflipped) -> Changes:
    seat = event.seat
    return {"sides": with_side(state, seat, station=_station(state, seat, event.slots, flipped=False, item=0))}


ZONES: Handlers = {
    PileOrdered: _pile_ordered,
    CardsDrawn: _cards_drawn,
    CardsMilled: _cards_milled,
    CardsDiscarded: _cards_discarded,
    CardsReturned: _cards_returned,
    CardPlayed: _card_played,
    CardResolved: card_resolved,
    Looked: nothing,
    StationAdded: _station_added,
    StationMoved: _station_moved,
    StationFlipped: _station_flipped,
    StationUnflipped: _station_unflipped,
    StationLeft: _cards_returned,
}
