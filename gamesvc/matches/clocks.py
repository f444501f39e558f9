"""Time-outs: who has run out of time, and the game's own answer for him.

The database is the timer. A sweep claims due questions by a lease in a short transaction of its own, then submits
the default command as actor `clock`. The question's id is the key, so two sweeps answer a question once.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import timedelta

from django.db import connection, transaction
from django.utils import timezone

from gamesvc.games.kernel import Refused
from gamesvc.matches import loading, turns
from gamesvc.matches.models import Match, Question, Seat
from gamesvc.matches.recording import Actor
from gamesvc.matches.turns import Sender
from notifications import outbox
from notifications.inbound import store

logger = logging.getLogger(__name__)

LEASE_SECONDS = 60
BATCH = 50
# A default command may lead to another question under the same clock (the next phase of the same turn).
MOST_DEFAULTS = 60
# How soon a deadline that waits for unread mail is looked at again.
MAIL_PAUSE = timedelta(seconds=2)


def claim_due(limit: int = BATCH) -> list[tuple[str, str, int, str]]:
    """Lease due questions: (id, match id, seat, question). Rows that another sweep is at are passed over."""
    now = timezone.now()
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE matches_question SET claimed_until = %s::timestamptz WHERE id IN ("
            " SELECT id FROM matches_question WHERE due_at <= %s::timestamptz"
            " AND (claimed_until IS NULL OR claimed_until < %s::timestamptz)"
            " ORDER BY due_at LIMIT %s::int FOR UPDATE SKIP LOCKED"
            ") RETURNING id, match_id, seat, question",
            [now + timedelta(seconds=LEASE_SECONDS), now, now, limit],
        )
        return list(cursor.fetchall())


def sweep(limit: int = 1000) -> int:
    """Answer due questions with the game's default commands, in batches. Returns how many questions were closed."""
    fired = 0
    for question_id, match_id, seat, question in _batches(limit):
        try:
            fired += time_out(question_id=str(question_id), match_id=str(match_id), seat=seat, question=question)
        except Exception:
            # One match that cannot go on must not stop the clocks of the others; its lease runs out and it is tried again.
            logger.exception("The time-out of match %s, seat %s failed.", match_id, seat)
    return fired


def _batches(limit: int) -> Iterator[tuple[str, str, int, str]]:
    left = limit
    while left > 0 and (rows := claim_due(min(BATCH, left))):
        yield from rows
        left -= len(rows)


def time_out(*, question_id: str, match_id: str, seat: int, question: str) -> bool:
    """Submit default commands for a seat until its question is closed. Returns whether this call closed it."""
    match = Match.objects.get(pk=match_id)
    for step in range(MOST_DEFAULTS):
        loaded = loading.load(match.id, match.game)
        if all((one.seat, one.id) != (seat, question) for one in loaded.awaited()):
            # Answered in the meantime; the row went with the answer, or is one that nothing closes any more.
            Question.objects.filter(id=question_id).delete()
            return step > 0
        now = timezone.now()
        if not Question.objects.filter(id=question_id, due_at__lte=now).exists():
            return False
        if step == 0 and _mail_waits(match, question_id, seat):
            return False
        try:
            turns.submit(
                match=match,
                sender=Sender(Actor("clock", seat), "clock", now),
                command=loaded.game.default_command(loaded.timeline.state, seat),
                expected_version=loaded.viewer_version(seat),
                command_id=turns.command_id(sender=f"clock {question_id}", key=str(step)),
            )
        except turns.Stale:
            continue
        except Refused as refused:
            if refused.code == "match_over":
                return False
            raise
    raise RuntimeError(f"match {match_id}, seat {seat}: question {question} is still open after {MOST_DEFAULTS} default commands")


def _mail_waits(match: Match, question_id: str, seat: int) -> bool:
    """Whether mail of the seat that our border took before the deadline is unread: then the deadline waits, for ten minutes at
    most. What is unread even then is set aside and the organiser told: one poisoned mail stops nobody's clock."""
    row = Question.objects.filter(id=question_id).first()
    holder = Seat.objects.filter(match=match, index=seat).values_list("user_id", flat=True).first()
    if row is None or holder is None:
        return False
    topic, now = str(match.id), timezone.now()
    if not store.waits_before(topic=topic, user_id=holder, moment=row.due_at):
        return False
    if now < row.due_at + store.HOLDS_BACK:
        Question.objects.filter(id=question_id).update(claimed_until=now + MAIL_PAUSE)
        return True
    with transaction.atomic():
        if store.set_aside(topic=topic, user_id=holder, moment=row.due_at) and match.creator_id is not None:
            payload = {"match": topic, "seat": seat}
            outbox.notify(outbox.Notice(kind="mail_set_aside", user_id=match.creator_id, topic=topic, payload=payload))
    return False
