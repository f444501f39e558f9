"""The state of a match: one sheet per seat, the data shared by all sheets, and small derived facts.

Frozen dataclasses and tuples only; dicts are never changed in place. Numbers that a rules change could alter (hull, dice, stars)
are stored in the state as the events gave them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Literal

from gamesvc.games.kernel.limits import AtMost, OneOf, Within, Written
from gamesvc.games.space_fleet_commander.data import BOARDS, COLOURS, ORDER, ROSTER, SHIPS, Board

MOST_SEATS = 6
LONGEST_PATH = max(len(board.places) for board in BOARDS.values())
REASONS = ("", "emperor", "time", "stuck", "cornered", "destroyed", "resigned")
_SLOTS = "|".join(ROSTER.order)
Slot = Annotated[str, OneOf(ROSTER.order)]
Colour = Annotated[str, OneOf(COLOURS)]
Hex = Annotated[str, OneOf(sorted({place for board in BOARDS.values() for place in board.places}))]
Face = Annotated[int, Within(1, 6)]
Small = Annotated[int, Within(0, 200)]
Cell = Annotated[str, Written(r"[1-9][0-9]{0,3}\.[1-9][0-9]{0,2}\.[1-3]")]
"""A cell of the shared stream: turn, attempt, roll."""
Step = Annotated[str, Written(f"one|seek|fail|corner|phase6|full|hazard (damage|time)|(raider|tender) ({_SLOTS})")]
"""A remaining step of a turn. `turn` explains each of them."""

Phase = Literal["fleet", "reroll_1", "reroll_2", "tinker", "resolve", "explore", "repair", "hit", "push", "wait", "finished"]
ASKING = frozenset({"fleet", "reroll_1", "reroll_2", "tinker", "explore", "repair", "hit", "push"})
"""The phases in which the owner of a sheet is awaited."""


@dataclass(frozen=True, slots=True)
class Vessel:
    """A ship in a roster slot, destroyed when its damage reaches its hull."""

    slot: Slot
    ship: Annotated[str, OneOf((*SHIPS, ROSTER.flag.id))]
    hull: Annotated[int, Within(1, 60)]
    dice: Annotated[tuple[Colour, ...], AtMost(6)]  # printed colours
    die: Annotated[int, Within(-1, ROSTER.formation - 1)] = -1  # the formation die that bought it; -1 for the flagship
    damage: Annotated[int, Within(0, 60)] = 0

    @property
    def live(self) -> bool:
        return self.damage < self.hull


@dataclass(frozen=True, slots=True)
class Die:
    """A die of a live ship. `index`: its place within its colour in the first roll of the attempt (races)."""

    id: Annotated[str, Written(rf"({_SLOTS})\.[1-6]")]
    slot: Slot
    colour: Colour
    value: Annotated[int, Within(0, 6)] = 0  # 0: not rolled yet
    status: Literal["live", "aside", "removed"] = "live"
    index: Annotated[int, Within(0, ROSTER.limit - 1)] = 0


@dataclass(frozen=True, slots=True)
class Hit:
    """A 2d6 damage roll that hit a live ship and waits for a choice."""

    source: Annotated[str, OneOf(("failure", "sabotage", "hex"))]
    a: Face
    b: Face
    slot: Slot


@dataclass(frozen=True, slots=True)
class Repair:
    """A Repair Tender with two ships to choose from."""

    tender: Slot
    candidates: Annotated[tuple[Slot, ...], AtMost(len(ROSTER.order), unique=True)]


@dataclass(frozen=True, slots=True)
class Sheet:
    """The sheet of one player."""

    token: Hex
    path: Annotated[tuple[Hex, ...], AtMost(LONGEST_PATH, unique=True)]  # the start and every explored hex, in order
    ships: Annotated[tuple[Vessel, ...], AtMost(len(ROSTER.order))]  # in roster order
    phase: Phase = "fleet"
    turn: Small = 0
    attempt: Annotated[int, Within(0, 99)] = 0
    stars: Small = 0
    scored: Annotated[tuple[Small, ...], AtMost(LONGEST_PATH)] = ()  # stars for each explored hex
    time: Small = 0  # marked boxes
    sabotage: Small = 0  # marked cells
    upgrades: dict[Slot, Slot] | None = None  # Drone Boat's slot -> slot of the upgraded ship
    dice: Annotated[tuple[Die, ...], AtMost(3 * ROSTER.limit)] = ()  # in pool order
    used: Annotated[
        tuple[Slot, ...], AtMost(len(ROSTER.order), unique=True)
    ] = ()  # slots of Hospital Barges used in this attempt
    hit: Hit | None = None
    repair: Repair | None = None
    todo: Annotated[tuple[Step, ...], AtMost(60)] = ()  # remaining steps after the open choice
    reason: Annotated[str, OneOf(REASONS)] = ""  # how it finished
    rolls: Annotated[int, Within(0, 1_000)] = 0  # number of damage rolls made
    seen: dict[Cell, Annotated[tuple[Annotated[int, Within(0, 14)], ...], AtMost(15, unique=True)]] | None = (
        None  # races: stream cell -> the places in it that this sheet has used
    )

    @property
    def finished(self) -> bool:
        return self.phase == "finished"


@dataclass(frozen=True, slots=True)
class State:
    """A whole match."""

    mode: Literal["classic", "high_score", "race"]
    map: Annotated[str, OneOf(BOARDS)]
    planetfall: Literal["three", "strict"]
    lockstep: bool
    sheets: Annotated[tuple[Sheet, ...], AtMost(MOST_SEATS)]
    formation: Annotated[tuple[Face, ...], AtMost(ROSTER.formation)] = ()
    stream: dict[Cell, Annotated[tuple[Face, ...], AtMost(15)]] | None = None  # races: dealt dice cells "turn.attempt.roll"
    hits: Annotated[tuple[tuple[Face, Face], ...], AtMost(1_000)] = ()  # races: dealt damage cells
    over: bool = False

    @property
    def board(self) -> Board:
        return BOARDS[self.map]


def by_roster(ships: Iterable[Vessel]) -> tuple[Vessel, ...]:
    return tuple(sorted(ships, key=lambda vessel: ORDER[vessel.slot]))


def at_slot(sheet: Sheet, slot: str) -> Vessel | None:
    """Return the ship in a slot, destroyed or not, or None."""
    for vessel in sheet.ships:
        if vessel.slot == slot:
            return vessel
    return None


def able(sheet: Sheet, ability: str) -> list[str]:
    """Return the slots of live ships with an ability, in roster order."""
    return [v.slot for v in sheet.ships if v.ship in SHIPS and SHIPS[v.ship].ability == ability and v.damage < v.hull]


def live_beside(sheet: Sheet, slot: str) -> list[str]:
    """Return the slots of live ships adjacent to a slot, in roster order."""
    near = ROSTER.adjacent[slot]
    return [v.slot for v in sheet.ships if v.slot in near and v.damage < v.hull]


def in_attempt(sheet: Sheet) -> list[Die]:
    """Return the dice that take part in this attempt: not set aside, not removed."""
    return [die for die in sheet.dice if die.status == "live"]


def not_aside(sheet: Sheet) -> list[Die]:
    """Return the dice that are rolled when the turn continues."""
    return [die for die in sheet.dice if die.status != "aside"]


def usable(sheet: Sheet) -> list[Die]:
    """Return the dice that count in Phase 5."""
    return [die for die in sheet.dice if die.status == "live" and die.value > 1]


def pool(ships: Iterable[Vessel], upgrades: dict[str, str] | None) -> list[Die]:
    """Return all dice of live ships in pool order, with the colours that live Drone Boats give them."""
    vessels = [vessel for vessel in ships if vessel.live]
    standing = {vessel.slot for vessel in vessels}
    lifted = {target for slot, target in (upgrades or {}).items() if slot in standing}
    dice: list[Die] = []
    for vessel in vessels:
        first = vessel.dice.index("black") if vessel.slot in lifted and "black" in vessel.dice else -1
        for at, colour in enumerate(vessel.dice):
            dice.append(Die(f"{vessel.slot}.{at + 1}", vessel.slot, "red" if at == first else colour))
    return dice
