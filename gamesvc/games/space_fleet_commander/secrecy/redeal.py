"""Redealing what a seat of a race cannot see: other sheets behind their public columns, and the unused stream."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gamesvc.games.kernel.dice import Dice
from gamesvc.games.kernel.game import Refused
from gamesvc.games.space_fleet_commander.data import ROSTER
from gamesvc.games.space_fleet_commander.rules import fleet, missions
from gamesvc.games.space_fleet_commander.rules.rolls import numbered
from gamesvc.games.space_fleet_commander.state import ASKING, Sheet, State, pool
from gamesvc.language import say

TRIES = 60
NODES = 8_000
"""Steps of the search for paths in one deal, for all sheets together: less than a tenth of a second."""
NODES_AT_ONCE = 400
"""Steps after which a search starts from the first hex again."""


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
    """Deal also how far others are: their paths, how they finished, and which dice of the race they have seen.

    Raises `Refused` (`no_deal`) if no path is found that scores another seat's stars; only public facts decide that.
    """
    if redealt.mode != "race" or redealt.over:
        return redealt, marked
    own = redealt.sheets[seat] if 0 <= seat < len(redealt.sheets) else None
    search = _Search(redealt, dice)
    sheets = tuple(sheet if at == seat else _unknown(search, sheet) for at, sheet in enumerate(redealt.sheets))
    seen = (own.seen or {}) if own else {}
    stream = {cell: values for cell, values in (redealt.stream or {}).items() if cell in seen}
    return replace(redealt, sheets=sheets, stream=stream or None, hits=redealt.hits[: own.rolls if own else 0]), marked


def _unknown(search: _Search, sheet: Sheet) -> Sheet:
    """Return another seat's sheet with any path, any end, and a flagship of the printed hull."""
    if sheet.phase == "fleet":
        return sheet
    flags = tuple(replace(ship, hull=ROSTER.flag.hull) if ship.die < 0 else ship for ship in sheet.ships)
    sheet = search.path(replace(sheet, ships=flags))
    if not sheet.finished:
        return sheet
    state, dice = search.state, search.dice
    ends = [*(["time"] if sheet.time >= state.board.time_boxes else []), "stuck", "cornered", "destroyed", "resigned"]
    return replace(sheet, reason=ends[dice.choose(len(ends))])


class _Search:
    """A search for paths that score known stars, limited for all sheets of a deal together."""

    def __init__(self, state: State, dice: Dice) -> None:
        self.state = state
        self.dice = dice
        self.left = NODES

    def path(self, sheet: Sheet) -> Sheet:
        """Return the sheet with a random path that scores its stars. Raises `Refused` (`no_deal`)."""
        stars = {
            place: missions.worth(self.state, sheet, place)
            for place in self.state.board.neighbours
            if place != self.state.board.start
        }
        dear_first = False
        while self.left > 0:
            if path := self._found(sheet, stars, dear_first=dear_first):
                scored = tuple(stars[place] for place in path[1:])
                return replace(sheet, token=path[-1], path=tuple(path), scored=scored, stars=sum(scored))
            dear_first = not dear_first  # every other time the dearest hexes first: high scores need nearly all of them
        raise Refused("no_deal", say("Another fleet has scored so many stars that no other way to score them is found."))

    def _found(self, sheet: Sheet, stars: Mapping[str, int], *, dear_first: bool) -> list[str]:
        """Return a path with the stars of the sheet; empty if none is found within a number of steps. A depth-first search."""
        near, total = self.state.board.neighbours, 0
        path, ways = [self.state.board.start], [self._ways(self.state.board.start, stars, dear_first=dear_first)]
        for _ in range(min(NODES_AT_ONCE, self.left)):
            self.left -= 1
            if total == sheet.stars and (sheet.finished or any(place not in path for place in near[path[-1]])):
                return path
            fitting = next((w for w in iter(ways[-1].pop, "") if w not in path and total + stars[w] <= sheet.stars), "")
            if fitting:
                path.append(fitting)
                total += stars[fitting]
                ways.append(self._ways(fitting, stars, dear_first=dear_first))
            elif len(path) == 1:
                return []
            else:
                total -= stars[path.pop()]
                ways.pop()
        return []

    def _ways(self, place: str, stars: Mapping[str, int], *, dear_first: bool) -> list[str]:
        """Return the next hexes, the last one first, above an empty text."""
        ways = list(self.dice.shuffle(self.state.board.neighbours[place]))
        return ["", *(sorted(ways, key=lambda way: stars.get(way, 0)) if dear_first else ways)]


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
    blank = _walk(state, _fleet(state, blank, dice), dice)
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


def _walk(state: State, sheet: Sheet, dice: Dice) -> Sheet:
    """Return the sheet with a random path that scores the known stars. If none is found soon, the true one stays.

    Recorded deals repeat this: `scatter` looks better and never keeps the true path.
    """
    for _ in range(TRIES):
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
