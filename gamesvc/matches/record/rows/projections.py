"""Rebuilding projections from the events: the match row, the seats, and the open questions.

Readers and writers continue meanwhile. A match is replayed outside any transaction, and differences are written in a short one,
unless the match has moved; then it is replayed again. The audit's own comparison finds the differences, and runs again on what
was written. Not here: the statistics of players (`statistics`).
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction

from events.audit import Finding
from events.store import StoredEvent
from gamesvc.games import catalog
from gamesvc.games.kernel.bots import bot_of
from gamesvc.games.kernel.game import Refused
from gamesvc.matches.events import Ended, Opened
from gamesvc.matches.models import Holding, Look, Match, Question, Seat, UndoRequest
from gamesvc.matches.record import loading
from gamesvc.matches.record.loading import Loaded
from gamesvc.matches.record.rows.read_models import (
    CLOCK,
    Rows,
    Told,
    differences,
    opened_columns,
    request_columns,
    seat_columns,
    tell,
)
from gamesvc.matches.record.rows.reckoning import Reckoning
from gamesvc.matches.record.rows.statements import clock_columns
from gamesvc.matches.record.stream import STORE

ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """The findings about one match before and after a rebuild."""

    found: tuple[Finding, ...] = ()
    left: tuple[Finding, ...] = ()


def rebuild(match_id: UUID) -> Rebuilt:
    """Rebuild the projections of one match from its events. Return the differences found and those that remain."""
    for attempt in range(ATTEMPTS + 1):
        # In the last attempt, writers wait until the match is replayed.
        with transaction.atomic() if attempt == ATTEMPTS else nullcontext():
            if attempt == ATTEMPTS:
                Match.objects.select_for_update(no_key=True).filter(pk=match_id).first()
            rebuilt = _rebuild(match_id)
        if rebuilt is not None:
            return rebuilt
    raise AssertionError("a match whose row is locked does not move")


def _rebuild(match_id: UUID) -> Rebuilt | None:
    """Rebuild once. Return None if the match moved meanwhile."""
    stored = STORE.read(match_id)
    match = Match.objects.filter(pk=match_id).first()
    if match is None:
        lost = "There are events, and no match row: the secret of the match is in a backup only."
        return _hopeless(Finding("match_row", lost, match_id))
    if not stored:
        return _hopeless(Finding("match_row", "There is a match row, and no event.", match_id))
    try:
        game = catalog.game(Opened.of(stored[0].data).game)
    except Refused as refused:
        return _hopeless(Finding("unknown_game", refused.detail, match_id))
    reckoning = Reckoning(loading.fresh(game, match_id)).fold(stored)
    with transaction.atomic():
        match = Match.objects.select_for_update(no_key=True).get(pk=match_id)
        head = STORE.head(match_id)
        if head is None or head.version != reckoning.loaded.version:
            return None
        told = tell(stored)
        found = tuple(differences(Rows.of(match), reckoning.loaded, told))
        if not found:
            return Rebuilt()
        _mend(match, stored, reckoning, told)
        return Rebuilt(found, tuple(differences(Rows.of(match), reckoning.loaded, told)))


def _hopeless(finding: Finding) -> Rebuilt:
    return Rebuilt((finding,), (finding,))


# --- within the lock of the match row ---


def _mend(match: Match, stored: list[StoredEvent], reckoning: Reckoning, told: Told) -> None:
    _mend_row(match, stored, reckoning.loaded, told)
    _mend_seats(match, reckoning.loaded, told)
    _mend_questions(match, reckoning)
    _mend_requests(match, told)
    _mend_looks(match, told)


def _mend_row(match: Match, stored: list[StoredEvent], loaded: Loaded, told: Told) -> None:
    match.version = loaded.version
    for name, value in opened_columns(loaded).items():
        setattr(match, name, value)
    match.outcome = Ended.of(stored[-1].data).outcome if loaded.ended else None
    for name in ("status", "paused_at", "started_at", "ended_at"):
        setattr(match, name, getattr(told, name))
    match.save()


def _mend_seats(match: Match, loaded: Loaded, told: Told) -> None:
    known = {row.index: row for row in match.seats.all()}
    users = dict(Holding.objects.filter(match=match).values_list("holder", "user_id"))
    seats = [known.get(index) or Seat(match=match, index=index) for index in range(loaded.seats)]
    for seat in seats:
        right = seat_columns(seat.index, loaded, told)
        seat.holder = UUID(right["holder"]) if right["holder"] is not None else None
        seat.contribution = right.get("contribution", seat.contribution)
        # The events do not name the bot, and only the table of holdings knows the user.
        seat.bot = (seat.bot or bot_of(loaded.game)) if right["bot"] else ""
        seat.user_id = users.get(seat.holder) if seat.holder is not None else None
        if (seat.vacated_at is not None) != right["vacated_at"]:
            seat.vacated_at = told.free.get(seat.index)
    # Clear all users first: two seats may have to change places.
    match.seats.update(user=None)
    match.seats.exclude(index__lt=loaded.seats).delete()
    for seat in seats:
        seat.save()


def _mend_questions(match: Match, reckoning: Reckoning) -> None:
    bots = set(match.seats.exclude(bot="").values_list("index", flat=True))
    awaited = {(one.seat, one.id): one for one in reckoning.loaded.awaited() if not match.board or one.seat in bots}
    for row in match.questions.all():
        one = awaited.pop((row.seat, row.question), None)
        if one is None:
            row.delete()
            continue
        row.prompt, row.kind, row.bot = one.prompt, one.kind, one.seat in bots
        if not match.board:
            for name, value in clock_columns(reckoning.loaded.account.open.get((one.seat, one.id))).items():
                setattr(row, name, value)
        row.save(update_fields=["prompt", "kind", "bot", *CLOCK])
    for key, one in awaited.items():
        Question.objects.create(
            match=match,
            seat=one.seat,
            question=one.id,
            prompt=one.prompt,
            kind=one.kind,
            bot=one.seat in bots,
            **{"asked_at": reckoning.asked[key].since, **clock_columns(reckoning.loaded.account.open.get(key))},
        )


def _mend_requests(match: Match, told: Told) -> None:
    match.undo_requests.exclude(version__in=told.requests).delete()
    kept = {row.version: row for row in match.undo_requests.all()}
    for version, request in told.requests.items():
        # If only bots were asked, the undo was made at once and there never was a row.
        if version in kept or not request.agreed:
            UndoRequest.objects.update_or_create(match=match, version=version, defaults=request_columns(request))


def _mend_looks(match: Match, told: Told) -> None:
    """Restore the rows of looks from the events. A row that no event names keeps its text and is reported."""
    for look_id, (seat, version) in told.looks.items():
        Look.objects.update_or_create(pk=look_id, defaults={"match": match, "seat": seat, "version": version})
