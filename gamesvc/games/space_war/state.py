"""The state of a match: frozen values only. What follows from it (attack values, who is awaited) is in `rules.facts`.

Instance ids begin with the owner's letter (`a-17`). Versions stand only in items; an item is named by its number,
which like the numbers of prompts and rewinds is never used twice, not even after a rewind.
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
"""A plain JSON object; what may stand in it is in `pending`."""


def owner_of(instance: str) -> int:
    """The seat whose deck a card instance comes from."""
    return 0 if instance[0] == "a" else 1


@dataclass(frozen=True, slots=True)
class Piece:
    """A card in play. Fields that count "this turn" are cleared when any turn starts."""

    id: Instance
    card: CardId  # the card it is at the moment; a Duplication is what it copies
    owner: SeatAt
    controller: SeatAt
    zone: SeatAt
    entered: Count  # turn
    zone_turn: Count  # turn in which it came into this zone
    order: Number  # order of entry
    moved: bool = False
    attacks: Small = 0
    ability: bool = False  # an ability or a collision was used
    last_attack: Count = 0  # turn
    damage: Small = 0
    paralyzed: bool = False
    counters: Small = 0
    on: Instance | None = None  # the piece it is attached to
    x: Small = 0  # the cost chosen; 0 when put into play
    dormant: bool = False  # Delayed, its text does not count yet
    swapped: tuple[Small, Small] | None = None  # attack and defense after a Transformation
    protected: Count = 0  # turn in which nobody may attack it
    borrowed: bool = False  # control goes back at the end of the turn


@dataclass(frozen=True, slots=True)
class StationCard:
    slot: Slot
    id: Instance
    row: Row
    flipped: bool = False
    item: Number = 0  # the item in which it was flipped; while that is open only its owner sees the card


@dataclass(frozen=True, slots=True)
class Side:
    """What belongs to a seat."""

    deck: Annotated[str, OneOf((*DECKS, "constructed"))]
    pool: Annotated[tuple[Commander, ...], AtMost(len(COMMANDERS), unique=True)]  # commanders to choose from
    pile: Instances = ()  # the first is on top
    known: Small = 0  # so many on top were put there by an effect
    hand: Instances = ()
    discard: Instances = ()  # the last is on top
    station: Annotated[tuple[StationCard, ...], AtMost(MOST_CARDS)] = ()
    commit: Annotated[Any, Like({"type": ["object", "null"], "additionalProperties": True})] = None
    commander: Annotated[str, OneOf(("", *COMMANDERS))] = ""
    life: Annotated[int, Within(-1_000, 1_000)] = 0
    full_life: Small = 0
    actions: Small = 0
    charge: Small = 0
    slots: Small = 0  # slot tokens given out
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
    mills: bool = False  # The Miller's preference for draws of the opponent's turn
    timeouts: Small = 0  # questions in a row that were left to the clock
    timed: Annotated[str, Written(r"[a-z_]{0,20}[0-9]{0,7}(\.[0-9]{1,7})?")] = ""  # the id of the last of them


@dataclass(frozen=True, slots=True)
class Item:
    """An act that the other seat may react to. `seq`: right after the declaration; `end`: before the next item."""

    n: Annotated[int, Within(1, 1_000_000)]
    seq: Version
    by: SeatAt
    kind: Annotated[str, OneOf(KINDS)]
    card: Annotated[str, OneOf(("draw", "action", "turn", *CARDS, *COMMANDERS))]  # card id of what acts, or the phase
    what: Annotated[str, Written("([ab]-[0-9]{2,3})?")]  # instance id, "" for commanders and phases
    note: Plain  # what was declared: target, slots, cost
    settled: bool = False
    end: Version | None = None
    answers: Annotated[
        tuple[Annotated[str, Written("[ab]-[0-9]{2,3}|[a-z_]{3,40}")], ...], AtMost(MOST_CARDS, unique=True)
    ] = ()  # responses the opponent had at `seq`: instance ids, or a commander's id
    plays: Annotated[
        Any, Like({"type": ["array", "null"], "items": {"type": "object", "additionalProperties": True}, "maxItems": 200})
    ] = None  # other reactions he had at `end`; None: the same as at the item before


@dataclass(frozen=True, slots=True)
class Prompt:
    """A choice a seat must make. `task` goes on with the picks."""

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
    active: SeatAt = 0  # whose turn it is; before the first turn: the chooser, then the starter
    pieces: Annotated[tuple[Piece, ...], AtMost(2 * MOST_CARDS)] = ()  # in order of entry
    limbo: Instances = ()
    items: Annotated[tuple[Item, ...], AtMost(200)] = ()
    prompts: Annotated[tuple[Prompt, ...], AtMost(20)] = ()
    agenda: Annotated[tuple[Plain, ...], AtMost(100)] = ()  # what is still to be resolved, the next first
    replay: Annotated[tuple[Plain, ...], AtMost(200)] = ()  # commands that the last rewind retracted
    next_item: Number = 1
    next_prompt: Number = 1
    next_order: Number = 1
    rewinds: Number = 0
    paused: Number = 0  # the number of the newest item when T last asked for a pause
    winner: SeatAt | None = None
    reason: Word = ""

    def piece(self, instance: str) -> Piece | None:
        for piece in self.pieces:
            if piece.id == instance:
                return piece
        return None

    def open_items(self, against: int) -> list[Item]:
        """The items that a seat may still react to, oldest first."""
        return [item for item in self.items if item.by != against and not item.settled]
