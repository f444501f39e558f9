"""Systems and vessels, lasting effects and damage."""

from __future__ import annotations

from gamesvc.games.kernel.frozen import replace
from gamesvc.games.star_commander.events import board
from gamesvc.games.star_commander.rules.evolving.changes import Handlers, remove, with_cell, with_vessels
from gamesvc.games.star_commander.state import Modifier, State, Vessel

# --- systems and vessels ---


def ships_jumped(state: State, event: board.ShipsJumped) -> State:
    vessels = dict(state.vessels)
    for at in event.ships:
        vessels[at] = replace(vessels[at], cell=event.to, jumps=vessels[at].jumps + 1, moved=True)
    for at in event.carried:
        vessels[at] = replace(vessels[at], cell=event.to, moved=True)
    modifiers = state.modifiers
    if event.marks:
        modifiers = tuple(modifier for modifier in modifiers if modifier.id not in event.marks)
    return replace(state, vessels=vessels, modifiers=modifiers)


def ship_moved(state: State, event: board.ShipMoved) -> State:
    return replace(state, vessels=with_vessels(state, [event.ship], cell=event.to, moved=True))


def system_explored(state: State, event: board.SystemExplored) -> State:
    return replace(state, cells=with_cell(state, event.cell, explored=True))


def vessel_built(state: State, event: board.VesselBuilt) -> State:
    card, turn = event.card, event.turn
    vessel = Vessel(event.vessel, card, event.seat, event.cell, event.uid, since=turn, built=turn)
    supply = state.supply if event.uid else {**state.supply, card: state.supply[card] - 1}
    return replace(state, vessels={**state.vessels, vessel.id: vessel}, vessels_made=state.vessels_made + 1, supply=supply)


def vessel_destroyed(state: State, event: board.VesselDestroyed) -> State:
    return remove(state, {vessel["id"]: vessel["domain"] for vessel in event.vessels})


def vessel_scrapped(state: State, event: board.VesselScrapped) -> State:
    return remove(state, {event.vessel: event.domain})


def vessel_control_changed(state: State, event: board.VesselControlChanged) -> State:
    changed = [vessel["id"] for vessel in event.vessels]
    return replace(state, vessels=with_vessels(state, changed, controller=event.seat, since=event.turn, built=0))


def development_placed(state: State, event: board.DevelopmentPlaced) -> State:
    cell = state.cells[event.cell]
    developed = (*cell.first_developed_by, event.seat) if event.first else cell.first_developed_by
    return replace(state, cells=with_cell(state, event.cell, devs=event.devs, first_developed_by=developed))


def developments_removed(state: State, event: board.DevelopmentsRemoved) -> State:
    return replace(state, cells=with_cell(state, event.cell, devs=event.devs))


def control_changed(state: State, event: board.ControlChanged) -> State:
    return replace(state, cells=with_cell(state, event.cell, controller=event.seat, devs=event.devs))


# --- modifiers and damage ---


def modifier_added(state: State, event: board.ModifierAdded) -> State:
    added = tuple(Modifier(**one) for one in event.modifiers)
    return replace(state, modifiers=state.modifiers + added, modifiers_made=added[-1].id)


def modifiers_expired(state: State, event: board.ModifiersExpired) -> State:
    gone = set(event.modifiers)
    return replace(state, modifiers=tuple(modifier for modifier in state.modifiers if modifier.id not in gone))


def damage_dealt(state: State, event: board.DamageDealt) -> State:
    vessels = dict(state.vessels)
    for at, total in event.damage.items():
        vessels[at] = replace(vessels[at], damage=total)
    return replace(state, vessels=vessels)


def damage_cleared(state: State, event: board.DamageCleared) -> State:
    return replace(state, vessels=with_vessels(state, event.vessels, damage=0))


HANDLERS: Handlers = {
    board.SystemExplored: system_explored,
    board.DevelopmentPlaced: development_placed,
    board.DevelopmentsRemoved: developments_removed,
    board.ControlChanged: control_changed,
    board.ShipsJumped: ships_jumped,
    board.ShipMoved: ship_moved,
    board.VesselBuilt: vessel_built,
    board.VesselDestroyed: vessel_destroyed,
    board.VesselScrapped: vessel_scrapped,
    board.VesselControlChanged: vessel_control_changed,
    board.ModifierAdded: modifier_added,
    board.ModifiersExpired: modifiers_expired,
    board.DamageDealt: damage_dealt,
    board.DamageCleared: damage_cleared,
}
