"""Notices of an organiser's measures."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from gamesvc.matches.models import Match, Seat
from notifications import outbox


def tell(match: Match, players: Sequence[Seat], action: str, code: str, reason_id: uuid.UUID) -> None:
    """Queue the notices in the caller's transaction, also for a player who loses their seat. An abort has its own notice."""
    if action == "abort":
        return
    outbox.notify(
        *(
            outbox.Notice(
                kind="measure",
                user_id=seat.user_id,
                topic=str(match.id),
                payload={
                    "match": str(match.id),
                    "seat": seat.index,
                    "action": action,
                    "code": code,
                    "reason": str(reason_id),
                },
            )
            for seat in players
        )
    )
