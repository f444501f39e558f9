"""The state of a match: frozen values only. What follows from it is computed by `board` and never stored."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import Any

from gamesvc.games.star_commander.data import WINDOWS

COLOURS = ("Red", "Blue", "Yellow", "Green")


@dataclass(frozen=True, slots=True)
class Auto:
    """A card to be played by itself when a matching item tops the stack. `on` empty: any item; `by` None: any seat."""

    play: str
    on: tuple[str, ...] = ()
    by: int | None = None
    only_concerned: bool = False


@dataclass(frozen=True, slots=True)
class Orders:
    """A seat's standing orders (RULES.md 14)."""

    commands: str = "concerned"
    abilities: str = "concerned"
    actions: str = "pass"
    combat: dict[str, str] = field(
        default_factory=lambda: {window: "involved" if window == "after_assign" else "pass" for window in WINDOWS}
    )
    always_ask: tuple[str, ...] = ()
    auto: tuple[Auto, ...] = ()
    assign: str = "ask"
    retreat: str = "pressed"
    draw: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Seat:
    credits: int
    hand: tuple[str, ...] = ()
    technologies: tuple[str, ...] = ()
    turns_taken: int = 0
    last_turn: int = 0
    alive: bool = True
    orders: Orders = Orders()


@dataclass(frozen=True, slots=True)
class Cell:
    card: str
    explored: bool = False
    controller: int | None = None
    devs: int = 0
    first_developed_by: tuple[int, ...] = ()
    last_combat: int = 0
    home: int | None = None  # whose original Homeworld this is


@dataclass(frozen=True, slots=True)
class Vessel:
    id: str
    card: str
    controller: int
    cell: str
    uid: str | None = None  # of domain vessels: the card itself
    damage: int = 0
    since: int = 0  # the turn since which it is under this control
    built: int = 0  # the turn it was built by its controller
    jumps: int = 0
    moved: bool = False


@dataclass(frozen=True, slots=True)
class Modifier:
    """Something that lasts on one vessel. `until`: `end_of_turn`, or `turn_of` the seat `until_seat`."""

    id: int
    kind: str  # attack, hp, speed, extra_targets, lock, long_jump, prevent, deny_attack
    vessel: str
    amount: int
    source: str
    seat: int
    until: str
    until_seat: int = -1
    cell: str = ""
    untargetable: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """A play on the stack. `kind`: command, ability or action; `name`: card id or action name."""

    id: int
    kind: str
    seat: int
    name: str
    uid: str | None = None
    source: str = ""
    targets: dict[str, str] = field(default_factory=dict)
    x: int = 0
    paid: int = 0
    explore: bool = True
    hold: bool = False
    cancelled: bool = False
    params: Any = None


@dataclass(frozen=True, slots=True)
class Assigned:
    """Combat damage that is on its way. `attack`: what the vessel's attack was when it assigned."""

    vessel: str
    seat: int
    target: str
    amount: int
    attack: int
    redirected: bool = False


@dataclass(frozen=True, slots=True)
class Combat:
    cell: str
    participants: tuple[int, ...]
    step: str = "after_initiate"
    assigned: tuple[Assigned, ...] = ()
    used: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Window:
    """An open round of responses. `name`: `stack`, or one of the combat windows."""

    name: str
    priority: int
    passed: tuple[int, ...] = ()
    early: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Side:
    """What one side of a trade gives. `hand`: named cards (give); `cards`: how many the other picks (want)."""

    credits: int = 0
    hand: tuple[str, ...] = ()
    cards: int = 0
    technologies: tuple[str, ...] = ()
    vessels: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Offer:
    id: int
    maker: int
    to: int
    give: Side
    want: Side


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is awaited. `what` names the choice, `number` is never used again."""

    kind: str
    seat: int = -1
    number: int = 0
    what: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    reason: str
    ranking: tuple[tuple[int, ...], ...]
    scores: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class State:
    edition: str
    grid: int
    trade: bool
    lethal: str
    turn_limit: int
    faces: dict[str, str]  # uid -> card, of all domain cards
    uids: int  # how many uids were ever given
    decks: dict[str, tuple[str, ...]]
    discards: dict[str, tuple[str, ...]]
    undealt: tuple[str, ...]
    supply: dict[str, int]
    cells: dict[str, Cell]  # in row order
    seats: tuple[Seat, ...]
    vessels: dict[str, Vessel] = field(default_factory=dict)
    vessels_made: int = 0
    modifiers: tuple[Modifier, ...] = ()
    modifiers_made: int = 0
    stack: tuple[Item, ...] = ()
    items_made: int = 0
    window: Window | None = None
    combat: Combat | None = None
    fought: tuple[str, ...] = ()
    offers: tuple[Offer, ...] = ()
    offers_made: int = 0
    turn: int = 0
    active: int = 0
    phase: str = "ready"
    extra: tuple[int, ...] = ()
    resume: int = 0
    abandoned: dict[str, tuple[str, ...]] = field(default_factory=dict)
    out: tuple[tuple[int, ...], ...] = ()  # seats put out, in order; those of one moment together
    prompt: Prompt = Prompt("none")
    work: Any = field(default_factory=list)  # steps still to do, the one that waits last; plain JSON lists
    result: Result | None = None


@functools.cache
def place(cell: str) -> tuple[int, int]:
    r, c = cell.split(",")
    return int(r), int(c)


@functools.cache
def distance(a: str, b: str) -> int:
    (r1, c1), (r2, c2) = place(a), place(b)
    return abs(r1 - r2) + abs(c1 - c2)


@functools.cache
def near(cell: str, grid: int, reach: int = 1) -> tuple[str, ...]:
    """The cells at distance 1 to `reach`, in cell order."""
    names = (f"{r},{c}" for r in range(grid) for c in range(grid))
    return tuple(name for name in names if 1 <= distance(cell, name) <= reach)


def corners(grid: int, seats: int) -> tuple[str, ...]:
    """The Homeworld cells by seat (RULES.md 3)."""
    south, west, north, east = f"{grid - 1},{grid - 1}", f"{grid - 1},0", "0,0", f"0,{grid - 1}"
    return {2: (south, north), 3: (south, west, north), 4: (south, west, north, east)}[seats]
