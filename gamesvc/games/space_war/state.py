"""The state of a match: frozen values only. What follows from it (attack values, who is awaited) is in `board`.

Instance ids begin with the owner's letter (`a-17`). Versions stand only in items; an item is named by its number,
which like the numbers of prompts and rewinds is never used twice, not even after a rewind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gamesvc.games.kernel import Version

LETTERS = "ab"


def owner_of(instance: str) -> int:
    """The seat whose deck a card instance comes from."""
    return 0 if instance[0] == "a" else 1


@dataclass(frozen=True, slots=True)
class Piece:
    """A card in play. Fields that count "this turn" are cleared when any turn starts."""

    id: str
    card: str  # the card it is at the moment; a Duplication is what it copies
    owner: int
    controller: int
    zone: int
    entered: int  # turn
    zone_turn: int  # turn in which it came into this zone
    order: int  # order of entry
    moved: bool = False
    attacks: int = 0
    ability: bool = False  # an ability or a collision was used
    last_attack: int = 0  # turn
    damage: int = 0
    paralyzed: bool = False
    counters: int = 0
    on: str | None = None  # the piece it is attached to
    x: int = 0  # the cost chosen; 0 when put into play
    dormant: bool = False  # Delayed, its text does not count yet
    swapped: tuple[int, int] | None = None  # attack and defense after a Transformation
    protected: int = 0  # turn in which nobody may attack it
    borrowed: bool = False  # control goes back at the end of the turn


@dataclass(frozen=True, slots=True)
class StationCard:
    slot: str
    id: str
    row: str
    flipped: bool = False
    item: int = 0  # the item in which it was flipped; while that is open only its owner sees the card


@dataclass(frozen=True, slots=True)
class Side:
    """What belongs to a seat."""

    deck: str
    pool: tuple[str, ...]  # commanders to choose from
    pile: tuple[str, ...] = ()  # the first is on top
    known: int = 0  # so many on top were put there by an effect
    hand: tuple[str, ...] = ()
    discard: tuple[str, ...] = ()  # the last is on top
    station: tuple[StationCard, ...] = ()
    commit: Any = None
    commander: str = ""
    life: int = 0
    full_life: int = 0
    actions: int = 0
    charge: int = 0
    slots: int = 0  # slot tokens given out
    plays: int = 0  # cards played this turn
    commander_uses: int = 0  # this turn
    managed: bool = False  # station management was used this turn
    free_hand: bool = False  # no hand limit this turn
    first_turn: int = 0
    last_turn: int = 0  # latest turn of this seat that has ended
    extra_turns: int = 0
    flip_slots: tuple[str, ...] = ()  # the opponent's slots chosen for an empty pile
    orders: tuple[Any, ...] = ()
    flip_preference: tuple[str, ...] = ()
    timeouts: int = 0  # questions in a row that were left to the clock
    timed: str = ""  # the id of the last of them


@dataclass(frozen=True, slots=True)
class Item:
    """An act that the other seat may react to. `seq`: right after the declaration; `end`: before the next item."""

    n: int
    seq: Version
    by: int
    kind: str
    card: str  # card id of what acts, or the phase
    what: str  # instance id, "" for commanders and phases
    note: Any  # what was declared: target, slots, cost
    settled: bool = False
    end: Version | None = None
    answers: tuple[str, ...] = ()  # responses the opponent had at `seq`: instance ids, or a commander's id
    plays: Any = None  # other reactions he had at `end`; None: the same as at the item before


@dataclass(frozen=True, slots=True)
class Prompt:
    """A choice a seat must make. `task` goes on with the picks."""

    id: int
    seat: int
    kind: str
    blocking: bool
    options: tuple[str, ...]
    least: int
    most: int
    item: int
    task: Any


@dataclass(frozen=True, slots=True)
class State:
    points: str  # reaction_points
    max_timeouts: int
    cards: Mapping[str, str]  # instance id -> card id
    sides: tuple[Side, Side]
    phase: str = "choose_starter"
    turn: int = 0
    active: int = 0  # whose turn it is; before the first turn: the chooser, then the starter
    pieces: tuple[Piece, ...] = ()  # in order of entry
    limbo: tuple[str, ...] = ()
    items: tuple[Item, ...] = ()
    prompts: tuple[Prompt, ...] = ()
    agenda: tuple[Any, ...] = ()  # what is still to be resolved, the next first
    replay: tuple[Any, ...] = ()  # commands that the last rewind retracted
    next_item: int = 1
    next_prompt: int = 1
    next_order: int = 1
    rewinds: int = 0
    paused: int = 0  # the number of the newest item when T last asked for a pause
    winner: int | None = None
    reason: str = ""

    def piece(self, instance: str) -> Piece | None:
        for piece in self.pieces:
            if piece.id == instance:
                return piece
        return None

    def open_items(self, against: int) -> list[Item]:
        """The items that a seat may still react to, oldest first."""
        return [item for item in self.items if item.by != against and not item.settled]
