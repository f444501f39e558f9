"""The default commands for timeouts (RULES.md 14)."""

from __future__ import annotations

from gamesvc.games.kernel.game import Command
from gamesvc.games.stratastar.data import CORNER_ORDER
from gamesvc.games.stratastar.rules.actions.battle import ATTACKS
from gamesvc.games.stratastar.rules.legal import awaited
from gamesvc.games.stratastar.rules.setup import free_corners
from gamesvc.games.stratastar.rules.turn import default_disband
from gamesvc.games.stratastar.state import State


def default_command(state: State, seat: int) -> Command:
    """Return the command for an awaited seat that has timed out. It depends on the seat's own view only."""
    [prompt] = [one.prompt for one in awaited(state) if one.seat == seat]
    if prompt == "homeworld":
        free = free_corners(state)
        return {"name": "place_homeworld", "corner": next(corner for corner in CORNER_ORDER if corner in free)}
    if prompt in ("ability_draft", "pick_ability"):
        return {"name": "pick_ability", "ability": state.turn.choice[0]}
    if prompt == "retool":
        return {"name": "retool", "cards": []}
    if prompt == "support":
        return {"name": "support", "builds": [], "disband": default_disband(state, seat)}
    if prompt == "trade_reply":
        return {"name": "reject_offer", "offer": state.waiting}
    if prompt in ("window", "battle_call"):
        return {"name": "pass"}
    if prompt == "commit":
        battle, player = state.battle, state.players[seat]
        at_home = battle is not None and player.home == battle.space
        return {"name": "commit_attack", "cards": [card for card in player.hand if card in ATTACKS] if at_home else []}
    return {"name": "end_phase"}
