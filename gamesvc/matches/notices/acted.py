"""Notices that their receivers have acted on. Only acts in the game count, made by hand while they held the seat.

Conditional orders and acts of a substitute do not count. The log does not say which question an act answered. Its JSON is parsed
here and not in the database: `jsonb` cannot hold the U+0000 that old events may contain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from uuid import UUID

import orjson

from events import canonical
from gamesvc.database.asking import ask
from gamesvc.database.prepared import OneOf, Prepared
from gamesvc.games.kernel.events import SERVICE
from gamesvc.matches.events import Joined, Seated
from gamesvc.matches.models import Holding
from gamesvc.matches.record.append import STANDING, Actor
from notifications.models import Outbox

# `meta` is canonical JSON: its keys are sorted, so it begins with the actor.
_ACTS = """
SELECT n.id, e.version, e.occurred_at, e.meta
FROM unnest(%s::uuid[], %s::uuid[], %s::text[], %s::timestamptz[]) AS n(id, match, begins, told_at)
JOIN events_event e ON e.stream = n.match AND e.command_seq = 0 AND e.occurred_at > n.told_at
WHERE starts_with(e.meta, n.begins) AND NOT starts_with(e.type, %s::text)
ORDER BY e.version
"""
_SAT_DOWN = """
SELECT stream, version, type, payload FROM events_event
WHERE stream = ANY(%s::uuid[]) AND type = ANY(%s::text[]) ORDER BY version
"""

_SITTING: dict[str, type[Joined | Seated]] = {kind.TYPE: kind for kind in (Joined, Seated)}

Sitting = tuple[int, str | None]
_HOLDERS = Prepared(lambda: Holding.objects.filter(pk=OneOf("holders", "uuid")).values_list("pk", "user_id"))


def acted(rows: Sequence[Outbox], told: Mapping[UUID, datetime]) -> Mapping[UUID, datetime]:
    """Return when each of these notices was first acted on after it was sent. Notices without such an act are missing."""
    if not rows:
        return {}
    about = {row.pk: row for row in rows}
    begins = ['{"actor":' + canonical.encode(Actor("seat", row.payload["seat"]).as_json()).decode() for row in rows]
    matches = [row.payload["match"] for row in rows]
    found = ask(_ACTS, [list(about), matches, begins, [told[pk] for pk in about], SERVICE]).fetchall()
    acts = [act for act in found if _by_hand(act[3])]
    if not acts:
        return {}
    sittings = _sittings({row.payload["match"] for row in rows})
    held = _held(sittings)
    first: dict[UUID, datetime] = {}
    for pk, version, moment, _meta in acts:
        row = about[pk]
        seat = (str(row.payload["match"]), int(row.payload["seat"]))
        holder = next((name for since, name in reversed(sittings.get(seat, [])) if since < version), None)
        if pk not in first and holder is not None and held.get(holder) == row.user_id:
            first[pk] = moment
    return first


def _by_hand(meta: str) -> bool:
    read = orjson.loads(meta)
    return "automatic" not in read and read.get("channel") != STANDING


def _sittings(matches: Iterable[str]) -> dict[tuple[str, int], list[Sitting]]:
    """Return the holders of each seat of the matches, each with the version since which they hold it, in order."""
    found: dict[tuple[str, int], list[Sitting]] = {}
    for match, version, event_type, payload in ask(_SAT_DOWN, [list(matches), list(_SITTING)]).fetchall():
        event = _SITTING[event_type].of(orjson.loads(payload))
        found.setdefault((str(match), event.seat), []).append((version, event.holder or None))
    return found


def _held(sittings: Mapping[tuple[str, int], Sequence[Sitting]]) -> dict[str, int | None]:
    """Return the user behind each holder id."""
    holders = {name for seat in sittings.values() for _since, name in seat if name}
    return {str(holder): user for holder, user in _HOLDERS.values(holders=list(holders))}
