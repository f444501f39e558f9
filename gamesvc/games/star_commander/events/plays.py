"""Events between seats: plays on the stack, combat, and trade."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

from gamesvc.games.kernel.typed import TypedEvent
from gamesvc.games.star_commander.events.cards import Card
from gamesvc.json_types import JsonMapping

# --- plays and priority ---


class ItemData(TypedDict):
    """A play on the stack (`state.Item`)."""

    id: int
    kind: str
    seat: int
    name: str
    uid: str | None
    source: str
    targets: dict[str, str]
    x: int
    paid: int
    explore: bool
    hold: bool
    cancelled: bool
    params: JsonMapping | None


@dataclass(frozen=True, slots=True)
class ItemAdded(TypedEvent):
    """A play comes on top of the stack, and the seat with priority responds first."""

    item: ItemData
    window: str
    priority: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CardPlayed(ItemAdded):
    """A seat plays a command card from its hand."""

    TYPE = "card_played"
    auto: bool
    """By its standing orders."""
    prepared: bool = False
    """Named before the seat had priority."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AbilityActivated(ItemAdded):
    """A seat uses an ability of its vessels, systems or technologies."""

    TYPE = "ability_activated"
    once: bool
    """It works once in a combat."""
    auto: bool
    """By its standing orders."""
    prepared: bool = False
    """Named before the seat had priority."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionDeclared(ItemAdded):
    """A seat declares an action that others may respond to."""

    TYPE = "action_declared"
    card: str | None = None
    """The card from its hand that it reveals."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PriorityPassed(TypedEvent):
    """Seats pass in the open window, or answer in advance."""

    TYPE = "priority_passed"
    seats: Sequence[int]
    auto: bool
    """No seat was asked."""
    closed: bool
    """All have passed in a row, which ends the window."""
    early: bool = False
    """Before the seat has priority."""
    sealed: bool = False
    """An answer in advance to a question that the seat was asked along with others."""
    play: JsonMapping | None = None
    """The command that a sealed answer holds, which plays something in place of passing."""
    rest: bool = False
    """The seat passes for the rest of the turn."""


@dataclass(frozen=True, slots=True)
class StackItemResolved(TypedEvent):
    """The item on top of the stack takes effect."""

    TYPE = "stack_item_resolved"
    item: int
    name: str
    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StackItemFizzled(TypedEvent):
    """The item on top of the stack has no effect."""

    TYPE = "stack_item_fizzled"
    item: int
    name: str
    seat: int
    why: str
    returned: str | None
    """The uid of the card that goes back to its hand."""
    refund: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StackItemCancelled(TypedEvent):
    """A seat cancels an item on the stack."""

    TYPE = "stack_item_cancelled"
    item: int
    name: str
    seat: int
    by: int


# --- combat ---


@dataclass(frozen=True, slots=True)
class CombatOpened(TypedEvent):
    """A combat begins in a cell."""

    TYPE = "combat_opened"
    cell: str
    participants: Sequence[int]


class Shot(TypedDict):
    """The damage that a vessel assigns to a target; its `attack` at that moment."""

    vessel: str
    target: str
    amount: int
    attack: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DamageAssigned(TypedEvent):
    """A seat assigns the damage of its vessels in a combat."""

    TYPE = "damage_assigned"
    seat: int
    cell: str
    turn: int
    shots: Sequence[Shot]
    more: bool
    """The seat has more to assign."""
    auto: bool
    """By its standing orders."""
    passes: bool | None = None
    """The seat also passes the window that follows. None in matches of rules 1.0."""
    stays: bool = False
    """The seat also declines to retreat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DamageRedirected(TypedEvent):
    """The damage assigned to a vessel hits another one."""

    TYPE = "damage_redirected"
    from_vessel: str
    to: str
    amount: int
    seat: int


@dataclass(frozen=True, slots=True)
class CombatClosed(TypedEvent):
    """A combat is over."""

    TYPE = "combat_closed"
    cell: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RetreatDeclined(TypedEvent):
    """A seat that could retreat stays."""

    TYPE = "retreat_declined"
    seat: int
    cell: str
    auto: bool
    """Decided in advance."""


# --- trade between players ---


class SideData(TypedDict):
    """One side of an offer (`state.Side`)."""

    credits: int
    hand: Sequence[str]
    cards: int
    technologies: Sequence[str]
    vessels: Sequence[str]
    systems: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class TradeOffered(TypedEvent):
    """A seat offers another one a trade."""

    TYPE = "trade_offered"
    offer: int
    seat: int
    to: int
    give: SideData
    want: SideData
    cards: Sequence[Card]
    """Those given from hand."""
    note: str | None = None
    """The words beside it, in matches of rules 1.1."""


class Trader(TypedDict):
    """The goods that a seat gives in a trade. `purse`: the credits that it has afterwards."""

    seat: int
    credits: int
    purse: int
    hand: Sequence[str]
    technologies: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class TradeCompleted(TypedEvent):
    """Two seats exchange credits, cards and technologies. Systems and vessels follow in events of their own."""

    TYPE = "trade_completed"
    offer: int
    maker: Trader
    taker: Trader
    cards: Sequence[Card]
    """Those that change hands."""


@dataclass(frozen=True, slots=True)
class TradeDeclined(TypedEvent):
    """A seat declines an offer."""

    TYPE = "trade_declined"
    offer: int
    seat: int
    to: int
    """The seat that made it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TradeWithdrawn(TypedEvent):
    """An offer is withdrawn by the seat that made it."""

    TYPE = "trade_withdrawn"
    offer: int
    seat: int
    to: int
    auto: bool
    """Its goods are gone."""


@dataclass(frozen=True, slots=True)
class TradesLapsed(TypedEvent):
    """All open offers end with the command phase."""

    TYPE = "trades_lapsed"
    offers: Sequence[int]
