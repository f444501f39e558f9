"""Projections made again from the events: the match row, who sits where, and the open questions.

Readers and writers go on meanwhile: a match is replayed outside any transaction, and what differs is written in a short one,
unless the match has moved; then it is replayed again. What differs is found by the audit's own comparison, and what is
written is compared once more. Not here: the statistics of players (`statistics`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction

from events.audit import Finding
from events.store import StoredEvent
from gamesvc.games import catalog
from gamesvc.games.kernel import Refused
from gamesvc.matches import auditing, loading, timeouts
from gamesvc.matches.auditing import Told
from gamesvc.matches.loading import STORE, Loaded
from gamesvc.matches.models import Holding, Match, Question, Seat
from gamesvc.matches.reckoning import Key, Reckoning
from gamesvc.matches.recording import clock_columns

ATTEMPTS = 5
# What the row repeats of the first event, where that says it.
MANNERS = ("clock", "press", "undo", "anonymous", "reliability")
CLOCK = ("asked_at", "due_at", "grace_from", "break_at", "break_for")


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What was wrong with the projections of one match, and whether it is right now."""

    found: tuple[Finding, ...] = ()
    left: tuple[Finding, ...] = ()


def rebuild(match_id: UUID) -> Rebuilt:
    """Make the projections of one match again from its events. Says what differed, and what could not be mended."""
    for attempt in range(ATTEMPTS + 1):
        # At last the writers wait until the match is replayed.
        with transaction.atomic() if attempt == ATTEMPTS else nullcontext():
            if attempt == ATTEMPTS:
                Match.objects.select_for_update().filter(pk=match_id).first()
            rebuilt = _rebuild(match_id)
        if rebuilt is not None:
            return rebuilt
    raise AssertionError("a match whose row is locked does not move")


def _rebuild(match_id: UUID) -> Rebuilt | None:
    """The same, once; None where the match moved meanwhile."""
    stored = STORE.read(match_id)
    match = Match.objects.filter(pk=match_id).first()
    if match is None:
        lost = "There are events, and no match row: the secret of the match is in a backup only."
        return _hopeless(Finding("match_row", lost, match_id))
    if not stored:
        return _hopeless(Finding("match_row", "There is a match row, and no event.", match_id))
    try:
        game = catalog.game(stored[0].data["game"])
    except Refused as refused:
        return _hopeless(Finding("unknown_game", refused.detail, match_id))
    reckoning = Reckoning(loading.fresh(game, match_id)).fold(stored)
    with transaction.atomic():
        match = Match.objects.select_for_update().get(pk=match_id)
        head = STORE.head(match_id)
        if head is None or head.version != reckoning.loaded.version:
            return None
        told = auditing.tell(stored)
        found = tuple(differences(match, reckoning.loaded, told))
        if not found:
            return Rebuilt()
        _mend(match, stored, reckoning, told)
        return Rebuilt(found, tuple(differences(match, reckoning.loaded, told)))


def _hopeless(finding: Finding) -> Rebuilt:
    return Rebuilt((finding,), (finding,))


def differences(match: Match, loaded: Loaded, told: Told) -> Iterator[Finding]:
    """Where the projections of a match part from what its events come to."""
    if match.version != loaded.version:
        detail = f"The match row is at version {match.version}, the stream ends with {loaded.version}."
        yield Finding("match_row", detail, match.id)
    yield from auditing.row_findings(match, loaded, loaded.timeline, told)
    for name in MANNERS:
        if name in loaded.opened and getattr(match, name) != loaded.opened[name]:
            detail = f"{name} of the match row is {getattr(match, name)}, by the events {loaded.opened[name]}."
            yield Finding("match_row", detail, match.id)
    rows = {(row.seat, row.question): row for row in match.questions.all()}
    yield from auditing.question_findings(match, loaded, loaded.timeline, told, {key: row.bot for key, row in rows.items()})
    for one in loaded.awaited():
        row = rows.get((one.seat, one.id))
        if row is None:
            continue
        if (row.prompt, row.kind) != (one.prompt, one.kind):
            detail = f"Seat {one.seat} is asked {row.prompt} ({row.kind}), by the events {one.prompt} ({one.kind})."
            yield Finding("questions", detail, match.id)
        if match.board:
            continue
        clock = _clock(loaded, (one.seat, one.id))
        if row.due_at != clock["due_at"]:
            detail = f"The deadline of seat {one.seat} is {row.due_at}, by the events {clock['due_at']}."
            yield Finding("questions", detail, match.id)
        elif wrong := [name for name, value in clock.items() if getattr(row, name) != value]:
            detail = f"The clock of seat {one.seat} is not the one that the events come to, in {', '.join(wrong)}."
            yield Finding("questions", detail, match.id)


def _clock(loaded: Loaded, key: Key) -> dict[str, Any]:
    """The clock of an open question as its row holds it."""
    return clock_columns(loaded.account.open.get(key))


# --- within the lock of the match row ---


def _mend(match: Match, stored: list[StoredEvent], reckoning: Reckoning, told: Told) -> None:
    loaded = reckoning.loaded
    _mend_row(match, stored, loaded, told)
    _mend_seats(match, stored, loaded, told)
    _mend_questions(match, reckoning)


def _mend_row(match: Match, stored: list[StoredEvent], loaded: Loaded, told: Told) -> None:
    match.version = loaded.version
    for name in ("game", "rules", "options", *MANNERS):
        if name in loaded.opened:
            setattr(match, name, loaded.opened[name])
    match.seat_count = loaded.opened["seats"]
    match.board = loaded.opened.get("board", False)
    moments = {one.type: one.occurred_at for one in stored if one.type in ("match.started", "match.ended")}
    started, ended = moments.get("match.started"), moments.get("match.ended")
    # The row was written a moment before its event: what is there stays.
    match.started_at = (match.started_at or started) if started is not None else None
    match.ended_at = (match.ended_at or ended) if ended is not None else None
    match.outcome = stored[-1].data["outcome"] if loaded.ended else None
    match.status, match.paused_at = told.status, told.paused_at
    match.save()


def _mend_seats(match: Match, stored: list[StoredEvent], loaded: Loaded, told: Told) -> None:
    came = {one.data["holder"]: one for one in stored if one.type in ("match.joined", "match.seated")}
    known = {row.index: row for row in match.seats.all()}
    changed = []
    for index in range(loaded.seats):
        seat = known.get(index) or Seat(match=match, index=index)
        holder, bot, free = loaded.holders.get(index), index in told.bots, told.free.get(index)
        held = str(seat.holder) if seat.holder is not None else None
        if (held, bool(seat.bot), seat.vacated_at is not None) == (holder, bot, free is not None) and seat.pk is not None:
            continue
        substitute = holder is not None and came[holder].type == "match.seated"
        seat.holder = UUID(holder) if holder is not None else None
        seat.vacated_at = free
        seat.contribution = "" if substitute else loaded.contributions.get(index, "")
        # Which bot it was the events do not tell; who it was only the table of holdings knows.
        seat.bot = (seat.bot or timeouts.bot_of(loaded.game)) if bot else ""
        seat.user_id = Holding.objects.filter(holder=holder).values_list("user_id", flat=True).first() if holder else None
        changed.append(seat)
    # First nobody, then who it is: two seats may have to change places.
    Seat.objects.filter(pk__in=[seat.pk for seat in changed if seat.pk is not None]).update(user=None)
    for seat in changed:
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
            for name, value in _clock(reckoning.loaded, (one.seat, one.id)).items():
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
            **{"asked_at": reckoning.asked[key].since, **_clock(reckoning.loaded, key)},
        )
