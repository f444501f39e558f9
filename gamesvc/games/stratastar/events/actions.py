"""Events of acts that are paid for, and of the answers to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from gamesvc.games.kernel.game import Command, Data
from gamesvc.games.stratastar.events.shapes import Cards, Counts, Seats, StratastarEvent
from gamesvc.games.stratastar.state import Seat, Space


@dataclass(frozen=True, slots=True, kw_only=True)
class Paid(StratastarEvent):
    """An act that a seat pays for."""

    seat: Seat
    paid: Cards
    credit: Counts
    """The credit spent."""
    made: Counts
    """The credit that the cards are worth beyond the cost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Announced(Paid):
    """An action that others may be asked about."""

    id: int
    action: str
    args: Data
    """The parameters of the action: see `rules.pending`."""
    free: bool
    enters: Space | None
    asked: Seats
    then: Literal["", "battle", "end_turn"] = ""
    """The follow-up to a movement that nobody answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionDeclared(Announced):
    """A seat declares an action. It takes effect at once unless seats are asked."""

    TYPE = "action_declared"
    auto: bool
    """Declared by a standing order."""
    answers: int | None
    """The action whose before-window it answers."""
    unasked: Seats = ()
    """The seats that by public facts could have answered and are not asked, which tells of their cards or orders."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowOpened(Announced):
    """Seats are asked about a movement that has taken place."""

    TYPE = "window_opened"
    later: Mapping[str, Command] | None = None
    """Answers that seats have prepared, by the seat's number; an empty one does nothing."""


@dataclass(frozen=True, slots=True)
class WindowClosed(StratastarEvent):
    """All asked seats have answered."""

    TYPE = "window_closed"
    id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed(StratastarEvent):
    """A seat lets an action happen, or calls no battle."""

    TYPE = "passed"
    seat: Seat
    action: int | None
    """None: it calls no battle."""
    how: Literal["passes", "orders"]
    after: bool = False
    """It answers the window after the movement, too."""
    then: Command | None = None
    """The answer to that window; None: nothing."""


@dataclass(frozen=True, slots=True)
class ReactionPrepared(StratastarEvent):
    """A pass with a prepared answer, as rules before 1.2 wrote it."""

    TYPE = "reaction_prepared"
    seat: Seat
    action: int
    command: Command


@dataclass(frozen=True, slots=True)
class ActionNegated(StratastarEvent):
    """An action is sabotaged."""

    TYPE = "action_negated"
    id: int
    seat: Seat
    action: str
    by: Seat


@dataclass(frozen=True, slots=True)
class ActionFailed(StratastarEvent):
    """A declared action has become impossible."""

    TYPE = "action_failed"
    id: int
    seat: Seat
    action: str
    reason: Literal["no_cards", "gone"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveBlocked(Paid):
    """Diplomacy stops a movement, and its payment is returned."""

    TYPE = "move_blocked"
    id: int
    by: Seat
    space: Space
    free: bool
    discard_at: int
    """The place of the payment in the discard pile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spied(Paid):
    """A seat looks at a hand, or at the next cards of the deck."""

    TYPE = "spied"
    target: Seat | Literal["deck"]
    cards: Cards
    turn: int
    keeps: int
    """The number of results that the seat keeps, with this one."""


KINDS: tuple[type[StratastarEvent], ...] = (
    ActionDeclared, WindowOpened, WindowClosed, Passed, ReactionPrepared, ActionNegated, ActionFailed, MoveBlocked, Spied,
)  # fmt: skip
