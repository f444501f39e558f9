"""Notices of undos: to the players asked, to the player who asked, and to those whose question is gone."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils import timezone

from events.store import Statement
from gamesvc.json_types import JsonObject
from gamesvc.matches.models import Match, Seat, UndoRequest
from gamesvc.matches.record.loading import Loaded
from notifications import outbox


def asked(match: Match, seats: Sequence[Seat], seat: int, people: Sequence[int], request: int) -> list[Statement]:
    """Return the notices for the players asked for consent."""
    payload = {"by": seat, "request": request}
    return _rows(match, [("undo_asked", row, payload) for row in seats if row.index in people])


def answered(match: Match, seats: Sequence[Seat], row: UndoRequest, by: int | None, word: str) -> list[Statement]:
    """Return the notice for the player who asked."""
    payload = {"by": by, "request": row.version, "answer": word}
    return _rows(match, [("undo_answered", one, payload) for one in seats if one.index == row.seat])


def undone(match: Match, loaded: Loaded, after: object, seats: Sequence[Seat], undoer: int) -> list[Statement]:
    """Return the notices for players whose question the undo has removed."""
    still = {(one.seat, one.id) for one in loaded.game.awaited(after)}
    gone = {one.seat: one.id for one in loaded.awaited() if (one.seat, one.id) not in still and one.seat != undoer}
    told = [row for row in seats if row.index in gone]
    return _rows(match, [("taken_back", row, {"by": undoer, "question": gone[row.index]}) for row in told])


def ruled(match: Match, seats: Sequence[Seat], code: str, reason: str) -> list[Statement]:
    """Return the notices of an organiser's rewind, for all players."""
    return _rows(match, [("taken_back", row, {"code": code, "reason": reason}) for row in seats])


def _rows(match: Match, told: Sequence[tuple[str, Seat, JsonObject]]) -> list[Statement]:
    rows = [
        outbox.Notice(
            kind=kind,
            user_id=seat.user_id,
            topic=str(match.id),
            payload={"match": str(match.id), "seat": seat.index, **payload},
            due_at=timezone.now(),
        )
        for kind, seat, payload in told
        if seat.user_id is not None
    ]
    return [Statement(*outbox.insert_sql(rows))] if rows else []
