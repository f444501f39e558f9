"""The state of a match: frozen values only. Derived facts (attack values, awaited seats) are in `rules.facts`.

Instance ids begin with the owner's letter (`a-17`). Only items store versions. An item is identified by its number; numbers of
items, prompts and rewinds are never reused, not even after a rewind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from gamesvc.games.kernel.game import Version
from gamesvc.games.kernel.limits import AtMost, Count, Like, OneOf, Within, Written
from gamesvc.games.space_war.data import CARDS, COMMANDERS, DECKS, KINDS, ROWS

LETTERS = "ab"
PHASES = ("choose_starter", "prepare", "draw", "upkeep", "action", "discard", "attack", "between", "review", "over")
PROMPTS = (
    *("flips", "draw", "discard", "search", "sabotage", "sacrifice", "destroy", "mend", "transform"),
    *("top", "offer", "plan", "deja_vu", "shield"),
)
MOST_CARDS = 70
MOST_REPLAYED = 200
"""The commands that are repeated after a rewind. Harmless ones can be given without end."""
MOST_USES = 40
"""The uses of a commander that wait for the other seat, in one turn and the extra turns after it.

A commander may act for nothing, and each use stays open to an answer, with the state before it: no position holds 60 of them.
"""
SeatAt = Annotated[int, Within(0, 1)]
Instance = Annotated[str, Written("[ab]-[0-9]{2,3}")]
Instances = Annotated[tuple[Instance, ...], AtMost(2 * MOST_CARDS, unique=True)]
CardId = Annotated[str, OneOf(CARDS)]
Commander = Annotated[str, OneOf(COMMANDERS)]
Row = Annotated[str, OneOf(ROWS)]
Slot = Annotated[str, Written("s[1-9][0-9]{0,3}")]
Small = Annotated[int, Within(0, 1_000)]
Number = Annotated[int, Within(0, 1_000_000)]
Word = Annotated[str, Written("[a-z_]{0,40}")]
Plain = Annotated[Any, Like({"type": "object", "additionalProperties": True})]
"""A plain JSON object. `pending` checks its contents."""


def owner_of(instance: str) -> int:
    """Return the seat whose deck a card instance comes from."""
    return 0 if instance[0] == "a" else 1


@dataclass(frozen=True, slots=True)
class Piece:
    """A card in play. Fields that count "this turn" are cleared whenever a turn starts."""

    id: Instance
    card: CardId  # the current card; for a Duplication, the card it copies
    owner: SeatAt
    controller: SeatAt
    zone: SeatAt
    entered: Count  # turn
    zone_turn: Count  # turn in which it entered this zone
    order: Number  # order of entry
    moved: bool = False
    attacks: Small = 0
    ability: bool = False  # used an ability or a collision
    last_attack: Count = 0  # turn
    damage: Small = 0
    paralyzed: bool = False
    counters: Small = 0
    on: Instance | None = None  # the piece it is attached to
    x: Small = 0  # the chosen cost; 0 if put into play
    dormant: bool = False  # Delayed: its text is not active yet
    swapped: tuple[Small, Small] | None = None  # attack and defense after a Transformation
    protected: Count = 0  # turn in which it cannot be attacked
    borrowed: bool = False  # control returns at the end of the turn


@dataclass(frozen=True, slots=True)
class StationCard:
    slot: Slot
    id: Instance
    row: Row
    flipped: bool = False
    item: Number = 0  # the item in which it was flipped; until that is settled, only its owner sees the card


@dataclass(frozen=True, slots=True)
class Side:
    """The cards, counters and preferences of a seat."""

    deck: Annotated[str, OneOf((*DECKS, "constructed"))]
    pool: Annotated[tuple[Commander, ...], AtMost(len(COMMANDERS), unique=True)]  # commanders to choose from
    pile: Instances = ()  # the first is on top
    known: Small = 0  # number of cards on top that an effect put there
    hand: Instances = ()
    discard: Instances = ()  # the last is on top
    station: Annotated[tuple[StationCard, ...], AtMost(MOST_CARDS)] = ()
    commit: Annotated[Any, Like({"type": ["object", "null"], "additionalProperties": True})] = None
    commander: Annotated[str, OneOf(("", *COMMANDERS))] = ""
    life: Annotated[int, Within(-1_000, 1_000)] = 0
    full_life: Small = 0
    actions: Small = 0
    charge: Small = 0
    slots: Small = 0  # slot tokens used so far
    plays: Small = 0  # cards played this turn
    commander_uses: Small = 0  # this turn
    managed: bool = False  # station management was used this turn
    free_hand: bool = False  # no hand limit this turn
    first_turn: Count = 0
    last_turn: Count = 0  # latest turn of this seat that has ended
    extra_turns: Small = 0
    flip_slots: Annotated[tuple[Slot, ...], AtMost(MOST_CARDS, unique=True)] = ()  # the opponent's slots chosen for an empty pile
    orders: Annotated[tuple[Plain, ...], AtMost(12)] = ()
    flip_preference: Annotated[tuple[Row, ...], AtMost(len(ROWS), unique=True)] = ()
    mills: bool = False  # The Miller's preference for draws in the opponent's turn
    timeouts: Small = 0  # consecutive decisions that ended in a timeout
    timed: Annotated[str, Written(r"[a-z_]{0,20}[0-9]{0,7}(\.[0-9]{1,7})?")] = ""  # the id of the last of them


@dataclass(frozen=True, slots=True)
class Item:
    """An act that the other seat may react to. `seq`: right after the declaration; `end`: before the next item."""

    n: Annotated[int, Within(1, 1_000_000)]
    seq: Version
    by: SeatAt
    kind: Annotated[str, OneOf(KINDS)]
    card: Annotated[str, OneOf(("draw", "action", "turn", *CARDS, *COMMANDERS))]  # card id of the acting card, or the phase
    what: Annotated[str, Written("([ab]-[0-9]{2,3})?")]  # instance id, "" for commanders and phases
    note: Plain  # what was declared: target, slots, cost
    settled: bool = False
    end: Version | None = None
    answers: Annotated[
        tuple[Annotated[str, Written("[ab]-[0-9]{2,3}|[a-z_]{3,40}")], ...], AtMost(MOST_CARDS, unique=True)
    ] = ()  # responses the opponent had at `seq`: instance ids, or a commander's id
    plays: Annotated[
        Any, Like({"type": ["array", "null"], "items": {"type": "object", "additionalProperties": True}, "maxItems": 200})
    ] = None  # other reactions the opponent had at `end`; None: the same as for the item before


@dataclass(frozen=True, slots=True)
class Prompt:
    """A choice that a seat must make. `task` continues with the picks."""

    id: Number
    seat: SeatAt
    kind: Annotated[str, OneOf(PROMPTS)]
    blocking: bool
    options: Annotated[
        tuple[Annotated[str, Written("[ab]-[0-9]{2,3}|s[1-9][0-9]{0,3}|mill|draw")], ...], AtMost(2 * MOST_CARDS, unique=True)
    ]
    least: Small
    most: Small
    item: Number
    task: Plain


@dataclass(frozen=True, slots=True)
class State:
    points: Annotated[str, OneOf(("all", "plays_only"))]  # reaction_points
    max_timeouts: Small
    cards: Mapping[Instance, CardId]  # instance id -> card id
    sides: tuple[Side, Side]
    phase: Annotated[str, OneOf(PHASES)] = "choose_starter"
    turn: Count = 0
    active: SeatAt = 0  # the seat whose turn it is; before the first turn, the chooser, then the starter
    pieces: Annotated[tuple[Piece, ...], AtMost(2 * MOST_CARDS)] = ()  # in order of entry
    limbo: Instances = ()
    items: Annotated[tuple[Item, ...], AtMost(200)] = ()
    prompts: Annotated[tuple[Prompt, ...], AtMost(20)] = ()
    agenda: Annotated[tuple[Plain, ...], AtMost(100)] = ()  # unresolved tasks, the next one first
    replay: Annotated[tuple[Plain, ...], AtMost(MOST_REPLAYED)] = ()  # commands undone by the last rewind
    next_item: Number = 1
    next_prompt: Number = 1
    next_order: Number = 1
    rewinds: Number = 0
    paused: Number = 0  # the newest item's number when the active seat last asked for a pause
    winner: SeatAt | None = None
    reason: Word = ""

    def piece(self, instance: str) -> Piece | None:
        for piece in self.pieces:
            if piece.id == instance:
                return piece
        return None

    def open_items(self, against: int) -> list[Item]:
        """Return the items that a seat may still react to, oldest first."""
        return [item for item in self.items if item.by != against and not item.settled]
