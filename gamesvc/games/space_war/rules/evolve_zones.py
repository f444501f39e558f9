"""Events of piles, hands, discard piles and stations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from gamesvc.games.space_war.state import Piece, Side, State, StationCard, owner_of

Changes = dict[str, Any]


def with_side(state: State, seat: int, **changes: Any) -> tuple[Side, Side]:
    a, b = state.sides
    return (replace(a, **changes), b) if seat == 0 else (a, replace(b, **changes))


def leave_out(items: tuple[str, ...], gone: list[str]) -> tuple[str, ...]:
    return tuple(item for item in items if item not in gone)


def _pile_ordered(state: State, data: Mapping[str, Any]) -> Changes:
    changes: Changes = {"sides": with_side(state, data["seat"], pile=tuple(data["order"]), known=data.get("known", 0))}
    if "cards" in data:
        changes["cards"] = {**state.cards, **data["cards"]}
    return changes


def _cards_drawn(state: State, data: Mapping[str, Any]) -> Changes:
    side = state.sides[data["seat"]]
    n = len(data["cards"])
    hand, known = (*side.hand, *data["cards"]), max(0, side.known - n)
    return {"sides": with_side(state, data["seat"], pile=side.pile[n:], hand=hand, known=known)}


def _card_played(state: State, data: Mapping[str, Any]) -> Changes:
    side = state.sides[data["seat"]]
    card = data["card"]
    return {
        "sides": with_side(
            state,
            data["seat"],
            hand=leave_out(side.hand, [card]),
            station=tuple(one for one in side.station if one.id != card),
            actions=side.actions - data["cost"],
            plays=side.plays + 1,
        ),
        "limbo": (*state.limbo, card),
    }


def _card_resolved(state: State, data: Mapping[str, Any]) -> Changes:
    """Move a resolved event card, or a countered card, from limbo to its owner's discard pile."""
    card = data["card"]
    if card not in state.limbo:
        return {}
    owner = owner_of(card)
    return {
        "limbo": leave_out(state.limbo, [card]),
        "sides": with_side(state, owner, discard=(*state.sides[owner].discard, card)),
    }


def _take(state: State, card: str) -> tuple[tuple[Side, Side], Changes]:
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


def _entered_play(state: State, data: Mapping[str, Any]) -> Changes:
    piece = data["piece"]
    sides, changes = _take(state, piece["id"])
    made = Piece(**piece)
    return {**changes, "sides": sides, "pieces": (*state.pieces, made), "next_order": made.order + 1}


def _left_play(state: State, data: Mapping[str, Any]) -> Changes:
    """Remove cards from play. Each goes to the zone `to` of its owner."""
    sides = list(state.sides)
    for card in data["cards"]:
        side = sides[owner_of(card)]
        if data["to"] == "hand":
            sides[owner_of(card)] = replace(side, hand=(*side.hand, card))
        else:
            sides[owner_of(card)] = replace(side, discard=(*side.discard, card))
    gone = set(data["cards"])
    return {"pieces": tuple(p for p in state.pieces if p.id not in gone), "sides": tuple(sides)}


def _hidden(state: State, data: Mapping[str, Any]) -> Changes:
    """Turn a card from hand, limbo or play into a face-down station card."""
    card, seat = data["card"], data["seat"]
    if any(p.id == card for p in state.pieces):
        changes: Changes = {"pieces": tuple(p for p in state.pieces if p.id != card)}
        sides = state.sides
    else:
        sides, changes = _take(state, card)
    side = sides[seat]
    station = (*side.station, StationCard(data["slot"], card, data["row"]))
    new = replace(side, station=station, slots=side.slots + 1, managed=side.managed or data.get("managed", False))
    changes["sides"] = (new, sides[1]) if seat == 0 else (sides[0], new)
    return changes


def _station(state: State, seat: int, slots: list[str], **changes: Any) -> tuple[StationCard, ...]:
    return tuple(replace(card, **changes) if card.slot in slots else card for card in state.sides[seat].station)


def _station_moved(state: State, data: Mapping[str, Any]) -> Changes:
    seat = data["seat"]
    managed = state.sides[seat].managed or data["managed"]
    return {"sides": with_side(state, seat, station=_station(state, seat, data["slots"], row=data["row"]), managed=managed)}


def _station_flipped(state: State, data: Mapping[str, Any]) -> Changes:
    seat = data["seat"]
    return {"sides": with_side(state, seat, station=_station(state, seat, data["slots"], flipped=True, item=data["item"]))}


def _station_unflipped(state: State, data: Mapping[str, Any]) -> Changes:
    seat = data["seat"]
    return {"sides": with_side(state, seat, station=_station(state, seat, data["slots"], flipped=False, item=0))}


def _cards_discarded(state: State, data: Mapping[str, Any]) -> Changes:
    side, cards = state.sides[data["seat"]], list(data["cards"])
    return {
        "sides": with_side(
            state,
            data["seat"],
            hand=leave_out(side.hand, cards),
            station=tuple(card for card in side.station if card.id not in cards),
            discard=(*side.discard, *cards),
        )
    }


def _cards_milled(state: State, data: Mapping[str, Any]) -> Changes:
    side, cards = state.sides[data["seat"]], list(data["cards"])
    return {
        "sides": with_side(
            state,
            data["seat"],
            pile=side.pile[len(cards) :],
            known=max(0, side.known - len(cards)),
            discard=(*side.discard, *cards),
        )
    }


def _cards_returned(state: State, data: Mapping[str, Any]) -> Changes:
    """Move cards from anywhere outside play to their owner's hand or onto their owner's draw pile."""
    changes: Changes = {}
    for card in data["cards"]:
        sides, more = _take(state, card)
        side = sides[owner_of(card)]
        if data["to"] == "hand":
            side = replace(side, hand=(*side.hand, card))
        else:
            side = replace(side, pile=(card, *side.pile), known=side.known + 1)
        sides = (side, sides[1]) if owner_of(card) == 0 else (sides[0], side)
        state = replace(state, sides=sides, **more)
        changes |= more
    return {**changes, "sides": state.sides}


ZONES: dict[str, Callable[[State, Mapping[str, Any]], Changes]] = {
    "pile_ordered": _pile_ordered,
    "cards_drawn": _cards_drawn,
    "card_played": _card_played,
    "card_resolved": _card_resolved,
    "card_countered": _card_resolved,
    "entered_play": _entered_play,
    "put_into_play": _entered_play,
    "left_play": _left_play,
    "station_added": _hidden,
    "station_moved": _station_moved,
    "station_flipped": _station_flipped,
    "station_unflipped": _station_unflipped,
    "cards_discarded": _cards_discarded,
    "cards_milled": _cards_milled,
    "cards_returned": _cards_returned,
    "station_left": _cards_returned,
}
