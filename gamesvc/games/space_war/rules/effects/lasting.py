"""What holds for a while: uses that are left this turn, and how long a card stays locked, disarmed or protected."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gamesvc.games.space_war.data import CARDS, COMMANDERS, uses_of
from gamesvc.games.space_war.rules.facts import Board
from gamesvc.games.space_war.state import Piece

"""By `until` of a lasting effect the words for it."""
"""The lasting effects on a card in play, and the words for them."""


def lasting(board: Board, p: Piece) -> Iterator[dict[str, Any]]:
    """List what holds for a card in play: `mark`, `until`, and `by`, the card in play that it comes from.

    `draw_phase` counts the draw phases of that card's controller that are still to come, the last of which ends it.
    """
    if p.paralyzed:
        yield {"mark": "paralyzed", "until": "repair"}
    if p.protected == board.state.turn:
        yield {"mark": "protected", "until": "turn_end"}
    if p.borrowed:
        yield {"mark": "borrowed", "until": "turn_end"}
    if p.dormant:
        yield {"mark": "delayed", "until": "turn_start"}
    for source in board.silencers(p):
        yield {"mark": "suppressed", "until": "in_play", "by": source.id}
    for what in ("move", "attack"):
        for source in board.forbidders(p, what):
            yield {"mark": f"cannot_{what}", "by": source.id, **_end(source)}


def _end(source: Piece) -> dict[str, Any]:
    """Moment of Peace leaves play in its second draw phase; other cards stay as long as they are paid for."""
    for _, effect in CARDS[source.card].triggered("draw_phase"):
        if effect["op"] == "discard_from_play":
            return {"until": "draw_phase", "draw_phases": max(1, 2 - source.counters)}
    return {"until": "in_play"}


def commander_left(board: Board, seat: int) -> int | None:
    """How often a commander with a limit may still be used this turn; None where there is no limit."""
    side = board.state.sides[seat]
    effects = COMMANDERS[side.commander].effects if side.commander else ()
    limits = [uses_of(effect) for effect in effects if "limit" in effect]
    return max(0, min(limits) - side.commander_uses) if limits else None


def plays_left(board: Board, seat: int) -> int | None:
    """How many cards a seat may still play in its turn under Destiny Decided; None where nothing limits them."""
    if any(who == seat and "play_card" in effect["value"] for who, _, effect in board.statics("forbid")):
        return 0
    limits = [int(effect["amount"]) for who, _, effect in board.statics("play_limit") if who != seat]
    return max(0, min(limits) - board.state.sides[seat].plays) if limits else None
