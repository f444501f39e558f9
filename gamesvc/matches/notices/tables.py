"""Matches as the mails of one batch read them: each match once, with its seats, questions and position.

A mail tells the state of a second ago at most (`notifications.wanted.shared_reads`), and the same read decides what it may show.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from uuid import UUID

from gamesvc.database.prepared import OneOf, Prepared, attach
from gamesvc.matches.models import Match, Question, Seat
from gamesvc.matches.play import conditional_orders
from gamesvc.matches.record import loading
from gamesvc.matches.record.loading import Loaded
from gamesvc.matches.timekeeping import last_orders
from notifications.models import Outbox
from notifications.wanted import carrying, shared_reads

_MATCHES = Prepared(lambda: Match.objects.filter(pk=OneOf("matches", "uuid")))
_SEATS = Prepared(lambda: Seat.objects.filter(match=OneOf("matches", "uuid")).select_related("user"))
_QUESTIONS = Prepared(lambda: Question.objects.filter(match=OneOf("matches", "uuid")))

log = logging.getLogger(__name__)


def match_of(row: Outbox) -> Match:
    """Return the match of a notice, with its seats and their players, and its questions, the first that is due first."""
    match_id = UUID(row.payload["match"])
    return shared_reads.for_all(_matches_of, match_id, lambda: _alone(match_id))


def match_asking(row: Outbox) -> Match:
    """Return the match of a notice, read again if the notice includes a question that came after the batch had read it.

    Its mail is then the only one that tells of the question.
    """
    match = match_of(row)
    told = {(one.payload["seat"], one.payload["question"]) for one in carrying.carried(row) if "question" in one.payload}
    if told <= {(one.seat, one.question) for one in match.questions.all()}:
        return match
    look_again()
    return match_of(row)


def match_if_any(row: Outbox) -> Match | None:
    """Return the match of a notice; None if it has been deleted since."""
    try:
        return match_of(row)
    except Match.DoesNotExist:
        return None


def position_of(match: Match) -> Loaded:
    """Return a match as it is now. It is shared, and not to be changed."""
    return shared_reads.for_all(_positions_of, match.id, lambda: loading.load(match.id, match.game))


def holds_orders(match: Match, seat: int) -> bool:
    """Return True if a seat has orders that are held until its deadline."""
    return (match.id, seat) in shared_reads.for_all(_held_of, match.id, lambda: last_orders.waiting([match.id]))


def has_due_orders(match: Match, seat: int) -> bool:
    """Return True if a seat has conditional orders that are to be looked at."""
    return (match.id, seat) in shared_reads.for_all(_due_of, match.id, lambda: conditional_orders.due_in([match.id]))


def seats_of(match: Match) -> tuple[Seat, ...]:
    """Return the seats of a match in order."""
    return tuple(sorted(match.seats.all(), key=lambda seat: seat.index))


def questions_of(match: Match) -> list[Question]:
    """Return the open questions of a match, the first that is due first."""
    return sorted(match.questions.all(), key=lambda question: (question.soonest(), question.seat))


def look_again() -> None:
    """Read everything again for the next look: the match may have gone on."""
    shared_reads.forget()


def _alone(match_id: UUID) -> Match:
    for match in _matches([match_id]).values():
        return match
    raise Match.DoesNotExist


def _matches_of(rows: Sequence[Outbox]) -> dict[UUID, Match]:
    return _matches({UUID(row.payload["match"]) for row in rows if "match" in row.payload})


def _matches(wanted: Collection[UUID]) -> dict[UUID, Match]:
    found = {match.id: match for match in _MATCHES.rows(matches=list(wanted))}
    attach(found, "seats", _SEATS.rows(matches=list(found)), by="match_id")
    attach(found, "questions", _QUESTIONS.rows(matches=list(found)), by="match_id")
    return found


def _positions_of(rows: Sequence[Outbox]) -> dict[UUID, Loaded]:
    try:
        return loading.load_many({match.id: match.game for match in _known(rows)})
    except Exception:
        # One of them cannot be read: each is read alone, so that the mails about the others go.
        log.debug("the matches of a batch are read one by one", exc_info=True)
        return {}


def _held_of(rows: Sequence[Outbox]) -> dict[UUID, set[tuple[UUID, int]]]:
    matches = [match.id for match in _known(rows)]
    return dict.fromkeys(matches, last_orders.waiting(matches))


def _due_of(rows: Sequence[Outbox]) -> dict[UUID, set[tuple[UUID, int]]]:
    matches = [match.id for match in _known(rows)]
    return dict.fromkeys(matches, conditional_orders.due_in(matches))


def _known(rows: Sequence[Outbox]) -> list[Match]:
    """Return the matches of these notices, but for those that have been deleted since."""
    found = {row.payload["match"]: row for row in rows if "match" in row.payload}
    return [match for row in found.values() if (match := match_if_any(row)) is not None]
