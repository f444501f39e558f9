"""Moving running deadlines when a vacation is announced or cancelled (`accounts.absences` keeps the change until then).

Questions opened later count the vacations known at that time (`surroundings`).
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

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
from gamesvc.matches.sharing import Spent
from gamesvc.time_limits import TimeIsUp

logger = logging.getLogger(__name__)

# Longest duration of a write that is under way while a vacation is announced.
KEPT = timedelta(minutes=1)
# Longest run: a user may play in very many matches, and the clocks of all others wait. The next sweep goes on.
LASTS = 1.0
# A match that cannot count a vacation for this long is broken. Its other clocks go on.
GIVEN_UP = timedelta(days=1)
# Rest for a match that took all the time of the task, and with it that of all deadlines; by match, for this process.
REST = timedelta(minutes=10)
_resting: dict[uuid.UUID, datetime] = {}


@dataclass(slots=True)
class Settled:
    """The result of settling vacations: how many matches changed, and those still to be counted as (match, user)."""

    moved: int = 0
    failed: set[tuple[uuid.UUID, int]] = field(default_factory=set)


@dataclass(slots=True)
class _Change:
    """An announced or cancelled vacation, with the matches to look at and those that could not be counted."""

    row: AbsenceChange
    everywhere: bool
    matches: list[uuid.UUID]
    left: list[uuid.UUID] = field(default_factory=list)
    broken: list[uuid.UUID] = field(default_factory=list)

    @classmethod
    def of(cls, row: AbsenceChange, now: datetime, asked: Collection[uuid.UUID]) -> _Change:
        """Return a change with the matches to look at, of those in which its user is asked now."""
        looked = row.looked_at
        if looked is None or looked < row.written_at + KEPT <= now:
            return cls(row, True, list(asked))
        return cls(row, False, [match_id for told in row.failed if (match_id := uuid.UUID(told)) in asked])

    def look(self, match_id: uuid.UUID) -> bool:
        """Count the vacation in a match. Return True if a deadline has moved."""
        if match_id in _resting and timezone.now() < _resting[match_id]:
            self.broken.append(match_id)
            return False
        _resting.pop(match_id, None)
        try:
            return _reckon(Match.objects.get(pk=match_id), self.row)
        except TimeIsUp:
            _resting[match_id] = timezone.now() + REST
            raise
        except Exception:
            self.broken.append(match_id)
            if str(match_id) not in self.row.failed:
                logger.exception("A vacation could not move the deadlines of match %s; it is tried again.", match_id)
            return False

    def keep(self, now: datetime) -> None:
        """Store what is left to do. Nothing is once all matches have been looked at twice, or those that fail are given up."""
        row, failed = self.row, [str(match_id) for match_id in (*self.left, *self.broken)]
        given_up = bool(failed) and not self.left and now >= row.written_at + GIVEN_UP
        if given_up:
            logger.error("The vacation of user %s could not move all deadlines in %s.", row.user_id, GIVEN_UP)
        looked = now if row.looked_at is None or self.everywhere else row.looked_at
        if given_up or (not failed and looked >= row.written_at + KEPT):
            row.delete()
        elif (looked, failed) != (row.looked_at, row.failed):
            # Another sweep may have finished it meanwhile.
            AbsenceChange.objects.filter(pk=row.pk).update(looked_at=looked, failed=failed)


def settle(user_id: int | None = None) -> Settled:
    """Move the running deadlines touched by announced or cancelled vacations, of one user or of all. Repeating it is safe.

    A match that fails is reported and tried again in the next sweep, as are those for which the time was too short; users take
    turns. All matches are checked once more a little later: a question asked at that moment may use the old vacations, and become
    visible only after the first look.
    """
    settled, now, rows = Settled(), timezone.now(), absences.changes(user_id)
    asked = _asked_in({row.user_id for row in rows}) if rows else {}
    changes = [_Change.of(row, now, asked.get(row.user_id, {})) for row in rows]
    looks = [(change.row.user_id, (change, match_id)) for change in changes for match_id in change.matches]
    # Counted from here: however many changes there are, some matches are looked at each time.
    end = time.monotonic() + LASTS
    for change, match_id in Spent().in_turn(looks):
        if time.monotonic() > end:
            change.left.append(match_id)
        else:
            settled.moved += change.look(match_id)
    for change in changes:
        settled.failed |= {(match_id, change.row.user_id) for match_id in (*change.left, *change.broken)}
        change.keep(now)
    return settled


def _asked_in(user_ids: Collection[int]) -> dict[int, dict[uuid.UUID, None]]:
    """Return the running matches in which users are asked now, by user, as the keys of a dict."""
    open_ones = Question.objects.filter(match__paused_at=None, match__status=Match.Status.RUNNING)
    seated = open_ones.filter(match__seats__user_id__in=user_ids, seat=F("match__seats__index"))
    asked: dict[int, dict[uuid.UUID, None]] = {}
    for user_id, match_id in seated.values_list("match__seats__user_id", "match_id"):
        asked.setdefault(user_id, {})[match_id] = None
    return asked


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
