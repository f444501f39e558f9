"""Choices and answers: prompts, items to which the other seat may react, and standing orders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

from gamesvc.games.kernel.game import Data
from gamesvc.games.space_war.events.base import WarEvent


class ItemEnded(TypedDict):
    """The last version of an item, and the reactions that the other seat had there; None for those of the item before."""

    end: int
    plays: Sequence[Data] | None


class Flip(TypedDict):
    """A station card that was flipped within a settled item."""

    seat: int
    slot: str
    id: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptOpened(WarEvent):
    """A seat must choose."""

    TYPE = "prompt_opened"
    prompt: int
    seat: int
    kind: str
    blocking: bool
    """The match waits for the choice, in either seat's turn."""
    options: Sequence[str]
    least: int
    most: int
    item: int
    """The item within which the choice is made; 0 for none."""
    task: Data
    """The task that continues with the picks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptAnswered(WarEvent):
    """A seat has chosen."""

    TYPE = "prompt_answered"
    prompt: int
    seat: int
    kind: str
    picks: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemOpened(WarEvent):
    """An act was declared to which the other seat may react."""

    TYPE = "item_opened"
    item: int
    seq: int
    """The version of this event."""
    by: int
    kind: str
    card: str
    """The card id of the acting card, or the phase."""
    what: str
    """Its instance id; empty for commanders and phases."""
    note: Data
    """The declaration: targets, cost, power."""
    answers: Sequence[str]
    """The responses that the other seat has now."""
    last: ItemEnded | None
    """The end of the item before. None if it has already ended, or if there is none."""
    left: Sequence[Data] | None = None
    """The other seat's standing orders after one of them let the item stand at once. None if none did.

    Rules before 1.2.3 told this by two events of their own, which the acting seat could count.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemsSettled(WarEvent):
    """A seat lets items stand."""

    TYPE = "items_settled"
    seat: int
    items: Sequence[int]
    flips: Sequence[Flip] = ()
    """Station cards that everyone knows from now on."""


@dataclass(frozen=True, slots=True)
class CardCountered(WarEvent):
    """An answer cancels a card that was played."""

    TYPE = "card_countered"
    card: str
    name: str


@dataclass(frozen=True, slots=True)
class AttackFailed(WarEvent):
    """An answer makes an attack fail."""

    TYPE = "attack_failed"
    attacker: str
    name: str


@dataclass(frozen=True, slots=True)
class Paused(WarEvent):
    """A seat waits until the other one has answered all that is open, up to the item `at`."""

    TYPE = "paused"
    seat: int
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OrdersSet(WarEvent):
    """A seat leaves standing orders and preferences."""

    TYPE = "orders_set"
    seat: int
    orders: Sequence[Data]
    flip_preference: Sequence[str] | None
    """The rows to flip first. None leaves the preference as it was."""
    draws: str | None = ""
    """`draw` or `mill`. None leaves the preference as it was; events of rules 1.0 have no such field."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderFired(WarEvent):
    """A standing order answers an item."""

    TYPE = "order_fired"
    seat: int
    orders: Sequence[Data]
    """The orders that are left."""
    item: int
    did: str
    """`react` or `stand`."""
    card: str
    """The response: an instance id or a commander; empty for none."""


KINDS: tuple[type[WarEvent], ...] = (
    PromptOpened, PromptAnswered, ItemOpened, ItemsSettled, CardCountered, AttackFailed, Paused, OrdersSet, OrderFired,
)  # fmt: skip
