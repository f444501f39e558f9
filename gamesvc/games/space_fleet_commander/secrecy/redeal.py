"""Redealing what a seat of a race cannot see: other sheets behind their public columns, and the unused stream."""

from __future__ import annotations

from dataclasses import replace

from gamesvc.games.kernel.dice import Dice
from gamesvc.games.space_fleet_commander.data import ROSTER
from gamesvc.games.space_fleet_commander.rules import fleet, missions
from gamesvc.games.space_fleet_commander.rules.rolls import numbered
from gamesvc.games.space_fleet_commander.state import ASKING, Sheet, State, pool

TRIES = 60
MORE_TRIES = 3_000


def redeal(state: State, seat: int, dice: Dice) -> State:
    """Return a state with the same view for `seat`. Nothing is hidden in solo games or after the end of a race."""
    if state.mode != "race" or state.over:
        return state
    own = state.sheets[seat] if 0 <= seat < len(state.sheets) else None
    sheets = tuple(sheet if at == seat else _other(state, sheet, dice) for at, sheet in enumerate(state.sheets))
    seen = (own.seen or {}) if own else {}
    stream = {cell: _cell(values, seen.get(cell, ()), dice) for cell, values in (state.stream or {}).items()}
    known = own.rolls if own else 0
    hits = tuple(pair if at < known else (dice.roll(6), dice.roll(6)) for at, pair in enumerate(state.hits))
    return replace(state, sheets=sheets, stream=stream or None, hits=hits)


def scatter(redealt: State, marked: dict[int, State], seat: int, dice: Dice) -> tuple[State, dict[int, State]]:
    """Deal also how far others are: their paths, how they finished, and which dice of the race they have seen."""
    if redealt.mode != "race" or redealt.over:
        return redealt, marked
    own = redealt.sheets[seat] if 0 <= seat < len(redealt.sheets) else None
    sheets = tuple(sheet if at == seat else _unknown(redealt, sheet, dice) for at, sheet in enumerate(redealt.sheets))
    seen = (own.seen or {}) if own else {}
    stream = {cell: values for cell, values in (redealt.stream or {}).items() if cell in seen}
    return replace(redealt, sheets=sheets, stream=stream or None, hits=redealt.hits[: own.rolls if own else 0]), marked


def _unknown(state: State, sheet: Sheet, dice: Dice) -> Sheet:
    """Return another seat's sheet, looking longer for a path than a redeal does, which gives up soon and leaves the true one."""
    if sheet.phase == "fleet":
        return sheet
    flags = tuple(replace(ship, hull=ROSTER.flag.hull) if ship.die < 0 else ship for ship in sheet.ships)
    sheet = _walk(state, replace(sheet, ships=flags), dice, MORE_TRIES)
    if not sheet.finished or sheet.reason == "resigned":
        return sheet
    ends = [*(["time"] if sheet.time >= state.board.time_boxes else []), "stuck", "cornered", "destroyed"]
    return replace(sheet, reason=ends[dice.choose(len(ends))])


def _cell(values: tuple[int, ...], seen: tuple[int, ...], dice: Dice) -> tuple[int, ...]:
    return tuple(value if at in seen else dice.roll(6) for at, value in enumerate(values))


def _other(state: State, sheet: Sheet, dice: Dice) -> Sheet:
    """Return another seat's sheet with only its public facts kept.

    Public are stars, time boxes and whether it is finished; by its clock also the turn and whether it acts.
    """
    blank = replace(
        sheet,
        ships=tuple(vessel for vessel in sheet.ships if vessel.die < 0),
        upgrades=None,
        dice=(),
        attempt=0,
        used=(),
        hit=None,
        repair=None,
        todo=(),
        rolls=0,
        seen=None,
    )
    blank = replace(blank, ships=tuple(replace(vessel, damage=0, hull=max(1, vessel.hull)) for vessel in blank.ships))
    if sheet.phase == "fleet":
        return blank
    blank = _walk(state, _fleet(state, blank, dice), dice, TRIES)
    blank = replace(blank, sabotage=dice.choose(len(state.board.sabotage) + 1))
    fresh = tuple(pool(blank.ships, None))
    if sheet.finished:
        return replace(blank, dice=fresh if sheet.turn else ())
    if sheet.phase in ASKING:
        rolled = tuple(replace(die, value=dice.roll(6)) for die in numbered(fresh))
        return replace(blank, dice=rolled, phase="reroll_1", attempt=1)
    return replace(blank, dice=fresh)


def _fleet(state: State, sheet: Sheet, dice: Dice) -> Sheet:
    """Return the sheet with a random maximal fleet."""
    while choices := fleet.placeable(state, sheet):
        sheet = fleet.put(sheet, *choices[dice.choose(len(choices))])
    return sheet


def _walk(state: State, sheet: Sheet, dice: Dice, tries: int) -> Sheet:
    """Return the sheet with a random path that scores the known stars. If none is found soon, the true one stays."""
    for _ in range(tries):
        moving = replace(sheet, token=state.board.start, path=(state.board.start,), scored=(), stars=0)
        while moving.stars < sheet.stars:
            ways = missions.open_hexes(state, moving)
            fitting = [way for way in ways if moving.stars + missions.worth(state, moving, way) <= sheet.stars]
            if not fitting:
                break
            way = fitting[dice.choose(len(fitting))]
            stars = missions.worth(state, moving, way)
            moving = replace(
                moving, token=way, path=(*moving.path, way), scored=(*moving.scored, stars), stars=moving.stars + stars
            )
        if moving.stars == sheet.stars and (sheet.finished or missions.open_hexes(state, moving)):
            return moving
    return sheet
