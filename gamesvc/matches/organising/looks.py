"""Looks behind: an operator who has never played in a running match sees what one of its seats sees.

Each look needs a reason, is recorded as an event before anything is shown, and is visible to all players.
"""

from __future__ import annotations

import uuid
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from accounts.models import User
from gamesvc.games import catalog
from gamesvc.games.kernel.game import Refused
from gamesvc.json_types import JsonObject
from gamesvc.language import say
from gamesvc.matches.access import authority, tenures
from gamesvc.matches.access.selectors import Access
from gamesvc.matches.events import Looked, MatchEvent
from gamesvc.matches.models import Look, Match
from gamesvc.matches.reading import refusals
from gamesvc.matches.record import loading, service_events
from gamesvc.matches.record.append import Actor
from gamesvc.matches.record.loading import Loaded


def look_behind(*, by: User, match: Match, seat: int, version: int, reason: str, channel: str = "web") -> Look:
    """Record a look; `seen` returns its content. Raises `Forbidden` for other users, `Refused` for a version or seat that is not
    there.
    """
    authority.check_may_look(by, match)
    words = authority.read_reason(reason)
    if not 0 <= seat < match.seat_count:
        raise Refused("bad_seat", say("Seats are 0 to {last}.", last=match.seat_count - 1), "seat")
    loaded = loading.load(match.id, match.game)
    if not loaded.started or loaded.ended:
        raise Refused("nothing_hidden", say("There is nothing to look behind: only a running match hides anything."))
    if not (1 <= version <= loaded.version and loading.load_at(loaded.game, match.id, version).timeline.started):
        raise Refused(
            "no_such_version", say("Versions are those since the start, up to {version}.", version=loaded.version), "version"
        )
    look_id = uuid.uuid4()

    def decide(loaded: Loaded, _seats: object) -> list[MatchEvent]:
        if loaded.ended:
            raise Refused("nothing_hidden", say("The match is over; everything in it is open."))
        return [Looked(seat, version, str(look_id))]

    with transaction.atomic():
        tenures.lock_user(by)
        authority.check_may_look(by, match)
        service_events.append(match, decide, actor=Actor("host"), channel=channel)
        return Look.objects.create(id=look_id, match=match, user=by, seat=seat, version=version, words=words)


def of_match(access: Access) -> QuerySet[Look]:
    """Return the looks behind in a match that a reader may know, newest first; late for those who see the match late."""
    found = access.match.looks.select_related("user").order_by("-at")
    return found if (moment := access.shown_until) is None else found.filter(at__lte=moment)


def seen(look: Look) -> dict[str, Any]:
    """Return the view of the seat at that version, the match as it was then, and the commands refused to the seat so far."""
    match = look.match
    loaded = loading.load_at(catalog.game(match.game), match.id, look.version)
    view = loaded.game.view(loaded.timeline.state, look.seat)
    return {"view": view, "loaded": loaded, "refusals": refusals.behind(look)}


def as_json(look: Look) -> JsonObject:
    return {
        "id": str(look.id),
        "by": look.user.username if look.user is not None else None,
        "seat": look.seat,
        "version": look.version,
        "reason": look.words,
        "at": look.at.isoformat(),
    }
