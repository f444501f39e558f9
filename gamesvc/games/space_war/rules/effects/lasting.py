"""Temporary conditions: the uses left this turn, and how long a card stays locked, disarmed or protected."""

from __future__ import annotations

from collections.abc import Iterator

from gamesvc.games.space_war.data import CARDS, COMMANDERS, uses_of
from gamesvc.games.space_war.rules.facts import Board
from gamesvc.games.space_war.state import Piece
from gamesvc.json_types import JsonObject


def lasting(board: Board, p: Piece) -> Iterator[JsonObject]:
    """Yield the lasting effects on a card in play: `mark`, `until`, and the card that causes it (`by`).

    `draw_phases` counts the draw phases of that card's controller until the effect ends, the last one included.
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


def _end(source: Piece) -> JsonObject:
    """Return the end of an effect.

    Moment of Peace leaves play in its second draw phase; other cards stay while they are paid for.
    """
    for _, effect in CARDS[source.card].triggered("draw_phase"):
        if effect["op"] == "discard_from_play":
            return {"until": "draw_phase", "draw_phases": max(1, 2 - source.counters)}
    return {"until": "in_play"}


def commander_left(board: Board, seat: int) -> int | None:
    """Return how often a limited commander can still be used this turn; None without a limit."""
    side = board.state.sides[seat]
    effects = COMMANDERS[side.commander].effects if side.commander else ()
    limits = [uses_of(effect) for effect in effects if "limit" in effect]
    return max(0, min(limits) - side.commander_uses) if limits else None


def plays_left(board: Board, seat: int) -> int | None:
    """Return how many cards a seat can still play this turn under Destiny Decided; None without a limit."""
    if any(who == seat and "play_card" in effect["value"] for who, _, effect in board.statics("forbid")):
        return 0
    limits = [int(effect["amount"]) for who, _, effect in board.statics("play_limit") if who != seat]
    return max(0, min(limits) - board.state.sides[seat].plays) if limits else None
