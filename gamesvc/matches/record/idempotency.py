"""Idempotency: replay the stored response when a request is repeated with the same key, by API, page or mail.

Checked before anything else: the first request may have removed what it needed (its order no longer parses, its sender has left
the match).
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from django.db import OperationalError, connection, transaction
from django.utils import timezone

from accounts.models import User
from gamesvc.away import is_contended
from gamesvc.json_types import JsonObject
from gamesvc.matches.errors import Busy, KeyReused
from gamesvc.matches.models import Answered, Match, Refusal
from gamesvc.matches.record.stream import STORE

# Some responses hold something meant for one reader, such as an invitation link, so none is kept longer than needed.
KEPT_FOR = timedelta(days=1)
# Each request that waits for the first one with its key takes a thread, and that one may compute for seconds: a few copies of it
# took all threads meanwhile. A form that is sent by a double click waits less than this.
_WAIT_SHORTLY, _WAIT_AS_BEFORE = "SET LOCAL lock_timeout = '1s'", "SET LOCAL lock_timeout TO DEFAULT"
Answer = tuple[int, JsonObject]


@dataclass(frozen=True, slots=True)
class Known:
    """A command that was received before. `before`: the version it was decided on; None if the rules refused it."""

    command: JsonObject
    before: int | None


def known(match: Match, command_id: uuid.UUID) -> Known | None:
    """Return the command already accepted or refused under this id; None for a new id."""
    if stored := STORE.command(match.id, command_id):
        return Known(stored[0].meta.get("command", {}), stored[0].version - 1)
    refusal = Refusal.objects.filter(match=match, command_id=command_id).first()
    return Known(refusal.command, None) if refusal is not None else None


def once(*, user: User, key: str, fingerprint: str, effect: Callable[[], Answer]) -> Answer:
    """Run `effect` once per user and key, and replay its answer to a repetition. Raises `KeyReused` for another fingerprint, and
    `Busy` where a repetition would wait for long.

    If `effect` raises, no answer is stored.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_WAIT_SHORTLY)
        Answered.objects.filter(user=user, key=key, created_at__lt=timezone.now() - KEPT_FOR).delete()
        # Of several requests at once, the others wait here for the transaction of the first one.
        try:
            row, made = Answered.objects.get_or_create(
                user=user, key=key, defaults={"fingerprint": fingerprint, "status": 0, "body": {}}
            )
        except OperationalError as fault:
            if is_contended(fault):
                raise Busy from fault
            raise
        cursor.execute(_WAIT_AS_BEFORE)
        if not made:
            if row.fingerprint != fingerprint:
                raise KeyReused
            return row.status, row.body
        row.status, row.body = effect()
        row.save(update_fields=["status", "body"])
    return row.status, row.body
