"""Events to states. Every number comes from the event; only ids and the order of the roster are known here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from gamesvc.games.kernel.game import Event
from gamesvc.games.space_fleet_commander.data import ORDER
from gamesvc.games.space_fleet_commander.state import Die, Hit, Repair, Sheet, State, Vessel, by_roster

Facts = Mapping[str, Any]


def evolve(state: State | None, event: Event) -> State:
    """Apply one event."""
    data = event.data
    if event.type == "game_created":
        return _create(data)
    assert state is not None
    if (apply := _SHEET.get(event.type)) is not None:
        seat = data["seat"]
        sheets = state.sheets
        return _with_sheets(state, (*sheets[:seat], apply(sheets[seat], data), *sheets[seat + 1 :]))
    return _MATCH[event.type](state, data)


def _with_sheets(state: State, sheets: tuple[Sheet, ...]) -> State:
    return State(
        state.mode,
        state.map,
        state.planetfall,
        state.lockstep,
        sheets,
        state.formation,
        state.stream,
        state.hits,
        state.over,
    )


def _create(data: Facts) -> State:
    flag = data["flag"]
    vessel = Vessel(flag["slot"], flag["ship"], flag["hull"], tuple(flag["dice"]))
    sheet = Sheet(data["start"], (data["start"],), (vessel,))
    return State(data["mode"], data["map"], data["planetfall"], data["lockstep"], (sheet,) * data["seats"])


def _deal(state: State, data: Facts) -> State:
    """Store a cell of the shared stream, whether new or repeated."""
    seat = data["seat"]
    values = data["values"]
    if "hit" in data:
        return state if data["hit"] < len(state.hits) else replace(state, hits=(*state.hits, (values[0], values[1])))
    cell = data["cell"]
    sheet = state.sheets[seat]
    sheet = replace(sheet, seen={**(sheet.seen or {}), cell: tuple(data["used"])})
    sheets = (*state.sheets[:seat], sheet, *state.sheets[seat + 1 :])
    return replace(state, sheets=sheets, stream={**(state.stream or {}), cell: tuple(values)})


# --- formation ---


def _place(sheet: Sheet, data: Facts) -> Sheet:
    vessel = Vessel(data["slot"], data["ship"], data["hull"], tuple(data["dice"]), data["die"])
    return replace(sheet, ships=by_roster([*sheet.ships, vessel]))


def _remove(sheet: Sheet, data: Facts) -> Sheet:
    gone = set(data["slots"])
    return replace(
        sheet, ships=tuple(vessel for vessel in sheet.ships if vessel.slot not in gone), upgrades=dict(data["upgrades"]) or None
    )


def _upgrade(sheet: Sheet, data: Facts) -> Sheet:
    upgrades = {slot: target for slot, target in (sheet.upgrades or {}).items() if slot != data["slot"]}
    if data["target"] is not None:
        upgrades[data["slot"]] = data["target"]
    return replace(sheet, upgrades=dict(sorted(upgrades.items(), key=lambda item: ORDER[item[0]])) or None)


def _fresh(dice: Any) -> tuple[Die, ...]:
    return tuple(Die(name, name.rpartition(".")[0], colour) for name, colour in dice)


def _confirm(sheet: Sheet, data: Facts) -> Sheet:
    return replace(sheet, dice=_fresh(data["pool"]), phase="resolve")


# --- dice ---


def _start_turn(sheet: Sheet, data: Facts) -> Sheet:
    return replace(sheet, turn=data["turn"], attempt=0, dice=_fresh(data["dice"]), phase="resolve", used=())


def _roll(sheet: Sheet, data: Facts) -> Sheet:
    values, index = data["dice"], data["index"]
    dice = tuple(
        Die(die.id, die.slot, die.colour, values[die.id], "live", index[die.id]) if die.id in values else die
        for die in sheet.dice
    )
    return replace(sheet, attempt=data["attempt"], dice=dice, phase=data["phase"], used=())


def _reroll(sheet: Sheet, data: Facts) -> Sheet:
    values = data["dice"]
    dice = tuple(
        Die(die.id, die.slot, die.colour, values[die.id], die.status, die.index) if die.id in values else die
        for die in sheet.dice
    )
    return replace(sheet, dice=dice, phase=data["phase"])


def _adjust(sheet: Sheet, data: Facts) -> Sheet:
    return replace(sheet, dice=tuple(replace(d, value=data["value"]) if d.id == data["die"] else d for d in sheet.dice))


def _take_out(sheet: Sheet, data: Facts) -> Sheet:
    return replace(sheet, dice=tuple(replace(d, status="removed") if d.id == data["die"] else d for d in sheet.dice))


def _set_aside(sheet: Sheet, data: Facts) -> Sheet:
    dice = tuple(replace(d, status="aside") if d.id == data["die"] else d for d in sheet.dice)
    return replace(sheet, dice=dice, phase="resolve")


def _phase(sheet: Sheet, data: Facts) -> Sheet:
    return replace(sheet, phase=data["phase"])


def _nothing(sheet: Sheet, data: Facts) -> Sheet:
    return sheet


# --- tracks and ships ---


def _sabotage(sheet: Sheet, data: Facts) -> Sheet:
    return replace(sheet, sabotage=data["cell"])


def _mark_time(sheet: Sheet, data: Facts) -> Sheet:
    return replace(sheet, time=data["box"])


def _hit(sheet: Sheet, data: Facts) -> Sheet:
    hit = Hit(data["source"], data["a"], data["b"], data["plot"]) if data["phase"] == "hit" else None
    return replace(sheet, phase=data["phase"], hit=hit, todo=tuple(data["todo"]), rolls=sheet.rolls + 1)


def _use_hospital(sheet: Sheet, data: Facts) -> Sheet:
    return replace(sheet, used=(*sheet.used, data["slot"]), hit=None, phase="resolve")


def _redirect(sheet: Sheet, data: Facts) -> Sheet:
    return replace(sheet, hit=None, phase="resolve")


def _damage(sheet: Sheet, data: Facts) -> Sheet:
    ships = tuple(replace(v, damage=data["damage"]) if v.slot == data["slot"] else v for v in sheet.ships)
    return replace(sheet, ships=ships, hit=None, todo=(), phase=data["phase"])


def _destroy(sheet: Sheet, data: Facts) -> Sheet:
    lost, colours = set(data["dice_lost"]), data["colours"]
    dice = tuple(replace(die, colour=colours[die.id]) if die.id in colours else die for die in sheet.dice if die.id not in lost)
    return replace(sheet, dice=dice)


def _explore(sheet: Sheet, data: Facts) -> Sheet:
    return replace(
        sheet,
        token=data["hex"],
        path=(*sheet.path, data["hex"]),
        stars=data["total"],
        scored=(*sheet.scored, data["stars"]),
        phase="resolve",
    )


def _repair_due(sheet: Sheet, data: Facts) -> Sheet:
    repair = Repair(data["tender"], tuple(data["candidates"]))
    return replace(sheet, repair=repair, todo=tuple(data["todo"]), phase=data["phase"])


def _add_hull(sheet: Sheet, data: Facts) -> Sheet:
    ships = tuple(replace(v, hull=data["hull"]) if v.slot == data["slot"] else v for v in sheet.ships)
    return replace(sheet, ships=ships, repair=None, todo=(), phase=data["phase"])


def _finish(sheet: Sheet, data: Facts) -> Sheet:
    return replace(sheet, phase="finished", reason=data["reason"], hit=None, repair=None, todo=())


_SHEET: dict[str, Callable[[Sheet, Facts], Sheet]] = {
    "ship_placed": _place,
    "ship_removed": _remove,
    "upgrade_set": _upgrade,
    "fleet_confirmed": _confirm,
    "turn_started": _start_turn,
    "dice_rolled": _roll,
    "dice_rerolled": _reroll,
    "dice_kept": _phase,
    "die_adjusted": _adjust,
    "die_removed": _take_out,
    "ones_counted": _phase,
    "targets_found": _phase,
    "exploration_failed": _nothing,
    "hex_explored": _explore,
    "rank_gained": _nothing,
    "hull_added": _add_hull,
    "repair_due": _repair_due,
    "push_offered": _phase,
    "die_set_aside": _set_aside,
    "turn_ended": _phase,
    "turn_awaited": _phase,
    "sabotage_marked": _sabotage,
    "time_marked": _mark_time,
    "time_ignored": _nothing,
    "hit_rolled": _hit,
    "hit_missed": _nothing,
    "hospital_used": _use_hospital,
    "hit_redirected": _redirect,
    "ship_damaged": _damage,
    "ship_destroyed": _destroy,
    "sheet_finished": _finish,
}

_MATCH: dict[str, Callable[[State, Facts], State]] = {
    "fleet_dice_rolled": lambda state, data: replace(state, formation=tuple(data["dice"])),
    "stream_dealt": _deal,
    "game_over": lambda state, data: replace(state, over=True),
}
