"""Entries of a player's calendar: one for each seat, which moves from one question to the next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db.models import F
from django.utils.translation import gettext as _

from accounts.models import User
from gamesvc.games import catalog
from gamesvc.games.kernel.wording import capital
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


def file_for(
    match: Match, seat: int, user: User | None, mailed: Mapping[str, int]
) -> tuple[tuple[Attachment, ...], Mapping[str, int]]:
    """Return the calendar file for a mail to a seat, if its deadline has changed since it was `mailed`; and what it tells."""
    if user is None:
        return (), {}
    questions = sorted((one for one in match.questions.all() if one.seat == seat), key=Question.soonest)
    found, told = calendar.attachment(user, str(match.id), _deadlines(questions), mailed)
    return ((found,) if found is not None else ()), told


def _deadlines(questions: Iterable[Question]) -> list[Deadline]:
    """Return the deadline of each seat whose clock runs: of several questions, the first that is due."""
    found: dict[tuple[UUID, int], Deadline] = {}
    for question in questions:
        if question.due_at is not None:
            found.setdefault((question.match_id, question.seat), _deadline(question, question.due_at))
    return list(found.values())


def _deadline(question: Question, due_at: datetime) -> Deadline:
    match = question.match
    title = f"{catalog.game(match.game).manifest.title} #{match.number}"
    return Deadline(
        topic=str(match.id),
        subject=str(question.seat),
        due_at=question.grace_from or due_at,
        summary=_("%(title)s: your move") % {"title": title},
        description=_("%(prompt)s. Until then you can answer on the page or by mail.")
        % {"prompt": capital(catalog.game(match.game).asks(question.prompt))},
        link=f"{settings.BASE_URL}/matches/{match.number}/",
    )
