"""Events as sentences from a viewer's point of view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gamesvc.games.kernel.game import Event, Viewer
from gamesvc.games.kernel.telling import Part
from gamesvc.games.kernel.wording import opening
from gamesvc.games.star_commander.text.naming import Teller
from gamesvc.games.star_commander.text.telling import board, cards, course, plays

PARTS: Mapping[str, Part] = {
    "vessel_destroyed": "decisive",
    "player_eliminated": "decisive",
    "game_ended": "decisive",
    "action_declared": "announcement",
    "credits_spent": "price",
    "priority_passed": "course",
    "stack_item_resolved": "course",
    "choice_requested": "course",
    "phase_entered": "announcement",
    "turn_ended": "announcement",
}
"""The parts of an act, beside its outcome, that events tell."""
TELL = {**course.TELL, **board.TELL, **cards.TELL, **plays.TELL}


def tell(event: Event, viewer: Viewer, names: Sequence[str]) -> str:
    """Describe one event as this viewer may see it in one sentence."""
    return opening(TELL[event.type](Teller(viewer, names), event.data))
