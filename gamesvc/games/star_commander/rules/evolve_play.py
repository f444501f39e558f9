"""Events of the stack, combat, trade between players, standing orders, elimination and the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gamesvc.games.kernel.game import Data
from gamesvc.games.star_commander.rules.changes import answered, discarded, remove, with_cell, with_seat, without
from gamesvc.games.star_commander.state import (
    Assigned,
    Auto,
    Combat,
    Item,
    Offer,
    Orders,
    Prompt,
    Result,
    Side,
    State,
    Window,
)


def item_added(state: State, data: Data) -> State:
    item, seats, combat = Item(**data["item"]), state.seats, state.combat
    if item.uid is not None:
        seats = with_seat(state, item.seat, hand=without(state.seats[item.seat].hand, item.uid))
    if combat is not None:
        used = (*combat.used, item.source) if data.get("once") else combat.used
        combat = replace(combat, used=used, passed=(), staying=())
    return replace(
        state,
        seats=seats,
        stack=(*state.stack, item),
        items_made=item.id,
        window=Window(data["window"], data["priority"]),
        combat=combat,
    )


def priority_passed(state: State, data: Data) -> State:
    window = state.window
    if window is None:
        return state
    if data.get("rest"):
        state = replace(state, resting=(*state.resting, *data["seats"]))
    if data.get("early"):
        window = replace(window, asked=tuple(seat for seat in window.asked if seat not in data["seats"]))
        if "play" in data:
            [seat] = data["seats"]
            return replace(state, window=replace(window, ready={**window.ready, seat: data["play"]}))
        return replace(state, window=replace(window, early=(*window.early, *data["seats"])))
    if data["closed"]:
        return replace(state, window=None)
    return replace(state, window=replace(window, passed=(*window.passed, *data["seats"])))


def stack_item_resolved(state: State, data: Data) -> State:
    return replace(state, stack=tuple(item for item in state.stack if item.id != data["item"]))


def stack_item_fizzled(state: State, data: Data) -> State:
    state = stack_item_resolved(state, data)
    if data["returned"] is None:
        return state
    seat = state.seats[data["seat"]]
    hand, purse = (*seat.hand, data["returned"]), seat.credits + data["refund"]
    return replace(state, seats=with_seat(state, data["seat"], hand=hand, credits=purse))


def stack_item_cancelled(state: State, data: Data) -> State:
    stack = tuple(replace(item, cancelled=True) if item.id == data["item"] else item for item in state.stack)
    return replace(state, stack=stack)


# --- combat ---


def combat_opened(state: State, data: Data) -> State:
    combat = Combat(data["cell"], tuple(data["participants"]))
    return replace(state, combat=combat, fought=(*state.fought, data["cell"]))


def damage_assigned(state: State, data: Data) -> State:
    combat = state.combat
    if combat is not None:
        others = tuple(seat for seat in combat.passed if seat != data["seat"])
        still = tuple(seat for seat in combat.staying if seat != data["seat"])
        combat = replace(
            combat,
            passed=(*others, data["seat"]) if data.get("passes") else others,
            staying=(*still, data["seat"]) if data.get("stays") else still,
        )
    if combat is None or not data["shots"]:
        return replace(state, combat=combat)
    shots = tuple(Assigned(one["vessel"], data["seat"], one["target"], one["amount"], one["attack"]) for one in data["shots"])
    combat = replace(combat, assigned=combat.assigned + shots)
    return replace(state, combat=combat, cells=with_cell(state, data["cell"], last_combat=data["turn"]))


def damage_redirected(state: State, data: Data) -> State:
    if state.combat is None:
        return state
    assigned = tuple(
        replace(one, target=data["to"], redirected=True) if one.target == data["from_vessel"] and not one.redirected else one
        for one in state.combat.assigned
    )
    return replace(state, combat=replace(state.combat, assigned=assigned))


def unchanged(state: State, data: Data) -> State:
    """Return the state unchanged, for events that only carry information."""
    return state


def combat_closed(state: State, data: Data) -> State:
    return replace(state, combat=None)


# --- trade between players ---


def read_side(data: Mapping[str, Any]) -> Side:
    return Side(
        credits=data["credits"],
        hand=tuple(data["hand"]),
        cards=data["cards"],
        technologies=tuple(data["technologies"]),
        vessels=tuple(data["vessels"]),
        systems=tuple(data["systems"]),
    )


def trade_offered(state: State, data: Data) -> State:
    give, want = read_side(data["give"]), read_side(data["want"])
    offer = Offer(data["offer"], data["seat"], data["to"], give, want, data.get("note", ""))
    return replace(state, offers=(*state.offers, offer), offers_made=offer.id)


def trade_closed(state: State, data: Data) -> State:
    return replace(state, offers=tuple(offer for offer in state.offers if offer.id != data["offer"]))


def trade_completed(state: State, data: Data) -> State:
    state = trade_closed(state, data)
    for own, other in (("maker", "taker"), ("taker", "maker")):
        one, two = data[own], data[other]
        seat = state.seats[one["seat"]]
        hand = (*without(seat.hand, *one["hand"]), *two["hand"])
        row = (*without(seat.technologies, *one["technologies"]), *two["technologies"])
        state = replace(state, seats=with_seat(state, one["seat"], credits=one["purse"], hand=hand, technologies=row))
    return state


def trades_lapsed(state: State, data: Data) -> State:
    return replace(state, offers=())


# --- standing orders, elimination, the end ---


def read_orders(data: Mapping[str, Any]) -> Orders:
    autos = tuple(Auto(one["play"], tuple(one["on"]), one["by"], one["only_concerned"]) for one in data["auto"])
    fields = {**data, "always_ask": tuple(data["always_ask"]), "draw": tuple(data["draw"]), "auto": autos}
    return Orders(**{**fields, "combat": dict(data["combat"])})


def standing_orders_set(state: State, data: Data) -> State:
    """Store standing orders. They also end the seat's pass for the rest of the turn."""
    resting = tuple(seat for seat in state.resting if seat != data["seat"])
    return replace(state, seats=with_seat(state, data["seat"], orders=read_orders(data["orders"])), resting=resting)


def player_eliminated(state: State, data: Data) -> State:
    seat = data["seat"]
    state = remove(state, dict(data["vessels"]))
    cells = dict(state.cells)
    for cell in data["cells"]:
        cells[cell] = replace(cells[cell], controller=None, devs=0)
    stack = tuple(item for item in state.stack if item.id not in data["stack"])
    state = _asked_anew(state, seat)
    window = state.window
    together = state.out and set(state.out[-1]) & set(data["with_seats"])
    out = (*state.out[:-1], (*state.out[-1], seat)) if together else (*state.out, (seat,))
    ends_turn = data["cause"] == "resigned" and seat == state.active
    closes = ends_turn or (not stack and state.window is not None and state.window.name == "stack")
    return replace(
        state,
        seats=with_seat(state, seat, alive=False, credits=0, hand=(), technologies=(), orders=Orders()),
        cells=cells,
        discards=discarded(state, [(uid, domain) for uid, domain, _ in data["cards"]]),
        modifiers=tuple(modifier for modifier in state.modifiers if modifier.until_seat != seat),
        stack=() if ends_turn else stack,
        window=None if closes else window,
        combat=None if ends_turn else state.combat,
        prompt=answered(state) if ends_turn or seat == state.prompt.seat else state.prompt,
        offers=tuple(offer for offer in state.offers if seat not in (offer.maker, offer.to)),
        extra=tuple(queued for queued in state.extra if queued != seat),
        out=out,
    )


def _asked_anew(state: State, gone: int) -> State:
    """Drop the sealed answers of a window: the targets of a prepared play may be gone.

    All of them are dropped, including passes and passes for the rest of the turn. Otherwise the seats asked again would reveal
    who had prepared a play.
    """
    window = state.window
    if window is None or not window.question:
        return state
    resting = tuple(seat for seat in state.resting if seat not in window.early)
    asked = tuple(seat for seat in window.asked if seat != gone)
    return replace(state, resting=resting, window=replace(window, asked=asked, early=(), ready={}))


def game_ended(state: State, data: Data) -> State:
    result = Result(data["reason"], tuple(tuple(group) for group in data["ranking"]), tuple(data["scores"]))
    return replace(
        state,
        result=result,
        prompt=Prompt("over", -1, state.prompt.number + 1),
        work=[],
        window=None,
        offers=(),
    )
