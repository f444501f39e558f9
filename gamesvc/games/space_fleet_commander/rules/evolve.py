"""Events to states. Every number comes from the event; only ids and the order of the roster are known here."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from gamesvc.games.kernel.frozen import replace
from gamesvc.games.kernel.game import Event
from gamesvc.games.kernel.typed import TypedEvent
from gamesvc.games.space_fleet_commander.data import ORDER
from gamesvc.games.space_fleet_commander.events import KINDS, damage, opening, turns
from gamesvc.games.space_fleet_commander.events.base import PhaseEvent, Pool, SheetEvent
from gamesvc.games.space_fleet_commander.state import Cell, Die, Face, Hit, Repair, Sheet, State, Vessel, by_roster

E = TypeVar("E", bound=SheetEvent)
Stream = dict[Cell, tuple[Face, ...]]


def evolve(state: State | None, event: Event) -> State:
    """Apply one event. Raises KeyError for a type that no version of this game ever wrote."""
    kind = KINDS[event.type]
    return HANDLERS[kind](state, kind.of(event.data))


def on_sheet(apply: Callable[[Sheet, E], Sheet]) -> Callable[[State, E], State]:
    """Let a function that changes one sheet change the sheet of the event's seat."""

    @functools.wraps(apply)
    def on_state(state: State, event: E) -> State:
        before = state.sheets[event.seat]
        after = apply(before, event)
        return state if after is before else _with_sheet(state, event.seat, after, state.stream)

    return on_state


def _with_sheet(state: State, seat: int, sheet: Sheet, stream: Stream | None) -> State:
    """Return the state with another sheet of a seat and another stream. By position, as almost every event needs it."""
    sheets = (*state.sheets[:seat], sheet, *state.sheets[seat + 1 :])
    return State(state.mode, state.map, state.planetfall, state.lockstep, sheets, state.formation, stream, state.hits, state.over)


# --- the match ---


def game_created(state: State | None, event: opening.GameCreated) -> State:
    flag = event.flag
    vessel = Vessel(flag["slot"], flag["ship"], flag["hull"], tuple(flag["dice"]))
    sheet = Sheet(event.start, (event.start,), (vessel,))
    return State(event.mode, event.map, event.planetfall, event.lockstep, (sheet,) * event.seats)


def fleet_dice_rolled(state: State, event: opening.FleetDiceRolled) -> State:
    return replace(state, formation=tuple(event.dice))


def stream_dealt(state: State, event: turns.StreamDealt) -> State:
    """Store a part of the shared stream, whether new or repeated."""
    if event.hit is not None:
        a, b = event.values
        return state if event.hit < len(state.hits) else replace(state, hits=(*state.hits, (a, b)))
    assert event.cell is not None
    assert event.used is not None
    sheet = state.sheets[event.seat]
    sheet = replace(sheet, seen={**(sheet.seen or {}), event.cell: tuple(event.used)})
    return _with_sheet(state, event.seat, sheet, {**(state.stream or {}), event.cell: tuple(event.values)})


def game_over(state: State, event: turns.GameOver) -> State:
    return replace(state, over=True)


# --- formation ---


@on_sheet
def ship_placed(sheet: Sheet, event: opening.ShipPlaced) -> Sheet:
    vessel = Vessel(event.slot, event.ship, event.hull, tuple(event.dice), event.die)
    return replace(sheet, ships=by_roster([*sheet.ships, vessel]))


@on_sheet
def ship_removed(sheet: Sheet, event: opening.ShipRemoved) -> Sheet:
    ships = tuple(vessel for vessel in sheet.ships if vessel.slot not in event.slots)
    return replace(sheet, ships=ships, upgrades=dict(event.upgrades) or None)


@on_sheet
def upgrade_set(sheet: Sheet, event: opening.UpgradeSet) -> Sheet:
    upgrades = {slot: target for slot, target in (sheet.upgrades or {}).items() if slot != event.slot}
    if event.target is not None:
        upgrades[event.slot] = event.target
    return replace(sheet, upgrades=dict(sorted(upgrades.items(), key=lambda item: ORDER[item[0]])) or None)


@on_sheet
def fleet_confirmed(sheet: Sheet, event: opening.FleetConfirmed) -> Sheet:
    return replace(sheet, dice=_fresh(event.pool), phase="resolve")


def _fresh(dice: Pool) -> tuple[Die, ...]:
    return tuple(Die(name, name.rpartition(".")[0], colour) for name, colour in dice)


# --- dice ---


@on_sheet
def turn_started(sheet: Sheet, event: turns.TurnStarted) -> Sheet:
    return replace(sheet, turn=event.turn, attempt=0, dice=_fresh(event.dice), phase="resolve", used=())


@on_sheet
def dice_rolled(sheet: Sheet, event: turns.DiceRolled) -> Sheet:
    values, index = event.dice, event.index
    dice = tuple(
        Die(die.id, die.slot, die.colour, values[die.id], "live", index[die.id]) if die.id in values else die
        for die in sheet.dice
    )
    return replace(sheet, attempt=event.attempt, dice=dice, phase=event.phase, used=())


@on_sheet
def dice_rerolled(sheet: Sheet, event: turns.DiceRerolled) -> Sheet:
    values = event.dice
    dice = tuple(
        Die(die.id, die.slot, die.colour, values[die.id], die.status, die.index) if die.id in values else die
        for die in sheet.dice
    )
    return replace(sheet, dice=dice, phase=event.phase)


@on_sheet
def die_adjusted(sheet: Sheet, event: turns.DieAdjusted) -> Sheet:
    return replace(sheet, dice=tuple(replace(die, value=event.value) if die.id == event.die else die for die in sheet.dice))


@on_sheet
def die_removed(sheet: Sheet, event: turns.DieRemoved) -> Sheet:
    return replace(sheet, dice=tuple(replace(die, status="removed") if die.id == event.die else die for die in sheet.dice))


@on_sheet
def die_set_aside(sheet: Sheet, event: turns.DieSetAside) -> Sheet:
    dice = tuple(replace(die, status="aside") if die.id == event.die else die for die in sheet.dice)
    return replace(sheet, dice=dice, phase="resolve")


@on_sheet
def phase_begun(sheet: Sheet, event: PhaseEvent) -> Sheet:
    """Apply an event that changes nothing but the phase."""
    return sheet if sheet.phase == event.phase else replace(sheet, phase=event.phase)


@on_sheet
def unchanged(sheet: Sheet, event: SheetEvent) -> Sheet:
    """Apply an event that only tells what has happened."""
    return sheet


# --- tracks and ships ---


@on_sheet
def sabotage_marked(sheet: Sheet, event: damage.SabotageMarked) -> Sheet:
    return replace(sheet, sabotage=event.cell)


@on_sheet
def time_marked(sheet: Sheet, event: damage.TimeMarked) -> Sheet:
    return replace(sheet, time=event.box)


@on_sheet
def hit_rolled(sheet: Sheet, event: damage.HitRolled) -> Sheet:
    hit = Hit(event.source, event.a, event.b, event.plot) if event.phase == "hit" else None
    return replace(sheet, phase=event.phase, hit=hit, todo=tuple(event.todo), rolls=sheet.rolls + 1)


@on_sheet
def hospital_used(sheet: Sheet, event: damage.HospitalUsed) -> Sheet:
    return replace(sheet, used=(*sheet.used, event.slot), hit=None, phase="resolve")


@on_sheet
def hit_redirected(sheet: Sheet, event: damage.HitRedirected) -> Sheet:
    return replace(sheet, hit=None, phase="resolve")


@on_sheet
def ship_damaged(sheet: Sheet, event: damage.ShipDamaged) -> Sheet:
    ships = tuple(replace(ship, damage=event.damage) if ship.slot == event.slot else ship for ship in sheet.ships)
    return replace(sheet, ships=ships, hit=None, todo=(), phase=event.phase)


@on_sheet
def ship_destroyed(sheet: Sheet, event: damage.ShipDestroyed) -> Sheet:
    lost, colours = event.dice_lost, event.colours
    dice = tuple(replace(die, colour=colours[die.id]) if die.id in colours else die for die in sheet.dice if die.id not in lost)
    return replace(sheet, dice=dice)


@on_sheet
def hex_explored(sheet: Sheet, event: turns.HexExplored) -> Sheet:
    return replace(
        sheet,
        token=event.hex,
        path=(*sheet.path, event.hex),
        stars=event.total,
        scored=(*sheet.scored, event.stars),
        phase="resolve",
    )


@on_sheet
def repair_due(sheet: Sheet, event: turns.RepairDue) -> Sheet:
    repair = Repair(event.tender, tuple(event.candidates))
    return replace(sheet, repair=repair, todo=tuple(event.todo), phase=event.phase)


@on_sheet
def hull_added(sheet: Sheet, event: turns.HullAdded) -> Sheet:
    ships = tuple(replace(ship, hull=event.hull) if ship.slot == event.slot else ship for ship in sheet.ships)
    return replace(sheet, ships=ships, repair=None, todo=(), phase=event.phase)


@on_sheet
def sheet_finished(sheet: Sheet, event: turns.SheetFinished) -> Sheet:
    return replace(sheet, phase="finished", reason=event.reason, hit=None, repair=None, todo=())


HANDLERS: Mapping[type[TypedEvent], Callable[[Any, Any], State]] = {
    opening.GameCreated: game_created,
    opening.FleetDiceRolled: fleet_dice_rolled,
    turns.StreamDealt: stream_dealt,
    turns.GameOver: game_over,
    opening.ShipPlaced: ship_placed,
    opening.ShipRemoved: ship_removed,
    opening.UpgradeSet: upgrade_set,
    opening.FleetConfirmed: fleet_confirmed,
    turns.TurnStarted: turn_started,
    turns.DiceRolled: dice_rolled,
    turns.DiceRerolled: dice_rerolled,
    turns.DiceKept: phase_begun,
    turns.DieAdjusted: die_adjusted,
    turns.DieRemoved: die_removed,
    turns.OnesCounted: phase_begun,
    turns.TargetsFound: phase_begun,
    turns.ExplorationFailed: unchanged,
    turns.HexExplored: hex_explored,
    turns.RankGained: unchanged,
    turns.HullAdded: hull_added,
    turns.RepairDue: repair_due,
    turns.PushOffered: phase_begun,
    turns.DieSetAside: die_set_aside,
    turns.TurnEnded: phase_begun,
    turns.TurnAwaited: phase_begun,
    damage.SabotageMarked: sabotage_marked,
    damage.TimeMarked: time_marked,
    damage.TimeIgnored: unchanged,
    damage.HitRolled: hit_rolled,
    damage.HitMissed: unchanged,
    damage.HospitalUsed: hospital_used,
    damage.HitRedirected: hit_redirected,
    damage.ShipDamaged: ship_damaged,
    damage.ShipDestroyed: ship_destroyed,
    turns.SheetFinished: sheet_finished,
}
"""Only `GameCreated` finds no state."""
