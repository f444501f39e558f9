"""The state of a match: one sheet per seat, what all sheets share, and small questions about them.

Frozen dataclasses and tuples only; dicts are never changed in place. Numbers that rules could move (hull, dice, stars) stand
in the state as events brought them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from gamesvc.games.space_fleet_commander.data import BOARDS, ORDER, ROSTER, SHIPS, Board

Phase = Literal["fleet", "reroll_1", "reroll_2", "tinker", "resolve", "explore", "repair", "hit", "push", "wait", "finished"]
ASKING = frozenset({"fleet", "reroll_1", "reroll_2", "tinker", "explore", "repair", "hit", "push"})
"""The phases in which the owner of a sheet is awaited."""


@dataclass(frozen=True, slots=True)
class Vessel:
    """A ship standing in a roster slot; destroyed when damage has reached hull."""

    slot: str
    ship: str
    hull: int
    dice: tuple[str, ...]  # printed colours
    die: int = -1  # the formation die that bought it; -1 for the flag
    damage: int = 0

    @property
    def live(self) -> bool:
        return self.damage < self.hull


@dataclass(frozen=True, slots=True)
class Die:
    """A die of a live ship. `index`: its place among its colour in the first roll of the attempt (races)."""

    id: str
    slot: str
    colour: str
    value: int = 0  # 0: not rolled yet
    status: Literal["live", "aside", "removed"] = "live"
    index: int = 0


@dataclass(frozen=True, slots=True)
class Hit:
    """A 2d6 damage roll that fell on a live ship and waits for a choice."""

    source: str
    a: int
    b: int
    slot: str


@dataclass(frozen=True, slots=True)
class Repair:
    """A Repair Tender that has two ships to choose from."""

    tender: str
    candidates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """One player's sheet."""

    token: str
    path: tuple[str, ...]  # the start and every explored hex, in order
    ships: tuple[Vessel, ...]  # in roster order
    phase: Phase = "fleet"
    turn: int = 0
    attempt: int = 0
    stars: int = 0
    scored: tuple[int, ...] = ()  # stars per explored hex
    time: int = 0  # boxes marked
    sabotage: int = 0  # cells marked
    upgrades: dict[str, str] | None = None  # Drone Boat's slot -> slot of the upgraded ship
    dice: tuple[Die, ...] = ()  # in pool order
    used: tuple[str, ...] = ()  # slots of Hospital Barges used in this attempt
    hit: Hit | None = None
    repair: Repair | None = None
    todo: tuple[str, ...] = ()  # steps still due after the choice that is open
    reason: str = ""  # how it finished
    rolls: int = 0  # damage rolls made
    seen: dict[str, tuple[int, ...]] | None = None  # race: stream cell -> the places in it this sheet has used

    @property
    def finished(self) -> bool:
        return self.phase == "finished"


@dataclass(frozen=True, slots=True)
class State:
    """A whole match."""

    mode: Literal["classic", "high_score", "race"]
    map: str
    planetfall: Literal["three", "strict"]
    lockstep: bool
    sheets: tuple[Sheet, ...]
    formation: tuple[int, ...] = ()
    stream: dict[str, tuple[int, ...]] | None = None  # race: dice cells "turn.attempt.roll" dealt so far
    hits: tuple[tuple[int, int], ...] = ()  # race: damage cells dealt so far
    over: bool = False

    @property
    def board(self) -> Board:
        return BOARDS[self.map]


def by_roster(ships: Iterable[Vessel]) -> tuple[Vessel, ...]:
    return tuple(sorted(ships, key=lambda vessel: ORDER[vessel.slot]))


def at_slot(sheet: Sheet, slot: str) -> Vessel | None:
    """The ship in a slot, destroyed or not."""
    for vessel in sheet.ships:
        if vessel.slot == slot:
            return vessel
    return None


def able(sheet: Sheet, ability: str) -> list[str]:
    """The slots of live ships with an ability, in roster order."""
    return [v.slot for v in sheet.ships if v.ship in SHIPS and SHIPS[v.ship].ability == ability and v.damage < v.hull]


def live_beside(sheet: Sheet, slot: str) -> list[str]:
    """The slots of live ships adjacent to a slot, in roster order."""
    near = ROSTER.adjacent[slot]
    return [v.slot for v in sheet.ships if v.slot in near and v.damage < v.hull]


def in_attempt(sheet: Sheet) -> list[Die]:
    """The dice taking part in this attempt: not set aside, not removed."""
    return [die for die in sheet.dice if die.status == "live"]


def not_aside(sheet: Sheet) -> list[Die]:
    """The dice that are rolled when the turn goes on."""
    return [die for die in sheet.dice if die.status != "aside"]


def usable(sheet: Sheet) -> list[Die]:
    """The dice that count in Phase 5."""
    return [die for die in sheet.dice if die.status == "live" and die.value > 1]


def pool(ships: Iterable[Vessel], upgrades: dict[str, str] | None) -> list[Die]:
    """All dice of live ships in pool order, with the colours that live Drone Boats give them."""
    vessels = [vessel for vessel in ships if vessel.live]
    standing = {vessel.slot for vessel in vessels}
    lifted = {target for slot, target in (upgrades or {}).items() if slot in standing}
    dice: list[Die] = []
    for vessel in vessels:
        first = vessel.dice.index("black") if vessel.slot in lifted and "black" in vessel.dice else -1
        for at, colour in enumerate(vessel.dice):
            dice.append(Die(f"{vessel.slot}.{at + 1}", vessel.slot, "red" if at == first else colour))
    return dice
