"""The state of a match of Stratastar: frozen values, grouped so that an event changes a small one.

Only shapes and the simplest sums are here. Derived facts are in `rules.facts`, changes in `rules.evolve`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from gamesvc.games.kernel.limits import AtMost, Count, Like, OneOf, Within, Written
from gamesvc.games.stratastar.data import ABILITIES, CARDS, CHITS, COLONIES, CORNERS, FLEETS
from gamesvc.games.stratastar.data.geometry import INNER, SPACES

MOST_SEATS = 4
PHASES = (
    "homeworld",
    "ability_draft",
    "retool",
    "trade",
    "support",
    "build",
    "movement",
    "battle",
    "battle_call",
    "over",
)

Mode = Literal["never", "ask", "auto"]
Seat = Annotated[int, Within(0, MOST_SEATS - 1)]
Seats = Annotated[tuple[Seat, ...], AtMost(MOST_SEATS, unique=True)]
Space = Annotated[str, OneOf(SPACES)]
Spaces = Annotated[tuple[Space, ...], AtMost(len(SPACES), unique=True)]
Inner = Annotated[str, OneOf(INNER)]
Chit = Annotated[str, OneOf(CHITS)]
Card = Annotated[str, OneOf(CARDS)]
Cards = Annotated[tuple[Card, ...], AtMost(85)]
Ability = Annotated[str, OneOf(ABILITIES)]
Abilities = Annotated[tuple[Ability, ...], AtMost(len(ABILITIES), unique=True)]
Some = Annotated[int, Within(1, 85)]
Word = Annotated[str, Written("[a-z_]{1,30}")]
Id = Annotated[int, Within(1, 1_000_000)]


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a match, as chosen before it began (RULES.md 2)."""

    starting_fleets: Annotated[int, Within(1, FLEETS)]
    homeworld_choice: Word
    free_trade: bool
    spying: bool
    diplomacy: bool
    retreat: bool
    disaster: bool
    breakthrough: bool
    uneven_start: Word
    abilities_all: Abilities
    abilities_by_seat: dict[Seat, Abilities]
    exploration: bool
    to_the_death: bool
    low_technology: bool
    power_cards: bool
    max_rounds: Count
    pace: Literal["", "fast", "secret"] = ""  # "": begun before the option existed, with the rules of that time


@dataclass(frozen=True, slots=True)
class Orders:
    """The standing orders of a seat (RULES.md 7). `commit` is ask, none, all or a number as text."""

    when_unable: Literal["ask", "pass"] = "ask"
    diplomacy: Mode = "ask"
    diplomacy_spaces: Annotated[tuple[Annotated[str, OneOf((*SPACES, "any", "homeworld"))], ...], AtMost(20)] = ("any",)
    retreat: Mode = "ask"
    sabotage: Literal["never", "ask"] = "ask"
    sabotage_kinds: Annotated[tuple[Word, ...], AtMost(30)] = (
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
    commit: Annotated[str, Written("ask|none|all|[0-9]|[1-9][0-9]")] = "ask"
    offers: Literal["ask", "reject"] = "ask"


@dataclass(frozen=True, slots=True)
class SpyRecord:
    """The result of spying: the turn and the cards seen. `target` is a seat's number as text, or `deck`."""

    turn: Count
    target: Annotated[str, Written("deck|[0-3]")]
    cards: Cards


@dataclass(frozen=True, slots=True)
class Player:
    """One empire. Counts per space contain no zeros; the hand is kept in canonical order."""

    hand: Cards = ()
    home: Annotated[str, OneOf(CORNERS)] | None = None
    fleets: dict[Space, Annotated[int, Within(1, FLEETS)]] = field(default_factory=dict)
    warfleets: dict[Space, Annotated[int, Within(1, FLEETS)]] = field(default_factory=dict)
    colonies: dict[Space, Annotated[int, Within(1, COLONIES)]] = field(default_factory=dict)
    stargates: Spaces = ()
    abilities: Abilities = ()
    raided: dict[Space, Annotated[int, Within(1, COLONIES)]] = field(default_factory=dict)
    orders: Orders = Orders()
    records: Annotated[tuple[SpyRecord, ...], AtMost(100)] = ()
    turns: Count = 0
    alive: bool = True
    last_move: Annotated[tuple[Space, ...], AtMost(2)] = ()  # from, to; for the picture


@dataclass(frozen=True, slots=True)
class Chart:
    """The contents of the map. Known spaces without an entry in `chits` are blank."""

    chits: dict[Space, Chit]
    unknown: frozenset[Inner] = frozenset()
    scouted: dict[Inner, Chit] = field(default_factory=dict)  # unknown spaces whose chit is determined
    scouts: dict[Inner, Seats] = field(default_factory=dict)  # the seats that know it
    pile: dict[Chit, Annotated[int, Within(0, 96)]] = field(default_factory=dict)
    contacts: Annotated[tuple[tuple[Seat, Seat], ...], AtMost(6, unique=True)] = ()


@dataclass(frozen=True, slots=True)
class Action:
    """A declared action that waits for answers. `asked`: seats that have not answered yet."""

    id: Id
    seat: Seat
    name: Word
    args: Annotated[Any, Like({"type": "object", "additionalProperties": True})]  # depends on the action: see `pending`
    paid: Cards
    credit: dict[Card, Some]  # credit spent on the action
    made: dict[Card, Some]  # credit the action made
    free: bool
    stage: Literal["before", "after"]
    asked: Seats
    enters: Space | None = None  # the destination of a movement by the active seat
    later: dict[Seat, Annotated[Any, Like({"type": "object", "additionalProperties": True})]] = field(default_factory=dict)
    """Prepared answers to the after-window of a movement, by seat: a command, or {} for nothing."""
    then: Literal["", "battle", "end_turn"] = ""  # the active seat's follow-up to a movement that nobody answers


@dataclass(frozen=True, slots=True)
class Battle:
    """A battle that is waiting for commitments. `waiting`: seats that can commit and have not."""

    id: Id
    space: Space
    caller: Seat
    participants: Seats
    waiting: Seats
    commits: dict[Seat, Cards] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Offer:
    """An open offer of free trade. `to` None means anyone."""

    id: Id
    seat: Seat
    to: Seat | None
    give: dict[Card, Some]
    want: dict[Card, Some]
    keep: bool = False
    wait: bool = False


@dataclass(frozen=True, slots=True)
class Treaty:
    """A treaty that `seat` made with `partner`. It ends when `seat` ends its own turn number `until`."""

    seat: Seat
    partner: Seat
    until: Count


@dataclass(frozen=True, slots=True)
class Turn:
    """The position in the course of the match: phase, active seat, and what the turn has used up."""

    phase: Annotated[str, OneOf(PHASES)]
    active: Seat
    number: Count = 0
    round: Count = 0
    free_move: bool = False
    internal_used: bool = False
    credit: dict[Card, Some] = field(default_factory=dict)
    blocked: Spaces = ()
    fought: Spaces = ()
    declined: Seats = ()  # seats that passed in battle_call
    calling: Seats = ()  # seats asked in battle_call
    choice: Abilities = ()  # abilities to pick from
    picking: Seats = ()  # seats that must still pick in a draft


@dataclass(frozen=True, slots=True)
class Ended:
    reason: Word
    ranking: Annotated[tuple[Seats, ...], AtMost(MOST_SEATS)]
    scores: Annotated[tuple[Count, ...], AtMost(MOST_SEATS)]


@dataclass(frozen=True, slots=True)
class State:
    options: Options
    players: Annotated[tuple[Player, ...], AtMost(MOST_SEATS)]
    chart: Chart
    turn: Turn
    placement: Seats
    order: Seats = ()
    deck: Cards = ()
    discard: Cards = ()
    actions: Annotated[tuple[Action, ...], AtMost(20)] = ()
    battle: Battle | None = None
    offers: Annotated[tuple[Offer, ...], AtMost(100)] = ()
    waiting: Id | None = None  # the id of the offer that the active seat is waiting for
    treaties: Annotated[tuple[Treaty, ...], AtMost(12)] = ()
    next_id: Id = 1
    ended: Ended | None = None
