"""Played positions of two games with orders that are legal in them: own orders, and other ones for quotes."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gamesvc.games.kernel.game import Caption
from gamesvc.games.space_war import GAME as SPACE_WAR
from gamesvc.games.stratastar import GAME as STRATASTAR
from tests.games.space_war import table as space_war
from tests.games.stratastar import table as stratastar

NAMES = ("anna", "ben")


@dataclass(frozen=True, slots=True)
class Position:
    """A position in which seat 0 has to act. No order is both an own and a quoted one, so that a leak shows."""

    game: Any
    view: Mapping[str, Any]
    prompt: str
    board: str
    own: tuple[tuple[str, ...], ...]
    """Sets of orders for one mail."""
    quoted: tuple[str, ...]
    long: str
    """An order that programs wrap."""
    tempting: tuple[str, ...]
    """Sentences that begin like an order or a service word and are none."""

    @property
    def title(self) -> str:
        return str(self.game.manifest.title)


# The beginnings of service words.
_SERVICE = ("Undo that if you can, Ben!", "Resign? Never.", "Draw it out as long as you like.", "Pause here for a moment.")


def _of(
    game: Any, state: Any, own: tuple[tuple[str, ...], ...], quoted: tuple[str, ...], long: str, tempting: tuple[str, ...]
) -> Position:
    view = game.view(state, 0)
    [prompt] = [asked.prompt for asked in game.awaited(state) if asked.seat == 0]
    return Position(game, view, prompt, game.board_text(view, Caption(names=NAMES)), own, quoted, long, (*tempting, *_SERVICE))


@functools.cache
def position(name: str) -> Position:
    """Return the position of a game: `stratastar` or `space_war`."""
    return {"stratastar": _stratastar, "space_war": _space_war}[name]()


def _stratastar() -> Position:
    table = stratastar.Table().hand(0, "2A 3M 4B 2T 1R").hand(1, "1A 2M 1B 1T").phase("build")
    for space, fleets in {"E5": 2, "B4": 2, "C4": 1, "D5": 1, "A1": 1}.items():
        table.put(0, space, fleets=fleets)
    table.put(0, "B2", fleets=1, colonies=1).put(1, "G7", fleets=2)
    for space in ("B4", "C4", "D5", "F6", "H3"):
        table.chit(space, "world")
    table.start()
    own = (
        ("colonize C4",),
        ("colonize C4", "fleet"),
        ("colonize D5", "colonize C4", "end phase"),
        ("fleet", "end phase", "move E5 F5 2F"),
        ("colonize D5", "end phase", "move E5 E6 1F", "move A1 A2 1F"),
        ("colonize C4 pay 1B", "end phase", "move E5 F5 2F then end"),
    )
    quoted = ("colonize B4", "move B4 B5 2F", "disaster Blue fleet G7", "end turn")
    long = "orders retreat auto; diplomacy ask any; sabotage ask all; defend auto; fight peace; commit 3; offers reject"
    tempting = (
        "Move faster next time, Ben.",
        "Fleet business is hard work.",
        "End of the month I am away.",
        "Pass the salt, please.",
    )
    return _of(STRATASTAR, table.state, own, quoted, long, tempting)


def _space_war() -> Position:
    hand = ["titan", "drone", "luck", "satellite", "fatal_error", "starship", "hunter", "avoid", "scout", "nitro"]
    table = space_war.table(
        a={"hand": hand, "play": [("pursuiter", {})], "station": {"draw": 2, "action": 2, "hand": 2}},
        b={"hand": ["luck", "avoid", "drone"], "play": [("hunter", {}), ("scout", {"zone": "enemy"})]},
    )
    own = (
        ("play titan",),
        ("play titan", "end phase"),
        ("add drone action", "shift s2 hand", "end phase"),
        ("play drone", "play satellite"),
        ("play fatal_error x 3 on b-04", "end phase"),
        ("play starship", "add scout draw", "end phase"),
    )
    quoted = ("play hunter", "add avoid hand", "commander", "end turn")
    long = "orders react kind play type event min 3 use avoid cancel | stand any | flips action draw hand | draws mill"
    tempting = ("Play well, Ben.", "Add my regards to your sister.", "Commander Anna says hello.", "Attack is the best defence.")
    return _of(SPACE_WAR, table.state, own, quoted, long, tempting)
