"""Applying events. One small function per event; nothing is looked up that a rules change could move."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from gamesvc.games.kernel import Data, Event
from gamesvc.games.star_commander.state import (
    Assigned,
    Auto,
    Cell,
    Combat,
    Item,
    Modifier,
    Offer,
    Orders,
    Prompt,
    Result,
    Seat,
    Side,
    State,
    Vessel,
    Window,
)


def evolve(state: State | None, event: Event) -> State:
    if state is None:
        return _set_up(event.data)
    return HANDLERS[event.type](state, event.data)


def _set_up(data: Data) -> State:
    cells = {
        name: Cell(card, home is not None, home, 1 if home is not None else 0, () if home is None else (home,), 0, home)
        for name, card, home in data["cells"]
    }
    vessels = {at: Vessel(at, card, seat, cell) for at, card, seat, cell in data["vessels"]}
    return State(
        edition=data["edition"],
        grid=data["grid"],
        trade=data["trade"],
        lethal=data["lethal"],
        turn_limit=data["turn_limit"],
        faces=dict(data["faces"]),
        uids=len(data["faces"]),
        decks={domain: tuple(deck) for domain, deck in data["decks"].items()},
        discards=dict.fromkeys(data["decks"], ()),
        undealt=tuple(data["undealt"]),
        supply=dict(data["supply"]),
        cells=cells,
        seats=tuple(Seat(credits) for credits in data["credits"]),
        vessels=vessels,
        vessels_made=len(vessels),
        active=data["first"],
        resume=data["first"],
    )


def _seat(state: State, at: int, **changes: Any) -> tuple[Seat, ...]:
    return tuple(replace(seat, **changes) if index == at else seat for index, seat in enumerate(state.seats))


def _cell(state: State, at: str, **changes: Any) -> dict[str, Cell]:
    return {**state.cells, at: replace(state.cells[at], **changes)}


def _vessels(state: State, at: Iterable[str], **changes: Any) -> dict[str, Vessel]:
    vessels = dict(state.vessels)
    for one in at:
        vessels[one] = replace(vessels[one], **changes)
    return vessels


def _without(items: tuple[str, ...], *gone: str) -> tuple[str, ...]:
    return tuple(item for item in items if item not in gone)


def _discarded(state: State, cards: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """The discard piles with (uid, domain) on top."""
    discards = dict(state.discards)
    for uid, domain in cards:
        discards[domain] = (*discards[domain], uid)
    return discards


# --- turn and phases ---


def turn_started(state: State, data: Data) -> State:
    vessels = {at: replace(v, jumps=0, moved=False) if v.jumps or v.moved else v for at, v in state.vessels.items()}
    return replace(
        state,
        vessels=vessels,
        active=data["seat"],
        turn=data["turn"],
        phase="ready",
        extra=tuple(data["queue"]),
        resume=state.resume if data["extra"] else data["seat"],
        abandoned={cell: tuple(ids) for cell, ids in data["abandoned"].items()},
        fought=(),
        work=[],
    )


def phase_entered(state: State, data: Data) -> State:
    if data["window"] is None:
        return replace(state, phase=data["phase"])
    combat = replace(state.combat, step=data["window"]) if state.combat else None
    return replace(state, combat=combat, window=Window(data["window"], data["priority"]))


def turn_ended(state: State, data: Data) -> State:
    seat = state.seats[data["seat"]]
    return replace(
        state, seats=_seat(state, data["seat"], last_turn=data["turn"], turns_taken=seat.turns_taken + 1), abandoned={}
    )


def choice_requested(state: State, data: Data) -> State:
    return replace(state, prompt=Prompt(data["prompt"], data["seat"], data["number"], data["what"]), work=data["work"])


def unchanged(state: State, data: Data) -> State:
    return state


def extra_turn_queued(state: State, data: Data) -> State:
    return replace(state, extra=(*state.extra, data["seat"]))


# --- credits and cards ---


def credits_changed(state: State, data: Data) -> State:
    return replace(state, seats=_seat(state, data["seat"], credits=data["credits"]))


def card_drawn(state: State, data: Data) -> State:
    seat, domain, uid = data["seat"], data["domain"], data["uid"]
    decks = {**state.decks, domain: _without(state.decks[domain], uid)}
    return replace(state, decks=decks, seats=_seat(state, seat, hand=(*state.seats[seat].hand, uid)))


def card_discarded(state: State, data: Data) -> State:
    seat, domain, uid = data["seat"], data["domain"], data["uid"]
    discards = _discarded(state, [(uid, domain)])
    if data["source"] == "deck":
        return replace(state, discards=discards, decks={**state.decks, domain: _without(state.decks[domain], uid)})
    if data["source"] == "stack":
        return replace(state, discards=discards)
    return replace(state, discards=discards, seats=_seat(state, seat, hand=_without(state.seats[seat].hand, uid)))


def deck_reshuffled(state: State, data: Data) -> State:
    domain = data["domain"]
    faces = {uid: card for uid, card in state.faces.items() if uid not in data["gone"]}
    faces.update((uid, card) for uid, card in data["deck"])
    return replace(
        state,
        faces=faces,
        uids=state.uids + len(data["deck"]),
        decks={**state.decks, domain: tuple(uid for uid, _ in data["deck"])},
        discards={**state.discards, domain: ()},
    )


def card_taken(state: State, data: Data) -> State:
    uid = data["uid"]
    seats = _seat(state, data["victim"], hand=_without(state.seats[data["victim"]].hand, uid))
    state = replace(state, seats=seats)
    return replace(state, seats=_seat(state, data["seat"], hand=(*state.seats[data["seat"]].hand, uid)))


def technology_placed(state: State, data: Data) -> State:
    row = (*state.seats[data["seat"]].technologies, data["uid"])
    return replace(state, seats=_seat(state, data["seat"], technologies=row))


# --- systems and vessels ---


def ships_jumped(state: State, data: Data) -> State:
    vessels = dict(state.vessels)
    for at in data["ships"]:
        vessels[at] = replace(vessels[at], cell=data["to"], jumps=vessels[at].jumps + 1, moved=True)
    for at in data["carried"]:
        vessels[at] = replace(vessels[at], cell=data["to"], moved=True)
    modifiers = state.modifiers
    if data["marks"]:
        modifiers = tuple(modifier for modifier in modifiers if modifier.id not in data["marks"])
    return replace(state, vessels=vessels, modifiers=modifiers)


def ship_moved(state: State, data: Data) -> State:
    return replace(state, vessels=_vessels(state, [data["ship"]], cell=data["to"], moved=True))


def system_explored(state: State, data: Data) -> State:
    return replace(state, cells=_cell(state, data["cell"], explored=True))


def vessel_built(state: State, data: Data) -> State:
    card, turn = data["card"], data["turn"]
    vessel = Vessel(data["vessel"], card, data["seat"], data["cell"], data["uid"], since=turn, built=turn)
    supply = state.supply if data["uid"] else {**state.supply, card: state.supply[card] - 1}
    return replace(state, vessels={**state.vessels, vessel.id: vessel}, vessels_made=state.vessels_made + 1, supply=supply)


def _remove(state: State, gone: Mapping[str, str]) -> State:
    """Take vessels (id -> domain) off the board: to the supply, or to their domain's discard."""
    supply, discards = dict(state.supply), dict(state.discards)
    for at, domain in gone.items():
        vessel = state.vessels[at]
        if vessel.uid is None:
            supply[vessel.card] += 1
        else:
            discards[domain] = (*discards[domain], vessel.uid)
    return replace(
        state,
        vessels={at: vessel for at, vessel in state.vessels.items() if at not in gone},
        modifiers=tuple(modifier for modifier in state.modifiers if modifier.vessel not in gone),
        supply=supply,
        discards=discards,
    )


def vessel_destroyed(state: State, data: Data) -> State:
    return _remove(state, {vessel["id"]: vessel["domain"] for vessel in data["vessels"]})


def vessel_scrapped(state: State, data: Data) -> State:
    return _remove(state, {data["vessel"]: data["domain"]})


def vessel_control_changed(state: State, data: Data) -> State:
    changed = [vessel["id"] for vessel in data["vessels"]]
    return replace(state, vessels=_vessels(state, changed, controller=data["seat"], since=data["turn"], built=0))


def development_placed(state: State, data: Data) -> State:
    cell = state.cells[data["cell"]]
    developed = (*cell.first_developed_by, data["seat"]) if data["first"] else cell.first_developed_by
    return replace(state, cells=_cell(state, data["cell"], devs=data["devs"], first_developed_by=developed))


def developments_removed(state: State, data: Data) -> State:
    return replace(state, cells=_cell(state, data["cell"], devs=data["devs"]))


def control_changed(state: State, data: Data) -> State:
    return replace(state, cells=_cell(state, data["cell"], controller=data["seat"], devs=data["devs"]))


# --- modifiers and damage ---


def modifier_added(state: State, data: Data) -> State:
    added = tuple(Modifier(**one) for one in data["modifiers"])
    return replace(state, modifiers=state.modifiers + added, modifiers_made=added[-1].id)


def modifiers_expired(state: State, data: Data) -> State:
    gone = set(data["modifiers"])
    return replace(state, modifiers=tuple(modifier for modifier in state.modifiers if modifier.id not in gone))


def damage_dealt(state: State, data: Data) -> State:
    vessels = dict(state.vessels)
    for at, total in data["damage"].items():
        vessels[at] = replace(vessels[at], damage=total)
    return replace(state, vessels=vessels)


def damage_cleared(state: State, data: Data) -> State:
    return replace(state, vessels=_vessels(state, data["vessels"], damage=0))


# --- the stack ---


def item_added(state: State, data: Data) -> State:
    item, seats, combat = Item(**data["item"]), state.seats, state.combat
    if item.uid is not None:
        seats = _seat(state, item.seat, hand=_without(state.seats[item.seat].hand, item.uid))
    if combat is not None and data.get("once"):
        combat = replace(combat, used=(*combat.used, item.source))
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
    if data.get("early"):
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
    return replace(state, seats=_seat(state, data["seat"], hand=hand, credits=purse))


def stack_item_cancelled(state: State, data: Data) -> State:
    stack = tuple(replace(item, cancelled=True) if item.id == data["item"] else item for item in state.stack)
    return replace(state, stack=stack)


# --- combat ---


def combat_opened(state: State, data: Data) -> State:
    combat = Combat(data["cell"], tuple(data["participants"]))
    return replace(state, combat=combat, fought=(*state.fought, data["cell"]))


def damage_assigned(state: State, data: Data) -> State:
    if state.combat is None or not data["shots"]:
        return state
    shots = tuple(Assigned(one["vessel"], data["seat"], one["target"], one["amount"], one["attack"]) for one in data["shots"])
    combat = replace(state.combat, assigned=state.combat.assigned + shots)
    return replace(state, combat=combat, cells=_cell(state, data["cell"], last_combat=data["turn"]))


def damage_redirected(state: State, data: Data) -> State:
    if state.combat is None:
        return state
    assigned = tuple(
        replace(one, target=data["to"], redirected=True) if one.target == data["from_vessel"] and not one.redirected else one
        for one in state.combat.assigned
    )
    return replace(state, combat=replace(state.combat, assigned=assigned))


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
    offer = Offer(data["offer"], data["seat"], data["to"], read_side(data["give"]), read_side(data["want"]))
    return replace(state, offers=(*state.offers, offer), offers_made=offer.id)


def trade_closed(state: State, data: Data) -> State:
    return replace(state, offers=tuple(offer for offer in state.offers if offer.id != data["offer"]))


def trade_completed(state: State, data: Data) -> State:
    state = trade_closed(state, data)
    for own, other in (("maker", "taker"), ("taker", "maker")):
        one, two = data[own], data[other]
        seat = state.seats[one["seat"]]
        hand = (*_without(seat.hand, *one["hand"]), *two["hand"])
        row = (*_without(seat.technologies, *one["technologies"]), *two["technologies"])
        state = replace(state, seats=_seat(state, one["seat"], credits=one["purse"], hand=hand, technologies=row))
    return state


def trades_lapsed(state: State, data: Data) -> State:
    return replace(state, offers=())


# --- standing orders, elimination, the end ---


def read_orders(data: Mapping[str, Any]) -> Orders:
    autos = tuple(Auto(one["play"], tuple(one["on"]), one["by"], one["only_concerned"]) for one in data["auto"])
    fields = {**data, "always_ask": tuple(data["always_ask"]), "draw": tuple(data["draw"]), "auto": autos}
    return Orders(**{**fields, "combat": dict(data["combat"])})


def standing_orders_set(state: State, data: Data) -> State:
    return replace(state, seats=_seat(state, data["seat"], orders=read_orders(data["orders"])))


def player_eliminated(state: State, data: Data) -> State:
    seat = data["seat"]
    state = _remove(state, dict(data["vessels"]))
    cells = dict(state.cells)
    for cell in data["cells"]:
        cells[cell] = replace(cells[cell], controller=None, devs=0)
    stack = tuple(item for item in state.stack if item.id not in data["stack"])
    together = state.out and set(state.out[-1]) & set(data["with_seats"])
    out = (*state.out[:-1], (*state.out[-1], seat)) if together else (*state.out, (seat,))
    ends_turn = data["cause"] == "resigned" and seat == state.active
    closes = ends_turn or (not stack and state.window is not None and state.window.name == "stack")
    return replace(
        state,
        seats=_seat(state, seat, alive=False, credits=0, hand=(), technologies=(), orders=Orders()),
        cells=cells,
        discards=_discarded(state, [(uid, domain) for uid, domain, _ in data["cards"]]),
        modifiers=tuple(modifier for modifier in state.modifiers if modifier.until_seat != seat),
        stack=() if ends_turn else stack,
        window=None if closes else state.window,
        combat=None if ends_turn else state.combat,
        offers=tuple(offer for offer in state.offers if seat not in (offer.maker, offer.to)),
        extra=tuple(queued for queued in state.extra if queued != seat),
        out=out,
    )


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


HANDLERS: Mapping[str, Callable[[State, Data], State]] = {
    "turn_started": turn_started,
    "phase_entered": phase_entered,
    "turn_ended": turn_ended,
    "choice_requested": choice_requested,
    "choice_made": unchanged,
    "extra_turn_queued": extra_turn_queued,
    "credits_gained": credits_changed,
    "credits_spent": credits_changed,
    "card_drawn": card_drawn,
    "draw_skipped": unchanged,
    "card_discarded": card_discarded,
    "deck_reshuffled": deck_reshuffled,
    "hand_shown": unchanged,
    "card_taken": card_taken,
    "technology_placed": technology_placed,
    "ships_jumped": ships_jumped,
    "ship_moved": ship_moved,
    "system_explored": system_explored,
    "vessel_built": vessel_built,
    "vessel_destroyed": vessel_destroyed,
    "vessel_scrapped": vessel_scrapped,
    "vessel_control_changed": vessel_control_changed,
    "development_placed": development_placed,
    "developments_removed": developments_removed,
    "control_changed": control_changed,
    "modifier_added": modifier_added,
    "modifiers_expired": modifiers_expired,
    "damage_dealt": damage_dealt,
    "damage_cleared": damage_cleared,
    "card_played": item_added,
    "ability_activated": item_added,
    "action_declared": item_added,
    "priority_passed": priority_passed,
    "stack_item_resolved": stack_item_resolved,
    "stack_item_fizzled": stack_item_fizzled,
    "stack_item_cancelled": stack_item_cancelled,
    "combat_opened": combat_opened,
    "damage_assigned": damage_assigned,
    "damage_redirected": damage_redirected,
    "combat_closed": combat_closed,
    "trade_offered": trade_offered,
    "trade_completed": trade_completed,
    "trade_declined": trade_closed,
    "trade_withdrawn": trade_closed,
    "trades_lapsed": trades_lapsed,
    "standing_orders_set": standing_orders_set,
    "player_eliminated": player_eliminated,
    "game_ended": game_ended,
}
