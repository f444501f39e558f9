"""The position in a few words: for the head of a page, and in place of the picture where it cannot be seen."""

from __future__ import annotations

from gamesvc.games.drawing.chart import seat_name
from gamesvc.games.kernel.game import Caption, Data
from gamesvc.games.kernel.telling import Glance
from gamesvc.games.kernel.wording import counted, listed
from gamesvc.games.stratastar.data import WORLDS_TO_WIN
from gamesvc.games.stratastar.text.board import awaiting
from gamesvc.games.stratastar.text.narrate import PHASES, Teller


def glance(seen: Data, caption: Caption) -> Glance:
    """Return turn and phase, and the worlds of each player."""
    names = tuple(seat_name(seat, caption.names) for seat in range(len(seen["players"])))
    standing = listed(f"{names[one['seat']]} has {counted(one['worlds'], 'world')}" for one in seen["players"] if one["alive"])
    asked = awaiting(seen, Teller(seen["viewer"], names))
    return Glance(
        headline=f"Turn {seen['turn']}, {PHASES[seen['phase']]}.",
        description=f"{standing}; {WORLDS_TO_WIN} win. {asked}",
        turn=seen["turn"],
    )
