"""Events to states, one small function per event. Nothing is looked up that a rules change could alter."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from gamesvc.games.kernel.game import Data, Event
from gamesvc.games.star_commander.rules import evolve_play
from gamesvc.games.star_commander.rules.changes import answered, discarded, remove, with_cell, with_seat, with_vessels, without
from gamesvc.games.star_commander.state import Cell, Modifier, Prompt, Seat, State, Vessel, Window


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
        resting=(),
        work=[],
    )


def phase_entered(state: State, data: Data) -> State:
    if data["window"] is None:
        return replace(state, phase=data["phase"])
    combat = replace(state.combat, step=data["window"]) if state.combat else None
    return replace(state, combat=combat, window=Window(data["window"], data["priority"], early=tuple(data.get("passed", ()))))


def turn_ended(state: State, data: Data) -> State:
    seat = state.seats[data["seat"]]
    return replace(
        state, seats=with_seat(state, data["seat"], last_turn=data["turn"], turns_taken=seat.turns_taken + 1), abandoned={}
    )


def choice_requested(state: State, data: Data) -> State:
    prompt = Prompt(data["prompt"], data["seat"], data["number"], data["what"])
    window, asked = state.window, tuple(data.get("asked", ()))
    if window is not None:
        window = replace(window, asked=asked, question=window.question or (data["number"] if asked else 0))
    return replace(state, prompt=prompt, work=data["work"], window=window)


def choice_made(state: State, data: Data) -> State:
    return replace(state, prompt=answered(state))


def unchanged(state: State, data: Data) -> State:
    return state


def extra_turn_queued(state: State, data: Data) -> State:
    return replace(state, extra=(*state.extra, data["seat"]))


# --- credits and cards ---


def credits_changed(state: State, data: Data) -> State:
    return replace(state, seats=with_seat(state, data["seat"], credits=data["credits"]))


def card_drawn(state: State, data: Data) -> State:
    seat, domain, uid = data["seat"], data["domain"], data["uid"]
    decks = {**state.decks, domain: without(state.decks[domain], uid)}
    return replace(state, decks=decks, seats=with_seat(state, seat, hand=(*state.seats[seat].hand, uid)))


def card_discarded(state: State, data: Data) -> State:
    seat, domain, uid = data["seat"], data["domain"], data["uid"]
    discards = discarded(state, [(uid, domain)])
    if data["source"] == "deck":
        return replace(state, discards=discards, decks={**state.decks, domain: without(state.decks[domain], uid)})
    if data["source"] == "stack":
        return replace(state, discards=discards)
    return replace(state, discards=discards, seats=with_seat(state, seat, hand=without(state.seats[seat].hand, uid)))


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
    seats = with_seat(state, data["victim"], hand=without(state.seats[data["victim"]].hand, uid))
    state = replace(state, seats=seats)
    return replace(state, seats=with_seat(state, data["seat"], hand=(*state.seats[data["seat"]].hand, uid)))


def technology_placed(state: State, data: Data) -> State:
    row = (*state.seats[data["seat"]].technologies, data["uid"])
    return replace(state, seats=with_seat(state, data["seat"], technologies=row))


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
    return replace(state, vessels=with_vessels(state, [data["ship"]], cell=data["to"], moved=True))


def system_explored(state: State, data: Data) -> State:
    return replace(state, cells=with_cell(state, data["cell"], explored=True))


def vessel_built(state: State, data: Data) -> State:
    card, turn = data["card"], data["turn"]
    vessel = Vessel(data["vessel"], card, data["seat"], data["cell"], data["uid"], since=turn, built=turn)
    supply = state.supply if data["uid"] else {**state.supply, card: state.supply[card] - 1}
    return replace(state, vessels={**state.vessels, vessel.id: vessel}, vessels_made=state.vessels_made + 1, supply=supply)


def vessel_destroyed(state: State, data: Data) -> State:
    return remove(state, {vessel["id"]: vessel["domain"] for vessel in data["vessels"]})


def vessel_scrapped(state: State, data: Data) -> State:
    return remove(state, {data["vessel"]: data["domain"]})


def vessel_control_changed(state: State, data: Data) -> State:
    changed = [vessel["id"] for vessel in data["vessels"]]
    return replace(state, vessels=with_vessels(state, changed, controller=data["seat"], since=data["turn"], built=0))


def development_placed(state: State, data: Data) -> State:
    cell = state.cells[data["cell"]]
    developed = (*cell.first_developed_by, data["seat"]) if data["first"] else cell.first_developed_by
    return replace(state, cells=with_cell(state, data["cell"], devs=data["devs"], first_developed_by=developed))


def developments_removed(state: State, data: Data) -> State:
    return replace(state, cells=with_cell(state, data["cell"], devs=data["devs"]))


def control_changed(state: State, data: Data) -> State:
    return replace(state, cells=with_cell(state, data["cell"], controller=data["seat"], devs=data["devs"]))


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
    return replace(state, vessels=with_vessels(state, data["vessels"], damage=0))


HANDLERS: Mapping[str, Callable[[State, Data], State]] = {
    "turn_started": turn_started,
    "phase_entered": phase_entered,
    "turn_ended": turn_ended,
    "choice_requested": choice_requested,
    "choice_made": choice_made,
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
    "card_played": evolve_play.item_added,
    "ability_activated": evolve_play.item_added,
    "action_declared": evolve_play.item_added,
    "priority_passed": evolve_play.priority_passed,
    "stack_item_resolved": evolve_play.stack_item_resolved,
    "stack_item_fizzled": evolve_play.stack_item_fizzled,
    "stack_item_cancelled": evolve_play.stack_item_cancelled,
    "combat_opened": evolve_play.combat_opened,
    "damage_assigned": evolve_play.damage_assigned,
    "damage_redirected": evolve_play.damage_redirected,
    "combat_closed": evolve_play.combat_closed,
    "retreat_declined": evolve_play.unchanged,
    "trade_offered": evolve_play.trade_offered,
    "trade_completed": evolve_play.trade_completed,
    "trade_declined": evolve_play.trade_closed,
    "trade_withdrawn": evolve_play.trade_closed,
    "trades_lapsed": evolve_play.trades_lapsed,
    "standing_orders_set": evolve_play.standing_orders_set,
    "player_eliminated": evolve_play.player_eliminated,
    "game_ended": evolve_play.game_ended,
}
