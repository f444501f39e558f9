"""The course of a match: its opening, turns, phases, actions, timeouts and its end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

from gamesvc.games.space_war.events.base import WarEvent


class SideDealt(TypedDict):
    """A seat's deck, and the commanders from which it chooses."""

    deck: str
    pool: Sequence[str]


class Commit(TypedDict):
    """A seat's secret preparation: station cards, the row of each, and the commander."""

    cards: Sequence[str]
    rows: Sequence[str]
    commander: str


class FirstStationCard(TypedDict):
    slot: str
    id: str
    row: str


class SideRevealed(TypedDict):
    """A seat's station and commander. `life`: the commander's life points."""

    station: Sequence[FirstStationCard]
    commander: str
    life: int


# --- the opening ---


@dataclass(frozen=True, slots=True, kw_only=True)
class GameCreated(WarEvent):
    """A match begins."""

    TYPE = "game_created"
    points: str
    """The option `reaction_points`."""
    max_timeouts: int
    sides: Sequence[SideDealt]


@dataclass(frozen=True, slots=True)
class ChooserDrawn(WarEvent):
    """A seat is drawn that chooses who starts."""

    TYPE = "chooser_drawn"
    seat: int


@dataclass(frozen=True, slots=True)
class StarterChosen(WarEvent):
    """The seat that starts is known."""

    TYPE = "starter_chosen"
    seat: int


@dataclass(frozen=True, slots=True)
class SeatPrepared(WarEvent):
    """A seat has chosen its station and its commander, in secret."""

    TYPE = "seat_prepared"
    seat: int
    commit: Commit


@dataclass(frozen=True, slots=True)
class PreparationRevealed(WarEvent):
    """Both seats have prepared: their commanders and stations are laid out."""

    TYPE = "preparation_revealed"
    sides: Sequence[SideRevealed]


# --- turns ---


@dataclass(frozen=True, slots=True)
class TurnStarted(WarEvent):
    """A seat's turn starts, and the settled items of the turn before are put away."""

    TYPE = "turn_started"
    seat: int
    turn: int
    reviewed: Sequence[int] | None = None
    """The seats whose settled items are put away: those whose items the other seat has reviewed completely.

    None in older records: both seats.
    """


@dataclass(frozen=True, slots=True)
class PhaseEntered(WarEvent):
    """The turn enters a phase."""

    TYPE = "phase_entered"
    phase: str
    seat: int | None = None
    """The seat that reviews the open items before its turn. None in all other phases."""


@dataclass(frozen=True, slots=True)
class ActionsSet(WarEvent):
    """A seat gets the actions of its turn, or loses what is left of them."""

    TYPE = "actions_set"
    seat: int
    actions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionsChanged(WarEvent):
    """An effect gives a seat actions."""

    TYPE = "actions_changed"
    seat: int
    actions: int
    """All that the seat has now."""
    change: int


@dataclass(frozen=True, slots=True, kw_only=True)
class UpkeepPaid(WarEvent):
    """A seat pays for its durations, or for some of them."""

    TYPE = "upkeep_paid"
    seat: int
    kept: Sequence[str]
    discarded: Sequence[str]
    names: Mapping[str, str]
    cost: int
    actions: int
    """All that the seat has left."""


@dataclass(frozen=True, slots=True)
class HandFreed(WarEvent):
    """A seat has no hand limit this turn."""

    TYPE = "hand_freed"
    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtraTurnGained(WarEvent):
    """A seat gains another turn after this one."""

    TYPE = "extra_turn_gained"
    seat: int
    turns: int
    """All extra turns that the seat has now."""
    card: str
    """The card in play that gives the turn."""
    counters: int
    """The counters left on that card."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnded(WarEvent):
    """A seat ends its turn."""

    TYPE = "turn_ended"
    seat: int
    extra_turns: int
    """The extra turns that it still has after the next one."""
    flip_slots: Sequence[str]
    """The opponent's slots to flip first if their pile is empty in their next turn."""


@dataclass(frozen=True, slots=True)
class WentOn(WarEvent):
    """Tasks were resolved, and nothing else changed."""

    TYPE = "went_on"


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedOut(WarEvent):
    """A seat's time has run out."""

    TYPE = "timed_out"
    seat: int
    in_a_row: int
    """The number of decisions in a row that this seat has let run out."""
    question: str
    """The id of the decision."""


# --- the end ---


@dataclass(frozen=True, slots=True, kw_only=True)
class LifeChanged(WarEvent):
    """A commander loses life points."""

    TYPE = "life_changed"
    seat: int
    life: int
    """The life points left."""
    lost: int


@dataclass(frozen=True, slots=True)
class OutcomePending(WarEvent):
    """A seat's commander falls unless the seat answers the item."""

    TYPE = "outcome_pending"
    seat: int
    item: int


@dataclass(frozen=True, slots=True)
class GameEnded(WarEvent):
    """A seat has won."""

    TYPE = "game_ended"
    winner: int
    reason: str
    """`commander`, `resigned` or `timed_out`."""


KINDS: tuple[type[WarEvent], ...] = (
    GameCreated, ChooserDrawn, StarterChosen, SeatPrepared, PreparationRevealed, TurnStarted, PhaseEntered, ActionsSet,
    ActionsChanged, UpkeepPaid, HandFreed, ExtraTurnGained, TurnEnded, WentOn, TimedOut, LifeChanged, OutcomePending, GameEnded,
)  # fmt: skip
