"""Timeouts: find questions past their deadline and play the game's default for them.

The database is the timer. A sweep claims due questions with a short lease, renews it while it works, then submits the default
command as actor `clock`. Question and version form the key, so two sweeps answer a question once.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Q
from django.utils import timezone

from events.store import DuplicateCommand, VersionConflict
from gamesvc.games.kernel.game import Refused
from gamesvc.matches import errors
from gamesvc.matches.access import holders
from gamesvc.matches.models import Match, Question, Seat
from gamesvc.matches.play import conditional_orders, turns
from gamesvc.matches.play.turns import Sender
from gamesvc.matches.record import availability, loading, snapshots
from gamesvc.matches.record.append import Act, Actor, fresh_seats, record
from gamesvc.matches.record.loading import Loaded
from gamesvc.matches.sharing import Spent
from gamesvc.matches.timekeeping import last_orders, timeouts, vacations
from gamesvc.matches.timekeeping.timeouts import Ruling
from gamesvc.time_limits import putting_off
from notifications import leases, outbox
from notifications.inbound import waiting
from notifications.wanted import reminders

logger = logging.getLogger(__name__)

LEASE_SECONDS = 5
BATCH = 60
# A default command may open another question under the same clock (the next phase of the same turn).
MOST_DEFAULTS = 60
# Longest run of a sweep, and the rest for a match whose timeout failed.
SWEEP_LASTS = 15.0
# Longest run of a batch. Then it returns what is left, so that the next one finds what has run out since.
BATCH_LASTS = 2.0
# After so many seconds in a sweep the matches of a user who opened them come last: long orders may be held in many of them.
SHARE = 0.5
# So long nothing but those is looked for, where a look has found nothing else.
ALONE = 1.0
REST = timedelta(seconds=30)
# Delay before looking again at a deadline that waits for unread mail, or for a vacation to be counted.
PAUSE = timedelta(seconds=2)


class Claim(NamedTuple):
    """A due question leased by this sweep, with the version of its match at that time."""

    id: UUID
    match_id: UUID
    seat: int
    question: str
    due_at: datetime
    version: int


@dataclass(slots=True)
class Batch:
    """Data read once for many due matches, so that each match needs no queries of its own."""

    matches: dict[UUID, Match]
    mailed: set[str]
    holding: set[tuple[UUID, int]]
    laid_by: set[UUID]
    reminded: timeouts.Reminded

    @classmethod
    def of(cls, claims: Sequence[Claim]) -> Batch:
        ids = [claim.match_id for claim in claims]
        return cls(
            Match.objects.prefetch_related("seats").in_bulk(ids),
            waiting.topics_waiting(str(one) for one in ids),
            last_orders.waiting(ids),
            conditional_orders.pending(ids),
            reminders.sent_in(str(one) for one in ids),
        )


def ripe() -> datetime:
    """Return the moment up to which deadlines may fire. The margin lets input received in time be stored and applied."""
    return timezone.now() - timedelta(seconds=settings.DEADLINE_MARGIN_SECONDS)


def claim_due(limit: int = BATCH, until: datetime | None = None, but: Collection[int] = ()) -> list[Claim]:
    """Lease questions due by `until`, except rows that another sweep holds and matches that an outage still has to move.

    `but`: leave out the matches that these users have opened.

    A batch takes the oldest ones and some of the newest. So a new deadline need not wait behind ten thousand old ones.
    """
    now, newest = timezone.now(), limit // 5
    until, held, others = until or ripe(), list(availability.held_back()), list(but)
    with connection.cursor() as cursor:
        cursor.execute(
            "WITH newest AS ("
            " SELECT id FROM matches_question WHERE due_at <= %s::timestamptz"
            " AND (claimed_until IS NULL OR claimed_until < %s::timestamptz) AND NOT match_id = ANY(%s::uuid[])"
            " AND (SELECT m.creator_id = ANY(%s::bigint[]) FROM matches_match m WHERE m.id = match_id) IS NOT TRUE"
            " ORDER BY due_at DESC LIMIT %s::int FOR UPDATE SKIP LOCKED"
            "), oldest AS ("
            " SELECT id FROM matches_question WHERE due_at <= %s::timestamptz"
            " AND (claimed_until IS NULL OR claimed_until < %s::timestamptz) AND NOT match_id = ANY(%s::uuid[])"
            " AND (SELECT m.creator_id = ANY(%s::bigint[]) FROM matches_match m WHERE m.id = match_id) IS NOT TRUE"
            " AND id NOT IN (SELECT id FROM newest)"
            " ORDER BY due_at LIMIT %s::int FOR UPDATE SKIP LOCKED"
            ") UPDATE matches_question q SET claimed_until = %s::timestamptz"
            " WHERE id IN (SELECT id FROM newest UNION ALL SELECT id FROM oldest) RETURNING id, match_id, seat, question, due_at,"
            " (SELECT m.version FROM matches_match m WHERE m.id = q.match_id)",
            [
                *(until, now, held, others, newest),
                *(until, now, held, others, limit - newest),
                now + timedelta(seconds=LEASE_SECONDS),
            ],
        )
        # Newest first: most of them have only just run out.
        return sorted((Claim(*row) for row in cursor.fetchall()), key=lambda claim: claim.due_at, reverse=True)


def sweep(limit: int = 1000) -> int:
    """Answer due questions with the game's default commands, in batches. Return how many questions were closed."""
    fired, spent = 0, Spent()
    for claims, failed in _batches(limit, spent):
        waiting = {claim.id for claim in claims}
        with leases.repeating(partial(_renew, waiting), LEASE_SECONDS / 3):
            batch, end = Batch.of(claims), time.monotonic() + BATCH_LASTS
            for claim in spent.in_turn((_opened_by(claim, batch), claim) for claim in claims):
                fired += _fire(claim, batch, failed)
                waiting.discard(claim.id)
                if time.monotonic() > end:
                    break
        Question.objects.filter(id__in=waiting).update(claimed_until=None)
    return fired


def _opened_by(claim: Claim, batch: Batch) -> int | None:
    match = batch.matches.get(claim.match_id)
    return match.creator_id if match is not None else None


def _fire(claim: Claim, batch: Batch, failed: set[tuple[UUID, int]]) -> bool:
    """Close one question. If its match fails, let it rest, so that the clocks of the others go on."""
    try:
        with putting_off(partial(_put_off, claim)):
            return not _vacation_waits(claim, batch, failed) and _time_out(claim, batch)
    except Exception:
        if not connection.is_usable():
            raise
        _put_off(claim)
        return False


def _put_off(claim: Claim) -> None:
    logger.error("The timeout of match %s, seat %s failed.", claim.match_id, claim.seat, exc_info=True)
    Question.objects.filter(id=claim.id).update(claimed_until=timezone.now() + REST)


def _renew(waiting: set[UUID]) -> None:
    """Renew the leases of questions that this sweep has still to close, if they are still due."""
    now = timezone.now()
    claimed = Question.objects.filter(id__in=list(waiting), claimed_until__gt=now, due_at__lte=now)
    claimed.update(claimed_until=now + timedelta(seconds=LEASE_SECONDS))


def _batches(limit: int, spent: Spent) -> Iterator[tuple[list[Claim], set[tuple[UUID, int]]]]:
    """Yield claims of due questions, with the matches and users whose vacation could not be counted.

    Announced vacations are settled first. Nothing is claimed during an outage or before it is settled, and nothing due after the
    last heartbeat.
    """
    left, end, alone = limit, time.monotonic() + SWEEP_LASTS, 0.0
    while left > 0 and time.monotonic() < end:
        settled = vacations.settle()
        if not _any_due(ripe()):
            return
        availability.keep_alive()
        proven = availability.proven_until()
        if proven is None:
            return
        asked, until, claims = min(BATCH, left), min(ripe(), proven), list[Claim]()
        if (had := spent.above(SHARE)) and time.monotonic() >= alone:
            claims = claim_due(asked, until, had)
            alone = 0.0 if claims else time.monotonic() + ALONE
        if not claims and not (claims := claim_due(asked, until)):
            return
        yield claims, settled.failed
        left -= len(claims)


def _any_due(moment: datetime) -> bool:
    free = Q(claimed_until=None) | Q(claimed_until__lt=timezone.now())
    return Question.objects.filter(free, due_at__lte=moment).exists()


def _vacation_waits(claim: Claim, batch: Batch, failed: set[tuple[UUID, int]]) -> bool:
    """Return True if the seat's holder has announced a vacation that this match could not count yet."""
    if not failed:
        return False
    holder = _holder(batch.matches[claim.match_id], claim.seat)
    if holder is None or (claim.match_id, holder) not in failed:
        return False
    Question.objects.filter(id=claim.id).update(claimed_until=timezone.now() + PAUSE)
    return True


def _time_out(claim: Claim, batch: Batch) -> bool:
    """Submit default commands for a seat until its question is closed. Return True if this call closed it."""
    return _TimingOut(claim, batch).done()


class _TimingOut:
    """One question that the clock closes. Other acts may come in between; then everything is checked again."""

    def __init__(self, claim: Claim, batch: Batch) -> None:
        self.claim, self.batch = claim, batch
        self.match, self.seat = batch.matches[claim.match_id], claim.seat
        self.loaded = loading.load(self.match.id, self.match.game, young=claim.version <= snapshots.TAIL)
        self.looked = claim.version
        # The consequences for the seat are recorded once, with the first answer by the clock (`ruled`). `laid_by`: conditional
        # orders are still to be looked at; `held`: the player's own last orders were carried out.
        self.laid_by = self.match.id in batch.laid_by
        self.begun = self.ruled = self.held = False

    def done(self) -> bool:
        for _ in range(MOST_DEFAULTS):
            if (closed := self._closed()) is not None:
                return closed
            if not self.begun:
                if str(self.match.id) in self.batch.mailed and _mail_waits(self.match, self.claim):
                    return False
                if self._ordered_beforehand():
                    self.loaded = loading.load(self.match.id, self.match.game)
                    continue
            try:
                if (answered := self._answer()) is not None:
                    return answered
                self.loaded = loading.after(self.loaded)
            except (VersionConflict, errors.Stale):
                # Another act came first: an answer, an extension, or a substitute. Check everything again.
                self.loaded = loading.load(self.match.id, self.match.game)
        raise RuntimeError(
            f"match {self.match.id}, seat {self.seat}: question {self.claim.question} is still open after {MOST_DEFAULTS} default"
            " commands"
        )

    def _closed(self) -> bool | None:
        """Return whether this call closed the question, once it is closed or no longer due; until then None."""
        done = self.ruled or self.held
        if all((one.seat, one.id) != (self.seat, self.claim.question) for one in self.loaded.awaited()):
            if not done:
                # Answered meanwhile: its row was deleted with the answer, or is a leftover.
                Question.objects.filter(id=self.claim.id).delete()
            return done
        if self.loaded.version != self.looked and not _still_due(self.claim):
            return done
        self.looked = self.loaded.version
        return None

    def _ordered_beforehand(self) -> bool:
        """Carry out conditional or held orders, which come before the clock's answer. Return True if any was carried out.

        After conditional orders, of any seat, the question may still be open: then those held for it come next.
        """
        if self.laid_by:
            self.laid_by = False
            if conditional_orders.play(self.match.id):
                return True
        self.begun = True
        # A mail that waited when the batch was read may have been read since, with orders that are held.
        if (self.match.id, self.seat) in self.batch.holding or str(self.match.id) in self.batch.mailed:
            self.held = last_orders.carry_out(self.match, self.seat, self.claim.question, self.claim.due_at)
        return self.held

    def _answer(self) -> bool | None:
        """Let the clock answer once. Return whether this call closed the question, None if it may still be open."""
        match, loaded, claim = self.match, self.loaded, self.claim
        seats = fresh_seats(match, loaded, list(match.seats.all()))
        ruling = Ruling() if self.ruled else timeouts.rule(match, loaded, claim, seats, self.batch.reminded)
        if ruling.excused:
            return _excuse(match, loaded, claim, ruling, seats)
        try:
            receipt = self._submit(ruling, seats)
        except Refused as refused:
            if refused.code == "match_over":
                return False
            raise
        self.ruled, self.looked = True, receipt.version
        if ruling.seats is not None and any(one.index == self.seat and one.bot for one in ruling.seats):
            return True
        return None

    def _submit(self, ruling: Ruling, seats: Sequence[Seat]) -> turns.Receipt:
        if ruling.seats is None:
            return self._submitted(ruling, seats)
        # Locked before the append, as by all who change seats: a vote and this would wait for each other.
        with transaction.atomic():
            holders.lock_seats(self.match)
            return self._submitted(ruling, seats)

    def _submitted(self, ruling: Ruling, seats: Sequence[Seat]) -> turns.Receipt:
        loaded = self.loaded
        return turns.submit(
            match=self.match,
            # The answer counts from the deadline, however late the sweep is, so that nothing drifts.
            sender=Sender(Actor("clock", self.seat), "clock", self.claim.due_at),
            command=ruling.command or loaded.game.default_command(loaded.timeline.state, self.seat),
            expected_version=loaded.viewer_version(self.seat),
            # The version makes the key unique: two sweeps at one question collide, one that takes over from a dead one does not.
            command_id=turns.command_id(sender=f"clock {self.claim.id}", key=str(loaded.version)),
            seats=ruling.seats or seats,
            loaded=loaded,
            beside=ruling.events,
            more=ruling.more,
        )


def _excuse(match: Match, loaded: Loaded, claim: Claim, ruling: Ruling, seats: Sequence[Seat]) -> bool:
    """Append an excused timeout, which gives the seat the question's time again. Return False if another sweep did so."""
    # By the version, not by the number of the excuse: that of a substitute begins again, for the same question.
    key = turns.command_id(sender=f"clock {claim.id}", key=f"excused {loaded.version}")
    events = [event.event(version) for version, event in enumerate(ruling.events, loaded.version + 1)]
    try:
        record(match, loaded, events, Act(Actor("clock", claim.seat), "clock", key, claim.due_at), seats=seats, more=ruling.more)
    except DuplicateCommand:
        return False
    return True


def _still_due(claim: Claim) -> bool:
    """Return True if a question is still due, although its match has moved on since it was claimed.

    Call it after loading the match: the row is written with the events, so an append on that version gives the same answer.
    """
    return Question.objects.filter(id=claim.id, due_at__lte=claim.due_at).exists()


def _holder(match: Match, seat: int) -> int | None:
    """Return the user on a seat, as the batch has read it."""
    return next((row.user_id for row in match.seats.all() if row.index == seat), None)


def _mail_waits(match: Match, claim: Claim) -> bool:
    """Return True if a mail of the seat, received before the deadline, is unread: then the deadline waits up to ten minutes, and
    longer only while nobody has tried to read it, since the workers were away.

    A mail still unread after that is set aside and the organiser is notified, so one poisoned mail stops no clock.
    """
    holder = _holder(match, claim.seat)
    if holder is None:
        return False
    topic, now = str(match.id), timezone.now()
    if not waiting.waits_before(topic=topic, user_id=holder, moment=claim.due_at):
        return False
    patient = now < claim.due_at + waiting.HOLDS_BACK
    if patient or waiting.untried(topic=topic, user_id=holder, moment=claim.due_at):
        Question.objects.filter(id=claim.id).update(claimed_until=now + PAUSE)
        return True
    with transaction.atomic():
        if waiting.set_aside(topic=topic, user_id=holder, moment=claim.due_at) and match.creator_id is not None:
            payload = {"match": topic, "seat": claim.seat}
            outbox.notify(outbox.Notice(kind="mail_set_aside", user_id=match.creator_id, topic=topic, payload=payload))
    return False
