"""What a match of Stratastar consists of: frozen values, grouped so that an event changes a small one.

Only shapes and the simplest sums live here; what follows from them is in `facts`, how they change in `evolve`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Mode = Literal["never", "ask", "auto"]


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a match, as chosen before it began (RULES.md 2)."""

    starting_fleets: int
    homeworld_choice: str
    free_trade: bool
    spying: bool
    diplomacy: bool
    retreat: bool
    disaster: bool
    breakthrough: bool
    uneven_start: str
    abilities_all: tuple[str, ...]
    abilities_by_seat: dict[int, tuple[str, ...]]
    exploration: bool
    to_the_death: bool
    low_technology: bool
    power_cards: bool
    max_rounds: int


@dataclass(frozen=True, slots=True)
class Orders:
    """Standing orders of a seat (RULES.md 7). `commit` is ask, none, all or a number as text."""

    when_unable: Literal["ask", "pass"] = "ask"
    diplomacy: Mode = "ask"
    diplomacy_spaces: tuple[str, ...] = ("any",)
    retreat: Mode = "ask"
    sabotage: Literal["never", "ask"] = "ask"
    sabotage_kinds: tuple[str, ...] = (
        "disaster",
        "treason",
        "breakthrough",
        "terraform",
        "build_stargate",
        "allied_minor_race",
        "hyper_jump",
        "move_onto_me",
    )
    defend_homeworld: Mode = "ask"
    fight: Literal["peace", "ask", "fight"] = "ask"
    commit: str = "ask"
    offers: Literal["ask", "reject"] = "ask"


@dataclass(frozen=True, slots=True)
class SpyRecord:
    """What a spy saw, when: `target` is a seat's number as text, or `deck`."""

    turn: int
    target: str
    cards: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Player:
    """One empire. Counts per space hold no zeros; the hand is kept in canonical order."""

    hand: tuple[str, ...] = ()
    home: str | None = None
    fleets: dict[str, int] = field(default_factory=dict)
    warfleets: dict[str, int] = field(default_factory=dict)
    colonies: dict[str, int] = field(default_factory=dict)
    stargates: tuple[str, ...] = ()
    abilities: tuple[str, ...] = ()
    raided: dict[str, int] = field(default_factory=dict)
    orders: Orders = Orders()
    records: tuple[SpyRecord, ...] = ()
    turns: int = 0
    alive: bool = True
    last_move: tuple[str, ...] = ()  # from, to: for the picture


@dataclass(frozen=True, slots=True)
class Chart:
    """What lies on the map. Known spaces without an entry in `chits` are blank."""

    chits: dict[str, str]
    unknown: frozenset[str] = frozenset()
    scouted: dict[str, str] = field(default_factory=dict)  # unknown spaces whose chit is fixed
    scouts: dict[str, tuple[int, ...]] = field(default_factory=dict)  # who knows it
    pile: dict[str, int] = field(default_factory=dict)
    contacts: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Action:
    """A declared action that waits for answers. `asked`: seats that have not answered yet."""

    id: int
    seat: int
    name: str
    args: Any
    paid: tuple[str, ...]
    credit: dict[str, int]  # credit spent on it
    made: dict[str, int]  # credit it made
    free: bool
    stage: Literal["before", "after"]
    asked: tuple[int, ...]
    enters: str | None = None  # the space that a movement of the active seat goes to


@dataclass(frozen=True, slots=True)
class Battle:
    """A battle whose commitments are being made. `waiting`: seats that can commit and have not."""

    id: int
    space: str
    caller: int
    participants: tuple[int, ...]
    waiting: tuple[int, ...]
    commits: dict[int, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Offer:
    """An open offer of free trade; `to` None means anyone."""

    id: int
    seat: int
    to: int | None
    give: dict[str, int]
    want: dict[str, int]
    keep: bool = False
    wait: bool = False


@dataclass(frozen=True, slots=True)
class Treaty:
    """`seat` made it with `partner`; it ends when `seat` ends its own turn number `until`."""

    seat: int
    partner: int
    until: int


@dataclass(frozen=True, slots=True)
class Turn:
    """Where the match is: phase, whose turn, and what was used up in it."""

    phase: str
    active: int
    number: int = 0
    round: int = 0
    free_move: bool = False
    internal_used: bool = False
    credit: dict[str, int] = field(default_factory=dict)
    blocked: tuple[str, ...] = ()
    fought: tuple[str, ...] = ()
    declined: tuple[int, ...] = ()  # passed in battle_call
    calling: tuple[int, ...] = ()  # asked in battle_call
    choice: tuple[str, ...] = ()  # abilities to pick from
    picking: tuple[int, ...] = ()  # who has still to pick in a draft


@dataclass(frozen=True, slots=True)
class Ended:
    reason: str
    ranking: tuple[tuple[int, ...], ...]
    scores: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class State:
    options: Options
    players: tuple[Player, ...]
    chart: Chart
    turn: Turn
    placement: tuple[int, ...]
    order: tuple[int, ...] = ()
    deck: tuple[str, ...] = ()
    discard: tuple[str, ...] = ()
    actions: tuple[Action, ...] = ()
    battle: Battle | None = None
    offers: tuple[Offer, ...] = ()
    waiting: int | None = None  # the offer the active seat waits for
    treaties: tuple[Treaty, ...] = ()
    next_id: int = 1
    ended: Ended | None = None
