"""The position in a few words: for the head of a page, and in place of the picture where it cannot be seen."""

from __future__ import annotations

from gamesvc.games.kernel.game import Caption, Data
from gamesvc.games.kernel.telling import Glance, headline
from gamesvc.games.kernel.wording import counted, listed, seat_name
from gamesvc.games.stratastar.data import WORLDS_TO_WIN
from gamesvc.games.stratastar.text.board import awaiting
from gamesvc.games.stratastar.text.narrate import PHASES, Teller


def glance(seen: Data, caption: Caption) -> Glance:
    """Return turn, phase and acting seats, and the worlds of each player."""
    now = f"Over after turn {seen['turn']}" if seen["ended"] else f"Turn {seen['turn']}, {PHASES[seen['phase']]}"
    alive = [one for one in seen["players"] if one["alive"]]
    standing = listed(f"{seat_name(one['seat'], caption.names)} has {counted(one['worlds'], 'world')}" for one in alive)
    asked = awaiting(seen, Teller(seen["viewer"], caption.names))
    return Glance(headline(now, seen["awaited"], caption), f"{standing}; {WORLDS_TO_WIN} win. {asked}", seen["turn"])
