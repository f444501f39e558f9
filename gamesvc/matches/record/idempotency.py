"""What came of a request the first time: the answer for whoever sends it again, with its key, by whichever door.

Asked before anything else: what a request did may have taken away what it needed (its order can no longer be read, its sender
has left the match).
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from gamesvc.matches.errors import KeyReused
from gamesvc.matches.models import Answered, Match, Refusal
from gamesvc.matches.record.loading import STORE

# Some answers hold what only their reader may know, such as the link of an invitation: none is kept longer than it is needed.
KEPT_FOR = timedelta(days=1)
Answer = tuple[int, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Known:
    """A command that came before. `before`: the version it was decided on; None for one that the rules refused."""

    command: dict[str, Any]
    before: int | None


def known(match: Match, command_id: uuid.UUID) -> Known | None:
    """The command that a command id has led to an event or a refusal with; None for a new one."""
    if stored := STORE.command(match.id, command_id):
        return Known(stored[0].meta.get("command", {}), stored[0].version - 1)
    refusal = Refusal.objects.filter(match=match, command_id=command_id).first()
    return Known(refusal.command, None) if refusal is not None else None


def once(*, user: User, key: str, fingerprint: str, effect: Callable[[], Answer]) -> Answer:
    """Run `effect` once per user and key; a repetition gets the first answer. Raises `KeyReused` for another fingerprint.

    What `effect` raises leaves no answer behind.
    """
    with transaction.atomic():
        Answered.objects.filter(user=user, key=key, created_at__lt=timezone.now() - KEPT_FOR).delete()
        # Of several requests at once the others wait here for the first one's transaction.
        row, made = Answered.objects.get_or_create(
            user=user, key=key, defaults={"fingerprint": fingerprint, "status": 0, "body": {}}
        )
        if not made:
            if row.fingerprint != fingerprint:
                raise KeyReused
            return row.status, row.body
        row.status, row.body = effect()
        row.save(update_fields=["status", "body"])
    return row.status, row.body
