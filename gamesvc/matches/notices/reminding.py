"""Reminders of questions whose time runs short, or that everyone waits for. Also the text of other mails about a question.

Each question holds the time at which the sweep must look at it next, so a sweep reads only those that are due. Taking a turn
writes nothing about reminders. A row for each question, point and deadline keeps a reminder from being sent twice; a moved
deadline has rows of its own, and is reminded of again.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from events.canonical import write_time
from gamesvc.database.asking import ask
from gamesvc.matches import hints
from gamesvc.matches.access import selectors
from gamesvc.matches.models import Match, Question
from gamesvc.matches.models.core import AT_ONCE
from gamesvc.matches.notices import reply_addresses, tables, wording
from gamesvc.matches.notices.acted import acted
from gamesvc.matches.reading import calendar_entries
from gamesvc.matches.reading.board import caption_of
from gamesvc.matches.record.loading import load
from gamesvc.matches.story import sentences
from notifications import registry
from notifications.models import Outbox, Scope
from notifications.registry import NO_END, Brief, Message
from notifications.sending import calendar, digests
from notifications.wanted import preferences, reminders
from notifications.wanted.reminders import DEFAULT_POINTS
from notifications.wanted.wishes import wishes_changed

log = logging.getLogger(__name__)

BATCH = 500
"""Questions that one statement of a sweep looks at."""

# The moment of a point `k` (share, before) of a question `q`. A share refers to the time that counts, so it lies behind every
# break that begins before that share is used up, as in `clock.spans.advance`. A point given in hours before the end refers to the
# calendar. The end is the start of grace. A plain clock has no breaks, and most clocks are plain.
MOMENT = """CASE
  WHEN k.share = 1 THEN coalesce(q.grace_from, q.due_at)
  WHEN q.break_at = '{}' THEN q.asked_at + (coalesce(q.grace_from, q.due_at) - q.asked_at) * k.share
  ELSE (
    SELECT q.asked_at + (g.gone + coalesce(sum(b.lasting) FILTER (WHERE b.at <= g.gone), 0)) * interval '1 second'
    FROM (SELECT round((k.share * (extract(epoch FROM coalesce(q.grace_from, q.due_at) - q.asked_at)
            - (SELECT sum(lasting) FROM unnest(q.break_for) AS lasting)))::numeric, 6)::float8 AS gone) AS g,
         unnest(q.break_at, q.break_for) AS b(at, lasting) GROUP BY g.gone)
  END - k.before * interval '1 second'"""
# Questions to look at now, their players, and the points those players chose. A point counts only if it lies after the moment of
# asking: "2 h before" says nothing new about a question that had two hours from the start. If a sweep finds several points at
# once, it sends the last and only records the others. Then each question gets the time of its next point. A trigger resets it
# when the deadline moves, `look_again` when the player chooses other points. Acts on these questions wait for the statement, so
# it takes few of them.
_SWEEP = f"""
WITH looked AS MATERIALIZED (
  SELECT q.* FROM matches_question q WHERE NOT q.bot AND q.look_at <= %(now)s::timestamptz
  ORDER BY q.look_at LIMIT %(most)s::int FOR UPDATE SKIP LOCKED
), points AS MATERIALIZED (
  SELECT q.id, q.match_id, q.seat, q.question, q.due_at, s.user_id, p.point, m.moment
  FROM looked q
  JOIN matches_seat s ON s.match_id = q.match_id AND s.index = q.seat AND s.user_id IS NOT NULL
  LEFT JOIN notifications_preference own ON own.user_id = s.user_id AND own.topic = q.match_id::text
  LEFT JOIN notifications_preference general ON general.user_id = s.user_id AND general.topic = ''
  CROSS JOIN LATERAL unnest(coalesce(own.reminders, general.reminders, %(default)s::text[])) AS p(point)
  JOIN unnest(%(points)s::text[], %(shares)s::float8[], %(befores)s::float8[]) AS k(point, share, before) ON k.point = p.point
  CROSS JOIN LATERAL (SELECT {MOMENT} AS moment) AS m
  WHERE q.due_at > %(now)s::timestamptz AND m.moment > q.asked_at
), planned AS (
  UPDATE matches_question q SET look_at = next.moment
  FROM looked LEFT JOIN (
    SELECT p.id, min(p.moment) AS moment FROM points p WHERE p.moment > %(now)s::timestamptz GROUP BY p.id
  ) AS next ON next.id = looked.id WHERE q.id = looked.id
), due AS MATERIALIZED (
  SELECT p.*, row_number() OVER (PARTITION BY p.id ORDER BY p.moment DESC, p.point) = 1 AS last, gen_random_uuid() AS notice
  FROM points p
  WHERE p.moment <= %(now)s::timestamptz
    AND NOT EXISTS (SELECT FROM notifications_reminder r WHERE r.topic = p.match_id::text
      AND r.subject = p.seat || ' ' || p.question AND r.user_id = p.user_id AND r.point = p.point AND r.deadline = p.due_at)
), guarded AS (
  INSERT INTO notifications_reminder (user_id, topic, subject, point, deadline, notice, made_at)
  SELECT user_id, match_id::text, seat || ' ' || question, point, due_at, CASE WHEN last THEN notice END, %(now)s::timestamptz
  FROM due ON CONFLICT DO NOTHING RETURNING notice
), queued AS (
  INSERT INTO notifications_outbox (id, kind, user_id, topic, payload, created_at, due_at)
  SELECT due.notice, 'reminder', due.user_id, due.match_id::text,
    jsonb_build_object('match', due.match_id, 'seat', due.seat, 'question', due.question, 'point', due.point,
      'deadline', to_char(due.due_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')),
    %(now)s::timestamptz, %(now)s::timestamptz
  FROM due JOIN guarded ON guarded.notice = due.notice RETURNING id
)
SELECT (SELECT count(*) FROM looked), (SELECT count(*) FROM queued)
"""  # noqa: S608


def register() -> None:
    """Register the notices that ask a seat for something, and the open questions in digests and calendars."""
    asks: dict[str, Any] = {"deadline": deadline, "brief": brief_of_turn, "acted": acted, "subject": subject}
    registry.register("your_turn", wording.your_turn, label="It is your turn", carries=("match_started",), **asks)
    registry.register("reminder", reminder, label="Reminders", again=True, **asks)
    registry.register("last_one", last_one, label="All others are done and wait for you", **asks)
    registry.register_facts(facts)
    wishes_changed.connect(look_again)
    digests.register_source(open_matches)
    calendar.register_source(calendar_entries.open_questions)


def sweep() -> int:
    """Queue a reminder for each open question that has reached a point its player chose, however long ago.

    Returns how many were queued.
    """
    points = reminders.points_in_use()
    values: dict[str, Any] = {
        "now": timezone.now(),
        "most": BATCH,
        "points": [point.text for point in points],
        "shares": [point.share for point in points],
        "befores": [point.before for point in points],
        "default": list(DEFAULT_POINTS),
    }
    looked, queued = BATCH, 0
    while looked == BATCH:
        looked, more = ask(_SWEEP, values).fetchone()
        queued += more
        if more:
            hints.notices()
    return queued


def look_again(*, user_id: int, **_signal: object) -> None:
    """Have the next sweep look at all open questions of a player who has chosen other points."""
    Question.objects.filter(match__seats__user_id=user_id, match__seats__index=F("seat")).update(look_at=AT_ONCE)


def question_of(row: Outbox) -> Question | None:
    """Return the question of a notice if it is still open and the receiver still holds the seat; else None."""
    payload = row.payload
    match = tables.match_if_any(row)
    if match is None or match.status != Match.Status.RUNNING:
        return None
    asked = (payload["seat"], payload["question"])
    question = next((one for one in tables.questions_of(match) if (one.seat, one.question) == asked), None)
    if question is None or (question.seat, row.user_id) not in {(seat.index, seat.user_id) for seat in match.seats.all()}:
        return None
    # A reminder of a deadline that has moved since is no longer true. The new deadline has reminders of its own.
    if "deadline" in payload and (question.due_at is None or payload["deadline"] != write_time(question.due_at)):
        return None
    return question


def deadline(row: Outbox) -> datetime | None:
    """Return the moment until which a notice's question can be answered in time.

    None once the question is closed, `NO_END` while its clock is stopped.
    """
    question = question_of(row)
    return (question.grace_from or question.due_at or registry.NO_END) if question is not None else None


def reminder(row: Outbox) -> Message | None:
    """Remind a player of a question; None if it is answered or its deadline has moved."""
    question = question_of(row)
    now = timezone.now()
    if question is None or question.due_at is None or question.due_at <= now:
        return None
    headline = _("Reminder: your move")
    subject = _("[%(title)s #%(number)s] Reminder: your turn ends %(due)s")
    return _turn_mail(row, question, headline, subject, reason="reminder")


def last_one(row: Outbox) -> Message | None:
    """Tell a player that all others have answered; None if this seat has answered too."""
    question = question_of(row)
    if question is None or Question.objects.filter(match=question.match).exclude(seat=question.seat).exists():
        return None
    headline = _("Everyone else is waiting for you")
    subject = _("[%(title)s #%(number)s] Everyone else is waiting for you, until %(due)s")
    return _turn_mail(row, question, headline, subject, reason="last-one")


def _turn_mail(row: Outbox, question: Question, headline: str, subject: str, *, reason: str) -> Message:
    context = wording.turn_context(row, question, headline)
    words = {"title": context["title"], "number": question.match.number, "due": context["due"]}
    return wording.compose("your_turn", subject % words, context, reason=reason)


def brief_of_turn(row: Outbox) -> Brief | None:
    """Return a question in a few lines; None once it is closed."""
    question = question_of(row)
    if question is None or row.user is None:
        return None
    brief = _brief_or_bare(question.match, question.seat, row.user, [question], key=row.id)
    # The match may have gone on since it was read.
    tables.look_again()
    return brief if question_of(row) is not None else None


def open_matches(row: Outbox, user: User) -> list[Brief]:
    """Return, for the digest, the matches that wait for a player or in which something happened since their last look.

    Muted matches are left out. A match that cannot be read does not keep the others from being shown. Of very many, those that
    are due last are only counted, and those that do not wait for the player are left out.
    """
    found = []
    unwanted = {mute.value for mute in preferences.mutes_of(user) if mute.scope == Scope.TOPIC}
    running = Match.objects.filter(seats__user=user, status=Match.Status.RUNNING, board=False).distinct().order_by("number")
    seated: list[tuple[Match, int, list[Question]]] = []
    for match in running.prefetch_related("questions", "seats"):
        seat = next((one.index for one in match.seats.all() if one.user_id == user.pk), None)
        if seat is not None and str(match.id) not in unwanted:  # not given up since the matches were read
            seated.append((match, seat, sorted((one for one in match.questions.all() if one.seat == seat), key=Question.soonest)))
    seated.sort(key=lambda one: one[2][0].soonest() if one[2] else (True, NO_END))
    for match, seat, own in seated[: digests.MOST_BRIEFS]:
        brief = _brief_or_bare(match, seat, user, own, key=uuid.uuid5(row.id, f"{match.id} {seat}"))
        if own or brief.lines:
            found.append(brief)
    if rest := [own[0].deadline for _match, _seat, own in seated[digests.MOST_BRIEFS :] if own]:
        found.append(digests.more(len(rest), rest[0]))
    return found


def _brief_or_bare(match: Match, seat: int, user: User, own: Sequence[Question], *, key: UUID) -> Brief:
    """Return a match in a few lines, even a broken one: a mail about several matches must not fail because of one."""
    try:
        return _brief(match, seat, user, own, key=key)
    except Exception:
        # For example because its rules have a fault. Its deadline is valid all the same.
        log.exception("a mail of several matches cannot tell what happened in %s", match.id)
        return _bare(match, seat, own)


def _bare(match: Match, seat: int, own: Sequence[Question]) -> Brief:
    """Return a match that cannot be read, from its rows alone."""
    return Brief(
        key=f"{match.id} {seat}",
        title=f"{match.game} #{match.number}",
        headline=_headline(own),
        link=f"{settings.BASE_URL}/matches/{match.number}/",
        due_at=own[0].deadline if own else None,
    )


def _headline(own: Sequence[Question], task: str = "") -> str:
    return wording.with_task(_("your move"), task) if own else _("not your move")


def _brief(match: Match, seat: int, user: User, own: Sequence[Question], *, key: UUID) -> Brief:
    """Return a match in a few lines. `key` makes the reply address, the same each time the mail is written."""
    loaded = load(match.id, match.game)
    seats = tuple(match.seats.select_related("user", "match").order_by("index"))
    names = selectors.seat_names(seats)
    context = wording.plain_context(match)
    shown = wording.shows_position(user)
    lines = [one.sentence for one in sentences.tell_since(loaded, seats[seat], names)] if shown else []
    question = own[0] if own else None
    view = loaded.game.view(loaded.timeline.state, seat)
    task = loaded.game.glance(view, caption_of(match, names)).task if own and shown else ""
    return Brief(
        key=f"{match.id} {seat}",
        title=f"{context['title']} #{match.number}",
        headline=_headline(own, task),
        link=context["link"],
        due_at=question.deadline if question is not None else None,
        lines=tuple(lines),
        orders=loaded.game.order_help(question.prompt) if question is not None and shown else "",
        reply_to=reply_addresses.reply_address(match=match, loaded=loaded, seat=seat, user=user, key=key, question=question)
        if question is not None and shown
        else "",
    )


def subject(row: Outbox) -> str:
    """Return the subject of a notice within its match: one question to one seat."""
    return f"{row.payload['seat']} {row.payload['question']}"


def facts(row: Outbox) -> dict[str, object]:
    """Return what a program may know of a notice: the match and the receiver's version of it, nothing of the position.

    The seat is the one the notice is about, perhaps that of another player: its version would count acts that are sealed.
    """
    match = Match.objects.filter(pk=row.payload.get("match")).first() if row.payload.get("match") else None
    own = match.seats.filter(user=row.user_id).first() if match is not None and row.user_id is not None else None
    if match is None or own is None:
        return {}
    told: dict[str, object] = {"match": str(match.id), "number": match.number, "seat": row.payload.get("seat")}
    told["version"] = load(match.id, match.game).viewer_version(own.index)
    return told
