"""The events of turns: dice, missions, and how sheets and the match end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gamesvc.games.kernel.typed import TypedEvent
from gamesvc.games.space_fleet_commander.events.base import PhaseEvent, Pool, SheetEvent
from gamesvc.games.space_fleet_commander.state import Cell, Face, Hex, Slot, Step


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStarted(SheetEvent):
    """A turn begins with all dice of the live ships."""

    TYPE = "turn_started"
    turn: int
    dice: Pool


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamDealt(SheetEvent):
    """A seat of a race takes values from the stream that all sheets share, whether they are new or known already.

    They belong to a `cell` of it, or to a damage roll (`hit`).
    """

    TYPE = "stream_dealt"
    values: Sequence[Face]
    cell: Cell | None = None
    used: Sequence[int] | None = None
    """The places in the cell whose values the seat takes."""
    hit: int | None = None
    """The number of the damage roll, from 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiceRolled(PhaseEvent):
    """An attempt begins: all dice that are not set aside are rolled."""

    TYPE = "dice_rolled"
    attempt: int
    dice: Mapping[str, Face]
    index: Mapping[str, int]
    """The place of each die within its colour."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiceRerolled(PhaseEvent):
    """The chosen dice are rolled again."""

    TYPE = "dice_rerolled"
    roll: int
    """The second or the third of the attempt."""
    dice: Mapping[str, Face]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiceKept(PhaseEvent):
    """No die is rolled again, although some might be."""

    TYPE = "dice_kept"
    roll: int
    """The second or the third of the attempt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DieAdjusted(SheetEvent):
    """A Fire Support Ship or a Destroyer changes a die by 1."""

    TYPE = "die_adjusted"
    ship: Slot
    die: str
    before: Face
    value: Face


@dataclass(frozen=True, slots=True, kw_only=True)
class DieRemoved(SheetEvent):
    """A Prison Barge takes a die that shows 1 out of the turn."""

    TYPE = "die_removed"
    ship: Slot
    die: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OnesCounted(PhaseEvent):
    """The dice that show 1 are counted; each marks a sabotage cell."""

    TYPE = "ones_counted"
    dice: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetsFound(PhaseEvent):
    """The dice reach at least one hex."""

    TYPE = "targets_found"
    hexes: Sequence[Hex]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplorationFailed(SheetEvent):
    """The dice reach no hex."""

    TYPE = "exploration_failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class HexExplored(SheetEvent):
    """A hex is explored and its stars are scored."""

    TYPE = "hex_explored"
    hex: Hex
    kind: str
    """Of the mission."""
    stars: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RankGained(SheetEvent):
    """The stars suffice for a new rank."""

    TYPE = "rank_gained"
    rank: int
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairDue(PhaseEvent):
    """A Repair Tender can add hull to more than one ship."""

    TYPE = "repair_due"
    tender: Slot
    candidates: Sequence[Slot]
    todo: Sequence[Step]
    """The steps that follow the choice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HullAdded(PhaseEvent):
    """A Repair Tender adds hull to a ship."""

    TYPE = "hull_added"
    tender: Slot
    slot: Slot
    hull: int
    """The hull of the ship from now on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PushOffered(PhaseEvent):
    """The seat may push on or end the turn."""

    TYPE = "push_offered"


@dataclass(frozen=True, slots=True, kw_only=True)
class DieSetAside(SheetEvent):
    """The seat pushes on and pays with a die."""

    TYPE = "die_set_aside"
    die: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnded(PhaseEvent):
    """A turn ends."""

    TYPE = "turn_ended"
    turn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnAwaited(PhaseEvent):
    """The sheet waits until all others have ended the turn, too."""

    TYPE = "turn_awaited"


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetFinished(SheetEvent):
    """A sheet comes to its end."""

    TYPE = "sheet_finished"
    reason: str
    stars: int
    title: str
    rank: int


@dataclass(frozen=True, slots=True)
class GameOver(TypedEvent):
    """The last sheet is finished."""

    TYPE = "game_over"
    stars: Sequence[int]
    """Of each seat."""


KINDS: tuple[type[TypedEvent], ...] = (
    TurnStarted,
    StreamDealt,
    DiceRolled,
    DiceRerolled,
    DiceKept,
    DieAdjusted,
    DieRemoved,
    OnesCounted,
    TargetsFound,
    ExplorationFailed,
    HexExplored,
    RankGained,
    RepairDue,
    HullAdded,
    PushOffered,
    DieSetAside,
    TurnEnded,
    TurnAwaited,
    SheetFinished,
    GameOver,
)
