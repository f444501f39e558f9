"""Appending service events, which lie beside the game: a pause, an extension, a vacation, a seat that changes hands.

The callers decide, on the newest version, if they are allowed.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence

from django.utils import timezone

from events.store import Statement, StoredEvent, VersionConflict
from gamesvc.matches.errors import Busy
from gamesvc.matches.events import MatchEvent
from gamesvc.matches.models import Match, Seat
from gamesvc.matches.record import loading
from gamesvc.matches.record.append import Act, Actor, record
from gamesvc.matches.record.loading import Loaded

ATTEMPTS = 8
Decide = Callable[[Loaded, list[Seat]], Sequence[MatchEvent]]


def append(
    match: Match,
    decide: Decide,
    *,
    actor: Actor,
    channel: str,
    command_id: uuid.UUID | None = None,
    seats: Sequence[Seat] | None = None,
    more: Sequence[Statement] = (),
) -> tuple[StoredEvent, ...]:
    """Append the events that `decide` returns for the newest version. Decide again after a conflict. Raises `Busy`.

    `seats`: the seats after these events, if the events change them. `more`: rows written with the events.
    """
    command_id = command_id or uuid.uuid4()
    for _ in range(ATTEMPTS):
        loaded = loading.load(match.id, match.game)
        rows = list(match.seats.all()) if seats is None else list(seats)
        events = decide(loaded, rows)
        if not events:
            return ()
        numbered = [event.event(version) for version, event in enumerate(events, loaded.version + 1)]
        try:
            return record(match, loaded, numbered, Act(actor, channel, command_id, timezone.now()), seats=rows, more=more)
        except VersionConflict:
            continue
    raise Busy
