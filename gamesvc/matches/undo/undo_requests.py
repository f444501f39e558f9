"""Undo requests: their rows, with the seats asked and the answers so far, and the events behind them."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import F
from django.utils import timezone

from accounts.models import User
from events.store import Statement
from gamesvc.games.kernel.events import makes_state
from gamesvc.games.kernel.game import Event, Refused, see_event
from gamesvc.games.kernel.undo import undo_rules
from gamesvc.matches.events import UndoAnswered
from gamesvc.matches.models import Match, Seat, UndoRequest
from gamesvc.matches.record import stream
from gamesvc.matches.record.loading import Loaded
from gamesvc.matches.undo import undo_announcements
from gamesvc.matches.undo.undo_acts import Decided, trail_of

# Time to answer a request, in hours of the clocks.
HOURS_TO_ANSWER = 24
INSERT = (
    'INSERT INTO matches_undorequest (match_id, version, seat, "to", asked, accepted, until)'
    " SELECT %s::uuid, %s::int, %s::int, %s::int, %s::int[], %s::int[], %s::timestamptz WHERE EXISTS (SELECT FROM appended)"
)
ACCEPT = (
    "UPDATE matches_undorequest SET accepted = accepted || %s::smallint WHERE id = %s::bigint AND EXISTS (SELECT FROM appended)"
)
SETTLE = "UPDATE matches_undorequest SET settled_at = %s::timestamptz WHERE id = %s::bigint AND EXISTS (SELECT FROM appended)"


def open_request(match: Match) -> UndoRequest | None:
    """Return the unsettled request of this match, which may have lapsed all the same (`is_over`)."""
    return UndoRequest.objects.filter(match=match, settled_at=None).order_by("-version").first()


def to_answer(user: User, most: int) -> list[tuple[UndoRequest, int]]:
    """Return the open requests that wait for the consent of a user, each with their seat, the most urgent first."""
    found = UndoRequest.objects.filter(
        settled_at=None, until__gt=timezone.now(), match__status=Match.Status.RUNNING, match__seats__user=user
    ).annotate(own=F("match__seats__index"))
    rows = [row for row in found.select_related("match").order_by("until", "pk")[:most] if row.own in row.asked]
    return [(row, row.own) for row in rows if row.own not in row.accepted]


def is_over(loaded: Loaded, row: UndoRequest) -> bool:
    """Return True if a request has lapsed: its time is over, its seat or one that was asked changed hands, or its seat has seen
    something happen.

    An act of the seat itself that nobody else may know of counts only if it is what an undo would now take back. Standing orders,
    which stay, would else be told by the end of the request.
    """
    if loaded.ended or timezone.now() >= row.until:
        return True
    if any(loaded.hands.get(seat, 0) > row.version for seat in (row.seat, *row.asked)):
        return True
    alone = False
    for stored in stream.events_after(loaded.match_id, row.version, loaded.viewer_version(row.seat)):
        event = stream.lift(loaded.game, stored)
        viewers = [one for one in (row.seat, None, *range(loaded.seats)) if see_event(loaded.game, event, one) is not None]
        if makes_state(event.type) and row.seat in viewers:
            if set(viewers) != {row.seat}:
                return True
            alone = True
    return alone and not _asks_the_same(loaded, row)


def _asks_the_same(loaded: Loaded, row: UndoRequest) -> bool:
    """Return True if an undo of the seat would go back to the version that it has asked for."""
    changes = undo_rules.changing(loaded.timeline, row.seat)
    try:
        return undo_rules.find(loaded.game, trail_of(loaded), row.seat, changes=changes).to == row.to
    except Refused:
        return False


def answered(version: int, request: int, seat: int | None, word: str) -> Event:
    return UndoAnswered(request, seat, word).event(version)


def settle(match: Match, loaded: Loaded, seats: Sequence[Seat], row: UndoRequest, seat: int | None, word: str) -> Decided:
    """Settle a request with its last answer, and notify the player who asked."""
    told = undo_announcements.answered(match, seats, row, seat, word) if seat != row.seat else []
    return Decided([answered(loaded.version + 1, row.version, seat, word)], [Statement(SETTLE, [timezone.now(), row.pk]), *told])
