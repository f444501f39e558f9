"""Missions: tests of the usable dice, and what Destroyers can change (RULES.md 1, 5).

A histogram is the number of dice that show 2, 3, 4, 5 and 6. All results depend on it and the requirement alone, so they are
cached.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from gamesvc.games.space_fleet_commander.data import PLANETFALL, Kind, Requirement
from gamesvc.games.space_fleet_commander.state import Die, Sheet, State, able, usable
from gamesvc.json_types import JsonObject

Histogram = tuple[int, int, int, int, int]
STRICT = Requirement("every", values=(3,))


def histogram(dice: Sequence[Die]) -> Histogram:
    counts = [0, 0, 0, 0, 0, 0, 0]
    for die in dice:
        counts[die.value] += 1
    return (counts[2], counts[3], counts[4], counts[5], counts[6])


def requirement(kind: Kind, planetfall: str) -> Requirement:
    """Return the requirement of a kind. The option `planetfall = "strict"` replaces that of Planetfall (RULES.md 12.22)."""
    return STRICT if planetfall == "strict" and kind.id == PLANETFALL else kind.requirement


def min_dice(kind: Kind, planetfall: str) -> int:
    return 1 if planetfall == "strict" and kind.id == PLANETFALL else kind.min_dice


@lru_cache(maxsize=200_000)
def met(need: Requirement, counts: Histogram) -> bool:
    """Return True if usable dice with these counts meet a requirement. Extra dice never hurt, except for "every"."""
    if need.type == "sum_at_least":
        return sum(value * count for value, count in enumerate(counts, 2)) >= need.n
    if need.type == "groups":
        # Groups need different values (RULES.md 12.23): the largest counts must cover the largest sizes.
        return all(count >= size for count, size in zip(sorted(counts, reverse=True), sorted(need.sizes, reverse=True)))
    if need.type == "count_of":
        return sum(counts[value - 2] for value in need.values) >= need.n
    if need.type == "contains_each":
        return all(counts[value - 2] for value in need.values)
    inside = sum(counts[value - 2] for value in need.values)
    return inside > 0 and inside == sum(counts)


def _shift(counts: Histogram, value: int, delta: int) -> Histogram:
    moved = list(counts)
    moved[value - 2] -= 1
    moved[value + delta - 2] += 1
    return (moved[0], moved[1], moved[2], moved[3], moved[4])


@lru_cache(maxsize=200_000)
def steps_to(need: Requirement, counts: Histogram, most: int) -> int | None:
    """Return the least number of Destroyers' steps (each ±1 within 2..6) that meet the requirement; None if more than `most`."""
    if met(need, counts):
        return 0
    if most == 0:
        return None
    best: int | None = None
    for value in range(2, 7):
        if counts[value - 2]:
            for delta in (-1, 1):
                if 2 <= value + delta <= 6:
                    further = steps_to(need, _shift(counts, value, delta), (most if best is None else best - 1) - 1)
                    if further is not None:
                        best = further + 1
                        if best == 1:
                            return 1
    return best


def adjustments(need: Requirement, dice: Sequence[Die], ships: Sequence[str]) -> list[list[JsonObject]]:
    """Return every shortest list of adjustments that meets the requirement, dice in pool order, -1 before +1.

    Returns [] if there is none, and `[[]]` if no adjustment is needed: the rules forbid longer lists than necessary.
    """
    steps = steps_to(need, histogram(dice), len(ships))
    if steps is None:
        return []
    found: list[list[JsonObject]] = []

    def search(values: list[int], counts: Histogram, chosen: list[JsonObject], left: int) -> None:
        if left == 0:
            found.append(chosen)
            return
        for at, die in enumerate(dice):
            for delta in (-1, 1):
                value = values[at]
                if 2 <= value + delta <= 6:
                    after = _shift(counts, value, delta)
                    if steps_to(need, after, left - 1) == left - 1:
                        step = {"ship": ships[len(chosen)], "die": die.id, "delta": delta}
                        search([*values[:at], value + delta, *values[at + 1 :]], after, [*chosen, step], left - 1)

    search([die.value for die in dice], histogram(dice), [], steps)
    return found


@dataclass(frozen=True, slots=True)
class Target:
    """A hex that can be explored, with every accepted list of adjustments, the preferred one first."""

    hex: str
    adjust: list[list[JsonObject]]


def open_hexes(state: State, sheet: Sheet) -> list[str]:
    """Return the adjacent unexplored hexes in id order."""
    return [place for place in state.board.neighbours[sheet.token] if place not in sheet.path]


def targets(state: State, sheet: Sheet) -> list[Target]:
    """Return the hexes that the dice of this attempt can explore, Destroyers included (RULES.md 12.9), in id order."""
    dice = usable(sheet)
    counts = histogram(dice)
    destroyers = able(sheet, "battle_adjust")
    found = []
    for place in open_hexes(state, sheet):
        kind = state.board.kind(place)
        need = requirement(kind, state.planetfall)
        if met(need, counts):
            found.append(Target(place, [[]]))
        elif kind.combat and destroyers and (lists := adjustments(need, dice, destroyers)):
            found.append(Target(place, lists))
    return found


def any_target(state: State, sheet: Sheet) -> list[str]:
    """Return the ids of `targets` only, which is fast enough to check after every roll."""
    counts = histogram(usable(sheet))
    destroyers = len(able(sheet, "battle_adjust"))
    board = state.board
    return [
        place
        for place in open_hexes(state, sheet)
        if steps_to(requirement(board.kind(place), state.planetfall), counts, destroyers if board.kind(place).combat else 0)
        is not None
    ]


def worth(state: State, sheet: Sheet, place: str) -> int:
    """Return the stars of a hex for this fleet: +2 per live Colony Ship on Planetfall."""
    kind = state.board.kind(place)
    return kind.stars + (2 * len(able(sheet, "planetfall_bonus")) if kind.id == PLANETFALL else 0)


def stars_of(state: State, sheet: Sheet, place: str) -> int:
    """Return the stars scored by exploring a hex now. In classic, the total never exceeds the winning number."""
    stars = worth(state, sheet, place)
    return min(stars, state.board.stars_to_win - sheet.stars) if state.mode == "classic" else stars
