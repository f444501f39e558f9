"""Entries of a player's calendar: one for each question to their seats."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.conf import settings
from django.db.models import F
from django.utils.translation import gettext as _

from accounts.models import User
from gamesvc.games import catalog
from gamesvc.matches.models import Match, Question
from notifications.registry import Attachment
from notifications.sending import calendar
from notifications.sending.calendar import Deadline


def open_questions(user: User) -> list[Deadline]:
    """Return the deadlines of a user in all their running matches."""
    questions = Question.objects.filter(
        match__status=Match.Status.RUNNING, match__seats__user=user, match__seats__index=F("seat")
    ).select_related("match")
    return _deadlines(questions.order_by("due_at"))


def file_for(match: Match, seat: int, user: User | None) -> tuple[Attachment, ...]:
    """Return the calendar file for a mail to a seat: open questions with deadlines, closed ones cancelled."""
    if user is None:
        return ()
    questions = Question.objects.filter(match=match, seat=seat).select_related("match").order_by("due_at")
    found = calendar.attachment(user, str(match.id), _deadlines(questions))
    return (found,) if found is not None else ()


def _deadlines(questions: Iterable[Question]) -> list[Deadline]:
    """Return the deadlines of those questions whose clock runs."""
    return [_deadline(question, question.due_at) for question in questions if question.due_at is not None]


def _deadline(question: Question, due_at: datetime) -> Deadline:
    match = question.match
    title = f"{catalog.game(match.game).manifest.title} #{match.number}"
    return Deadline(
        topic=str(match.id),
        subject=f"{question.seat} {question.question}",
        due_at=question.grace_from or due_at,
        summary=_("%(title)s: your move") % {"title": title},
        description=_("%(prompt)s. Until then you can answer on the page or by mail.")
        % {"prompt": question.prompt.replace("_", " ").capitalize()},
        link=f"{settings.BASE_URL}/matches/{match.number}/",
    )
