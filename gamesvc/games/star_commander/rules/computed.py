"""A cache of values computed from a state, shared by all states with the same parts.

Most events leave vessels, systems, modifiers and technologies unchanged, so the states before and after them contain the same
objects, and everything derived from these is still valid. States are frozen: the same objects mean the same values.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from gamesvc.games.star_commander.data import Effect
from gamesvc.games.star_commander.data.editions import EDITIONS
from gamesvc.games.star_commander.state import Modifier, State, Vessel
from gamesvc.json_types import JsonObject

KNOWN = 64
"""The number of boards in the cache. The current ones are used again and again, older ones never."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts derived from the vessels, cells, modifiers and technologies of a state."""

    by_cell: dict[str, list[Vessel]]
    controlled: tuple[list[str], ...]  # by seat, in cell order
    modifiers: dict[str, list[Modifier]]  # by vessel
    technology: tuple[list[Effect], ...]  # by seat: the static effects of its technologies; copies add up (RULES.md 19.9)
    values: dict[tuple[str, str], int] = field(default_factory=dict)
    printed: dict[tuple[int, str, str], int] = field(default_factory=dict)
    besieged: dict[str, bool] = field(default_factory=dict)
    shown: dict[tuple[object, ...], JsonObject] = field(default_factory=dict)  # parts of views


class Parts:
    """A key made of parts of a state. Two keys are equal if all parts are the same objects.

    The key keeps the parts alive, so that their identities cannot be reused while the key exists.
    """

    __slots__ = ("_hash", "parts")

    def __init__(self, *parts: Any) -> None:
        self.parts = parts
        self._hash = hash(tuple(map(id, parts)))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Parts) or len(self.parts) != len(other.parts):
            return False
        return all(mine is theirs for mine, theirs in zip(self.parts, other.parts, strict=True))


def facts_of(state: State) -> Facts:
    technologies = [seat.technologies for seat in state.seats]
    return _compute(Parts(state.edition, state.cells, state.vessels, state.modifiers, state.faces, *technologies))


@lru_cache(maxsize=KNOWN)
def _compute(key: Parts) -> Facts:
    edition, cells, vessels, modifiers, faces, *technologies = key.parts
    cards = EDITIONS[edition].cards
    by_cell: dict[str, list[Vessel]] = {}
    for vessel in vessels.values():
        by_cell.setdefault(vessel.cell, []).append(vessel)
    controlled: tuple[list[str], ...] = tuple([] for _ in technologies)
    for name, cell in cells.items():
        if cell.controller is not None:
            controlled[cell.controller].append(name)
    marks: dict[str, list[Modifier]] = {}
    for modifier in modifiers:
        marks.setdefault(modifier.vessel, []).append(modifier)
    static = tuple(
        [effect for uid in held for effect in cards[faces[uid]].effects if effect.trigger == "static"] for held in technologies
    )
    return Facts(by_cell, controlled, marks, static)
