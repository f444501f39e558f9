"""Events of actions that take effect: on hands, pieces and the map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gamesvc.games.stratastar.events.shapes import Abilities, Chits, Seats, StratastarEvent
from gamesvc.games.stratastar.state import Card, Chit, Seat, Space

# --- cards ---


@dataclass(frozen=True, slots=True, kw_only=True)
class CardHit(StratastarEvent):
    """A card that another seat loses, found by chance in its hand."""

    seat: Seat
    victim: Seat
    card: Card
    index: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CardTaken(CardHit):
    """A seat takes a card by external trade."""

    TYPE = "card_taken"


@dataclass(frozen=True, slots=True, kw_only=True)
class CardTakenDiscarded(CardHit):
    """External trade hits a Trade card, which is discarded."""

    TYPE = "card_taken_discarded"


@dataclass(frozen=True, slots=True, kw_only=True)
class CardLost(CardHit):
    """A seat loses a card to piracy."""

    TYPE = "card_lost"


@dataclass(frozen=True, slots=True)
class CardRecovered(StratastarEvent):
    """A seat takes the top card of the discard pile by Planning."""

    TYPE = "card_recovered"
    seat: Seat
    card: Card
    discard_at: int


# --- pieces and the map ---


@dataclass(frozen=True, slots=True)
class Built(StratastarEvent):
    """A piece that a seat builds."""

    seat: Seat
    space: Space


@dataclass(frozen=True, slots=True)
class FleetBuilt(Built):
    """A seat builds a Fleet."""

    TYPE = "fleet_built"


@dataclass(frozen=True, slots=True)
class WarfleetBuilt(Built):
    """A seat builds a Warfleet."""

    TYPE = "warfleet_built"


@dataclass(frozen=True, slots=True)
class StargateBuilt(Built):
    """A seat builds a Stargate."""

    TYPE = "stargate_built"


@dataclass(frozen=True, slots=True)
class ColonyPlaced(StratastarEvent):
    """A seat places a colony: by an action, or by the capture of a Homeworld."""

    TYPE = "colony_placed"
    seat: Seat
    space: Space
    how: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AbilityRolled(StratastarEvent):
    """A seat rolls for the ability of a breakthrough."""

    TYPE = "ability_rolled"
    seat: Seat
    roll: int
    choice: Abilities
    """Those to pick from, where there are several."""
    again: bool
    """The seat has all of them, and rolls again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetsMoved(StratastarEvent):
    """A group of fleets moves."""

    TYPE = "fleets_moved"
    seat: Seat
    from_: Space
    to: Space
    fleets: int
    warfleets: int
    how: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveBounced(StratastarEvent):
    """Fleets find a hazard in an unknown space, and stay where they were."""

    TYPE = "move_bounced"
    seat: Seat
    from_: Space
    to: Space
    kind: Chit


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceRevealed(StratastarEvent):
    """An unknown space becomes known to all."""

    TYPE = "space_revealed"
    space: Space
    kind: Chit
    taken: Chits
    """The chits that leave the pile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceScouted(StratastarEvent):
    """A seat looks at an unknown space."""

    TYPE = "space_scouted"
    seat: Seat
    from_: Space
    space: Space
    kind: Chit
    taken: Chits
    """The chits that leave the pile."""


@dataclass(frozen=True, slots=True)
class ContactMade(StratastarEvent):
    """Two empires meet."""

    TYPE = "contact_made"
    seats: Seats


@dataclass(frozen=True, slots=True, kw_only=True)
class PieceHit(StratastarEvent):
    """A piece that another seat loses."""

    seat: Seat
    victim: Seat
    piece: Literal["fleet", "warfleet", "colony", "stargate"]
    space: Space


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitReplaced(PieceHit):
    """A piece goes over to another seat by Treason."""

    TYPE = "unit_replaced"


@dataclass(frozen=True, slots=True, kw_only=True)
class PieceDestroyed(PieceHit):
    """A disaster destroys a piece."""

    TYPE = "piece_destroyed"


@dataclass(frozen=True, slots=True)
class ColonyRaided(StratastarEvent):
    """A border raid hits a colony: it does not count in its owner's next own draw and support phases."""

    TYPE = "colony_raided"
    seat: Seat
    victim: Seat
    space: Space


KINDS: tuple[type[StratastarEvent], ...] = (
    CardTaken, CardTakenDiscarded, CardLost, CardRecovered,
    FleetBuilt, WarfleetBuilt, StargateBuilt, ColonyPlaced, AbilityRolled,
    FleetsMoved, MoveBounced, SpaceRevealed, SpaceScouted, ContactMade, UnitReplaced, PieceDestroyed, ColonyRaided,
)  # fmt: skip
