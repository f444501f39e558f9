"""The base of all events, and the shapes that recur in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict

from gamesvc.games.kernel.typed import TypedEvent
from gamesvc.games.stratastar.state import Ability, Card, Chit, Seat, Space

Abilities = Sequence[Ability]
Cards = Sequence[Card]
Chits = Sequence[Chit]
Counts = Mapping[Card, int]
Seats = Sequence[Seat]


class Group(TypedDict):
    """The fleets of one seat in one space."""

    space: Space
    fleets: int
    warfleets: int


class Losses(TypedDict):
    """The pieces that one seat loses in a battle."""

    fleets: int
    warfleets: int
    colonies: int
    stargates: int


class StratastarEvent(TypedEvent):
    """The content of one event of Stratastar."""

    __slots__ = ()
