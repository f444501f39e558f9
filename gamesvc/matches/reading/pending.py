"""The pending decisions of a user in all matches, the most urgent first, in a fixed number of queries."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from django.db.models import DateTimeField, F, Q, Value
from django.db.models.functions import Coalesce

from accounts.models import User
from gamesvc import paging
from gamesvc.matches.access.selectors import access_many
from gamesvc.matches.models import Match, Question
from gamesvc.matches.reading.board import Board
from gamesvc.matches.record.loading import load_many

Place = tuple[datetime, UUID]
NEVER = datetime(9999, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Pending:
    """A pending decision of a user, with the board as their seat sees it."""

    question: Question
    board: Board

    @property
    def place(self) -> Place:
        """Return where a page begins that follows this decision."""
        return _place(self.question)


def of_user(user: User, after: Place | None = None) -> tuple[list[Pending], Place | None]:
    """Return one page of the user's pending decisions, and where the next page begins.

    `after`: where this page begins. Decisions of a paused match have no deadline and come last. A decision that was made since
    its row was read is left out.
    """
    mine = Question.objects.filter(match__seats__user=user, match__seats__index=F("seat"), match__status=Match.Status.RUNNING)
    urgency = Coalesce("due_at", Value(NEVER), output_field=DateTimeField())
    mine = mine.select_related("match").annotate(urgency=urgency).order_by("urgency", "pk")
    if after is not None:
        mine = mine.filter(Q(urgency__gt=after[0]) | Q(urgency=after[0], pk__gt=after[1]))
    page, last = paging.cut(mine, paging.MATCHES)
    access = {one.match.pk: one for one in access_many(user, {row.match_id: row.match for row in page}.values())}
    loaded = load_many({match_id: one.match.game for match_id, one in access.items()})
    boards = {match_id: Board(one, loaded[match_id], one.viewer) for match_id, one in access.items()}
    found = [Pending(row, boards[row.match_id]) for row in page if row.match_id in boards]
    return [one for one in found if _is_open(one)], _place(last) if last is not None else None


def _place(row: Question) -> Place:
    return row.due_at or NEVER, row.pk


def _is_open(one: Pending) -> bool:
    return any((asked.seat, asked.id) == (one.question.seat, one.question.question) for asked in one.board.loaded.awaited())
