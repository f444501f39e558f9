"""The state of a match: frozen values only. Derived facts are computed by `rules.values` and never stored."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import Annotated, Any

from gamesvc.games.kernel.limits import AtMost, Count, Like, OneOf, Within, Written
from gamesvc.games.star_commander.data import CATALOGS, DOMAINS, WINDOWS

MOST_SEATS = 4
MOST_STACKED = 60
MOST_FOR_ABILITIES = 30
"""The plays on a stack below which abilities are used, any number of times. The rest is for the cards of all hands."""
PROMPTS = ("none", "ready_draw", "choice", "command", "window", "combat_choose", "combat_assign", "combat_retreat", "over")
CHOICES = ("draw_domain", "keep_or_discard", "discard", "core_world", "take_card")
MARKS = ("attack", "hp", "speed", "extra_targets", "lock", "long_jump", "prevent", "deny_attack")
SeatAt = Annotated[int, Within(0, MOST_SEATS - 1)]
SeatOrNone = Annotated[int, Within(-1, MOST_SEATS - 1)]
SeatsAt = Annotated[tuple[SeatAt, ...], AtMost(MOST_SEATS, unique=True)]
Uid = Annotated[str, Written("c[0-9]{2,7}")]
VesselId = Annotated[str, Written("v[1-9][0-9]{0,6}")]
CellName = Annotated[str, Written("[0-4],[0-4]")]
CardId = Annotated[str, OneOf(sorted({card for catalog in CATALOGS.values() for card in catalog.cards}))]
Domain = Annotated[str, OneOf(DOMAINS)]
Pile = Annotated[tuple[Uid, ...], AtMost(200, unique=True)]
Word = Annotated[str, Written("[a-z_]{0,40}")]
Thing = Annotated[str, Written("([a-z]?[0-9]{1,7}|[0-4],[0-4])?")]
"""The id of a target: a vessel, a stack item, a card, a seat, a cell; empty for none."""
Asking = Annotated[str, OneOf(("ask", "concerned", "pass"))]
Credits = Annotated[int, Within(0, 100_000)]
Note = Annotated[str, Like({"const": ""})]
"""The note of an offer in logs of rules 1.1. Positions exclude it, so that a player's text is not copied into another log."""
Plain = Annotated[Any, Like({"type": ["object", "null"], "additionalProperties": True})]


@dataclass(frozen=True, slots=True)
class Auto:
    """An automatic play of a card when a matching item is on top of the stack. `on` empty: any item; `by` None: any seat."""

    play: Word
    on: Annotated[tuple[Word, ...], AtMost(12)] = ()
    by: SeatAt | None = None
    only_concerned: bool = False


@dataclass(frozen=True, slots=True)
class Orders:
    """A seat's standing orders (RULES.md 14)."""

    commands: Asking = "concerned"
    abilities: Asking = "concerned"
    actions: Asking = "pass"
    combat: dict[Annotated[str, OneOf(WINDOWS)], Annotated[str, OneOf(("ask", "involved", "pass"))]] = field(
        default_factory=lambda: {window: "involved" if window == "after_assign" else "pass" for window in WINDOWS}
    )
    always_ask: Annotated[tuple[Word, ...], AtMost(12)] = ()
    auto: Annotated[tuple[Auto, ...], AtMost(6)] = ()
    assign: Annotated[str, OneOf(("ask", "hold_fire", "return_fire"))] = "ask"
    retreat: Annotated[str, OneOf(("ask", "pressed", "stay"))] = "pressed"
    draw: Annotated[tuple[Domain, ...], AtMost(3)] = ()


@dataclass(frozen=True, slots=True)
class Seat:
    credits: Credits
    hand: Pile = ()
    technologies: Pile = ()
    turns_taken: Count = 0
    last_turn: Count = 0
    alive: bool = True
    orders: Orders = Orders()


@dataclass(frozen=True, slots=True)
class Cell:
    card: CardId
    explored: bool = False
    controller: SeatAt | None = None
    devs: Annotated[int, Within(0, 100)] = 0
    first_developed_by: SeatsAt = ()
    last_combat: Count = 0
    home: SeatAt | None = None  # the seat whose original Homeworld this is


@dataclass(frozen=True, slots=True)
class Vessel:
    id: VesselId
    card: CardId
    controller: SeatAt
    cell: CellName
    uid: Uid | None = None  # for domain vessels: the card itself
    damage: Count = 0
    since: Count = 0  # the turn since which it is under its current control
    built: Count = 0  # the turn in which its controller built it
    jumps: Annotated[int, Within(0, 100)] = 0
    moved: bool = False


@dataclass(frozen=True, slots=True)
class Modifier:
    """A lasting effect on one vessel. `until`: `end_of_turn`, or `turn_of` the seat `until_seat`."""

    id: Annotated[int, Within(1, 1_000_000)]
    kind: Annotated[str, OneOf(MARKS)]  # attack, hp, speed, extra_targets, lock, long_jump, prevent, deny_attack
    vessel: VesselId
    amount: Annotated[int, Within(-100, 1_000)]
    source: CardId
    seat: SeatAt
    until: Annotated[str, OneOf(("end_of_turn", "turn_of"))]
    until_seat: SeatOrNone = -1
    cell: Thing = ""
    untargetable: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """A play on the stack. `kind`: command, ability or action; `name`: card id or action name."""

    id: Annotated[int, Within(1, 1_000_000)]
    kind: Annotated[str, OneOf(("command", "ability", "action"))]
    seat: SeatAt
    name: Word
    uid: Uid | None = None
    source: Thing = ""
    targets: dict[Word, Thing] = field(default_factory=dict)
    x: Credits = 0
    paid: Credits = 0
    explore: bool = True
    hold: bool = False
    cancelled: bool = False
    params: Plain = None


@dataclass(frozen=True, slots=True)
class Assigned:
    """Pending combat damage. `attack`: the vessel's attack when the damage was assigned."""

    vessel: VesselId
    seat: SeatAt
    target: VesselId
    amount: Count
    attack: Count
    redirected: bool = False


@dataclass(frozen=True, slots=True)
class Combat:
    cell: CellName
    participants: SeatsAt
    step: Annotated[str, OneOf(WINDOWS)] = "after_initiate"
    assigned: Annotated[tuple[Assigned, ...], AtMost(500)] = ()
    used: Annotated[tuple[Thing, ...], AtMost(200)] = ()
    passed: SeatsAt = ()  # seats that passed the window along with their assignment, unless something is played
    staying: SeatsAt = ()  # seats that declined to retreat along with their assignment, unless something is played


@dataclass(frozen=True, slots=True)
class Window:
    """An open round of responses. `name`: `stack`, or one of the combat windows."""

    name: Annotated[str, OneOf(("stack", *WINDOWS))]
    priority: SeatAt
    passed: Annotated[tuple[SeatAt, ...], AtMost(50)] = ()
    early: Annotated[tuple[SeatAt, ...], AtMost(50)] = ()
    asked: SeatsAt = ()  # seats after the one with priority that are asked already and have not answered
    question: Annotated[int, Within(0, 1_000_000)] = 0  # the number under which they are all asked; 0: each under its own
    ready: dict[SeatAt, Plain] = field(default_factory=dict)  # their plays, made when they get priority


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a trade. `hand`: given cards; `cards`: the number of cards that the other player picks."""

    credits: Credits = 0
    hand: Pile = ()
    cards: Annotated[int, Within(0, 200)] = 0
    technologies: Pile = ()
    vessels: Annotated[tuple[VesselId, ...], AtMost(200, unique=True)] = ()
    systems: Annotated[tuple[CellName, ...], AtMost(25, unique=True)] = ()


@dataclass(frozen=True, slots=True)
class Offer:
    id: Annotated[int, Within(1, 1_000_000)]
    maker: SeatAt
    to: SeatAt
    give: Side
    want: Side
    note: Note = ""


@dataclass(frozen=True, slots=True)
class Prompt:
    """The pending decision. `what` names the choice; `number` is never reused.

    `answered`: the decision is no longer open between the events of its answer, when the position has already changed.
    """

    kind: Annotated[str, OneOf(PROMPTS)]
    seat: SeatOrNone = -1
    number: Annotated[int, Within(0, 1_000_000)] = 0
    what: Annotated[str, OneOf(("", "stack", *WINDOWS, *CHOICES))] = ""
    answered: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    reason: Word
    ranking: Annotated[tuple[SeatsAt, ...], AtMost(MOST_SEATS)]
    scores: Annotated[tuple[Count, ...], AtMost(MOST_SEATS)]


@dataclass(frozen=True, slots=True)
class State:
    edition: Annotated[str, OneOf(CATALOGS)]
    grid: Annotated[int, Within(3, 5)]
    trade: bool
    lethal: Annotated[str, OneOf(("at_least", "more_than"))]
    turn_limit: Count
    faces: dict[Uid, CardId]  # uid -> card, for all domain cards
    uids: Annotated[int, Within(0, 1_000_000)]  # number of uids given so far
    decks: dict[Domain, Pile]
    discards: dict[Domain, Pile]
    undealt: Annotated[tuple[CardId, ...], AtMost(100)]
    supply: dict[CardId, Count]
    cells: dict[CellName, Cell]  # in row order
    seats: Annotated[tuple[Seat, ...], AtMost(MOST_SEATS)]
    vessels: dict[VesselId, Vessel] = field(default_factory=dict)
    vessels_made: Annotated[int, Within(0, 1_000_000)] = 0
    modifiers: Annotated[tuple[Modifier, ...], AtMost(500)] = ()
    modifiers_made: Annotated[int, Within(0, 1_000_000)] = 0
    stack: Annotated[tuple[Item, ...], AtMost(MOST_STACKED)] = ()
    items_made: Annotated[int, Within(0, 1_000_000)] = 0
    window: Window | None = None
    combat: Combat | None = None
    fought: Annotated[tuple[CellName, ...], AtMost(25)] = ()
    offers: Annotated[tuple[Offer, ...], AtMost(100)] = ()
    offers_made: Annotated[int, Within(0, 1_000_000)] = 0
    turn: Count = 0
    active: SeatAt = 0
    phase: Annotated[str, OneOf(("ready", "command", "combat", "end"))] = "ready"
    extra: Annotated[tuple[SeatAt, ...], AtMost(60)] = ()
    resume: SeatAt = 0
    abandoned: dict[CellName, Annotated[tuple[VesselId, ...], AtMost(200)]] = field(default_factory=dict)
    resting: SeatsAt = ()  # seats that pass for the rest of the turn
    out: Annotated[tuple[SeatsAt, ...], AtMost(MOST_SEATS)] = ()  # eliminated seats in order; simultaneous ones share a group
    prompt: Prompt = Prompt("none")
    work: Annotated[Any, Like({"type": "array", "items": {"type": "object", "additionalProperties": True}, "maxItems": 60})] = (
        field(default_factory=list)
    )  # remaining steps, the waiting one last; plain JSON lists
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
    """Return the cells at distance 1 to `reach`, in cell order."""
    names = (f"{r},{c}" for r in range(grid) for c in range(grid))
    return tuple(name for name in names if 1 <= distance(cell, name) <= reach)


def corners(grid: int, seats: int) -> tuple[str, ...]:
    """Return the Homeworld cells by seat (RULES.md 3)."""
    south, west, north, east = f"{grid - 1},{grid - 1}", f"{grid - 1},0", "0,0", f"0,{grid - 1}"
    return {2: (south, north), 3: (south, west, north), 4: (south, west, north, east)}[seats]
