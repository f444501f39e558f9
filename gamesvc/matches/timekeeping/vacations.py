"""Moving running deadlines when a vacation is announced or cancelled (`accounts.absences` keeps the change until then).

Questions opened later count the vacations known at that time (`surroundings`).
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from django.db.models import F
from django.utils import timezone

from accounts import absences
from accounts.models import AbsenceChange
from gamesvc.matches.clock.compute import absent
from gamesvc.matches.clock.spans import Span
from gamesvc.matches.events import MatchEvent
from gamesvc.matches.models import Match, Question, Seat
from gamesvc.matches.record import service_events, surroundings
from gamesvc.matches.record.append import Actor
from gamesvc.matches.record.loading import Loaded

logger = logging.getLogger(__name__)

# Longest duration of a write that is under way while a vacation is announced.
KEPT = timedelta(minutes=1)
# A match that cannot count a vacation for this long is broken. Its other clocks go on.
GIVEN_UP = timedelta(days=1)


@dataclass(slots=True)
class Settled:
    """The result of settling vacations: how many matches changed, and the failures as (match, user)."""

    moved: int = 0
    failed: set[tuple[uuid.UUID, int]] = field(default_factory=set)


def settle(user_id: int | None = None) -> Settled:
    """Move the running deadlines touched by announced or cancelled vacations, of one user or of all. Repeating it is safe.

    A match that fails is reported and tried again in the next sweep. All matches are checked once more a little later: a question
    asked at that moment may use the old vacations, and become visible only after the first look.
    """
    settled, now = Settled(), timezone.now()
    for change in absences.changes(user_id):
        looked, seen_by = change.looked_at, change.written_at + KEPT
        everywhere = looked is None or looked < seen_by <= now
        failed = []
        for match_id in _asked_in(change.user_id) if everywhere or change.failed else []:
            if not everywhere and str(match_id) not in change.failed:
                continue
            try:
                settled.moved += _reckon(Match.objects.get(pk=match_id), change)
            except Exception:
                failed.append(str(match_id))
                settled.failed.add((match_id, change.user_id))
                if str(match_id) not in change.failed:
                    logger.exception("A vacation could not move the deadlines of match %s; it is tried again.", match_id)
        given_up = bool(failed) and now >= change.written_at + GIVEN_UP
        if given_up:
            logger.error("The vacation of user %s could not move all deadlines in %s.", change.user_id, GIVEN_UP)
        looked = now if looked is None or everywhere else looked
        if given_up or (not failed and looked >= seen_by):
            change.delete()
        elif (looked, failed) != (change.looked_at, change.failed):
            # Another sweep may have finished it meanwhile.
            AbsenceChange.objects.filter(pk=change.pk).update(looked_at=looked, failed=failed)
    return settled


def _asked_in(user_id: int) -> list[uuid.UUID]:
    rows = Question.objects.filter(match__seats__user_id=user_id, seat=F("match__seats__index"), match__paused_at=None)
    return list(rows.filter(match__status=Match.Status.RUNNING).values_list("match_id", flat=True).distinct())


def _reckon(match: Match, change: AbsenceChange) -> bool:
    """Count the time of this vacation again, as far as it lay ahead when it was announced or cancelled."""

    def decide(loaded: Loaded, seats: list[Seat]) -> Sequence[MatchEvent]:
        policy = loaded.account.policy
        if policy is None or not policy.vacation or loaded.ended:
            return []
        own = {seat.index for seat in seats if seat.user_id == change.user_id}
        known, span = surroundings.around(policy, seats), Span(change.starts_at, change.ends_at)
        events = []
        for key, clock in loaded.account.open.items():
            if key[0] in own and clock.due is not None and clock.due > change.made_at:
                again = absent(policy, clock, span, change.made_at, known(key[0]))
                if again.due != clock.due:
                    events.append(surroundings.deadline_set(key, again, "vacation"))
        return events

    return bool(service_events.append(match, decide, actor=Actor("system"), channel="clock"))
