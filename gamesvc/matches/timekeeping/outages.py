"""Moving deadlines after an outage: those in it or shortly after it move by its length, each with an event.

Until that is done for every match no sweep fires, so nobody times out for a period in which they could not answer. A match that
cannot be moved holds up only itself: each beat tries it again, and until then its deadlines do not fire.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from datetime import timedelta
from functools import partial
from uuid import UUID

from django.db.models import F, Q, QuerySet
from django.utils import timezone

from events.canonical import write_time
from events.store import DuplicateCommand
from gamesvc.database.asking import drop_interrupted
from gamesvc.matches.clock.compute import fell_into, outlast
from gamesvc.matches.clock.spans import Span
from gamesvc.matches.events import MatchEvent
from gamesvc.matches.events import Outage as OutageTold
from gamesvc.matches.models import Match, Outage, Question, Seat
from gamesvc.matches.record import availability, secrets, service_events, surroundings
from gamesvc.matches.record.append import Actor
from gamesvc.matches.record.loading import Loaded
from notifications import leases

logger = logging.getLogger(__name__)

BATCH = 200
LEASE = timedelta(seconds=5)
# The next beat moves the rest.
SETTLING_LASTS = 15.0
# By then a lost lock or connection has recovered. A match that fails so often is broken.
TRIES = 60


def watch() -> int:
    """Beat, and settle the outages that wait. Return how many matches were moved."""
    availability.beat()
    moved, end = 0, time.monotonic() + SETTLING_LASTS
    # First those that hold up all deadlines, not those of which a few matches failed.
    for outage in _waiting().order_by(F("settled_at").asc(nulls_first=True), "started_at"):
        if time.monotonic() <= end and _claim(outage):
            with leases.repeating(partial(_renew, outage), LEASE.total_seconds() / 3):
                moved += settle(outage, end)
    return moved


def settle(outage: Outage, end: float) -> int:
    """Move the deadlines of every match the outage touched, or of those that are left, until a moment of the monotonic clock.

    Those that have failed most often come last: each may take long, and the others would wait for all their tries. Return how
    many were moved.
    """
    outage.refresh_from_db()
    left: dict[str, int] = dict(outage.failed)
    # The matches are listed once: most of those that were moved are due shortly after the outage still. Until it is settled, some
    # of the list are untried; if none is, there is no list, but at most what failed under an earlier version.
    if outage.settled_at is None and 0 not in left.values():
        left = dict.fromkeys(map(str, _touched(outage).values_list("match_id", flat=True).distinct()), 0) | left
    moved = 0
    try:
        for match in _matches(left):
            if time.monotonic() > end:
                break
            moved += _move(outage, match, left)
    finally:
        drop_interrupted()
        # Settled once each was tried: from then on those that failed hold up only themselves.
        settled_at = outage.settled_at or (None if 0 in left.values() else timezone.now())
        Outage.objects.filter(pk=outage.pk).update(settled_at=settled_at, failed=left, claimed_until=None)
    return moved


def _matches(left: dict[str, int]) -> Iterator[Match]:
    """Yield the matches that are left, by their tries. Those that no longer exist are left out."""
    waiting = sorted(map(UUID, left), key=lambda match_id: left[str(match_id)])
    for at in range(0, len(waiting), BATCH):
        availability.keep_alive()
        found = Match.objects.in_bulk(waiting[at : at + BATCH])
        for match_id in waiting[at : at + BATCH]:
            if match_id in found:
                yield found[match_id]
            else:
                del left[str(match_id)]


def _move(outage: Outage, match: Match, left: dict[str, int]) -> bool:
    """Move the deadlines of one match. It is left no longer, or has one more try behind it."""
    tries = left[str(match.pk)] = left[str(match.pk)] + 1
    try:
        moved = outlast_outage(match=match, outage=outage)
    except Exception as fault:
        # One match that fails must not stop the clocks of all others.
        if tries == 1:
            logger.exception("The deadlines of match %s could not be moved by the outage; it is tried again.", match.pk)
        if tries < TRIES:
            return False
        _give_up(outage, match, fault)
        moved = False
    del left[str(match.pk)]
    return moved


def outlast_outage(*, match: Match, outage: Outage) -> bool:
    """Move a match's deadlines in or shortly after an outage by its length, once per outage. Return False if there are none."""
    span = Span(outage.started_at, outage.ended_at)

    def decide(loaded: Loaded, seats: list[Seat]) -> Sequence[MatchEvent]:
        policy, hour = loaded.account.policy, loaded.account.hour
        if policy is None or loaded.ended or not loaded.started:
            return []
        known = surroundings.around(policy, seats)
        told = OutageTold(write_time(span.start), write_time(span.end))
        events = []
        for key, clock in loaded.account.open.items():
            if fell_into(clock, span, hour):
                moved = outlast(policy, clock, span, known(key[0]))
                events.append(surroundings.deadline_set(key, moved, "outage", outage=told.as_json()))
        return [told, *events] if events else []

    command_id = secrets.keyed_uuid("outage", match.pk, write_time(span.start))
    try:
        return bool(service_events.append(match, decide, actor=Actor("system"), channel="clock", command_id=command_id))
    except DuplicateCommand:
        return False


def _waiting() -> QuerySet[Outage]:
    return Outage.objects.filter(Q(settled_at=None) | ~Q(failed={}))


def _touched(outage: Outage) -> QuerySet[Question]:
    return Question.objects.filter(due_at__gte=outage.started_at, due_at__lt=outage.ended_at + availability.margin(outage))


def _give_up(outage: Outage, match: Match, fault: Exception) -> None:
    """Move the rows of a match without an event, because the match cannot be written.

    Nobody may time out because of the outage.
    """
    logger.error("The deadlines of match %s were not moved by the outage in %s tries: %r", match.pk, TRIES, fault)
    length = outage.ended_at - outage.started_at
    _touched(outage).filter(match=match).update(due_at=F("due_at") + length, claimed_until=None)


def _claim(outage: Outage) -> bool:
    """Lease an outage, so that two workers do not move the same matches. The lease of a dead worker expires."""
    now = timezone.now()
    free = _waiting().filter(Q(claimed_until=None) | Q(claimed_until__lt=now), pk=outage.pk)
    return bool(free.update(claimed_until=now + LEASE))


def _renew(outage: Outage) -> None:
    now = timezone.now()
    Outage.objects.filter(pk=outage.pk, claimed_until__gt=now).update(claimed_until=now + LEASE)
