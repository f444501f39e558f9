"""Events as sentences from a viewer's point of view."""

from __future__ import annotations

from collections.abc import Sequence

from gamesvc.games.kernel.game import Event, Viewer
from gamesvc.games.kernel.wording import opening
from gamesvc.games.star_commander.text.naming import Teller
from gamesvc.games.star_commander.text.telling import board, cards, course, plays

TELL = {**course.TELL, **board.TELL, **cards.TELL, **plays.TELL}


def tell(event: Event, viewer: Viewer, names: Sequence[str]) -> str:
    """Describe one event as this viewer may see it in one sentence."""
    return opening(TELL[event.type](Teller(viewer, names), event.data))
