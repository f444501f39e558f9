"""Summaries of matches for lists and the API, without positions: a fixed number of queries for many, from rows alone.

Only analysis boards are loaded: no row holds who is awaited there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Prefetch, prefetch_related_objects
from django.utils import timezone

from accounts import absences
from accounts.models import User
from gamesvc.games import catalog
from gamesvc.json_types import JsonObject
from gamesvc.matches.access.selectors import Access, access_many, loads, seat_names
from gamesvc.matches.clock import words
from gamesvc.matches.clock.compute import gone
from gamesvc.matches.clock.parsing import parse
from gamesvc.matches.events import Opened
from gamesvc.matches.models import Match, Question
from gamesvc.matches.reading import board
from gamesvc.matches.record import loading
from gamesvc.matches.record.loading import Loaded
from gamesvc.matches.timekeeping import pauses
from notifications.returned import suppression

# Parts of a clock policy that stop the clock at times.
BREAKS = {"days_off", "quiet_hours", "vacation"}


def summary(access: Access) -> JsonObject:
    """Return the summary of a match."""
    return of([access])[0]


def of_matches(user: User | None, matches: Sequence[Match]) -> list[JsonObject]:
    """Return the summaries of many matches, without those the user may not know."""
    return of(access_many(user, matches))


def of(accesses: Sequence[Access]) -> list[JsonObject]:
    """Return the summaries of many matches, in a fixed number of queries."""
    around = _Around.of(accesses)
    return [_summary(access, around) for access in accesses]


@dataclass(frozen=True, slots=True)
class _Around:
    """Data of several matches from outside their own rows."""

    opened: Mapping[UUID, Opened]
    origins: Mapping[UUID, JsonObject | None]
    loaded: Mapping[UUID, Loaded]
    paused_by: Mapping[UUID, str]
    away: Mapping[int, datetime]
    coming: Mapping[int, absences.Span]
    unreachable: frozenset[int]
    now: datetime

    @classmethod
    def of(cls, accesses: Sequence[Access]) -> _Around:
        matches = [access.match for access in accesses]
        prefetch_related_objects(matches, "creator", Prefetch("questions", Question.objects.order_by("due_at", "seat")))
        now = timezone.now()
        opened = loading.openings([match.id for match in matches])
        user = accesses[0].user if accesses else None
        told = board.origins(user, [opened.get(match.id) for match in matches])
        loaded = [access for access in accesses if access.match.status == Match.Status.RUNNING and _needs_clocks(access, now)]
        looked_after = {user.pk: user for access in accesses if board.looks_after(access) for user in board.players(access)}
        may_be_away = {user_id for access in accesses for user_id in board.may_be_away(access)}
        may_announce = {user_id for access in accesses for user_id in board.may_announce(access)}
        return cls(
            opened=opened,
            origins=dict(zip([match.id for match in matches], told, strict=True)),
            loaded=dict(zip([access.match.id for access in loaded], loads(loaded), strict=True)) if loaded else {},
            paused_by={match_id: pause.by for match_id, pause in pauses.pauses_of(matches).items()},
            away=absences.away_now(may_be_away) if may_be_away else {},
            coming=absences.next_away(may_announce) if may_announce else {},
            unreachable=frozenset(suppression.unreachable(looked_after.values())) if looked_after else frozenset(),
            now=now,
        )


def _needs_clocks(access: Access, now: datetime) -> bool:
    return board.has_no_deadlines(access) or needs_clocks(access.match, now)


def needs_clocks(match: Match, now: datetime) -> bool:
    """Return True if rows do not hold the questions and breaks: on analysis boards, and for breaks within grace."""
    return match.board or (bool(BREAKS & match.clock.keys()) and any(one.late for one in match.questions.all()))


def stands_until(access: Access, question: Question, loaded: Loaded | None, now: datetime) -> datetime | None:
    """Return the end of the break that stops the clock of a question, if the reader may know it: not for an anonymous player."""
    match = access.match
    if not BREAKS & match.clock.keys() or (match.hides_names and question.seat != access.viewer):
        return None
    if loaded is not None:
        return board.stands_until(loaded.account.open.get((question.seat, question.question)), now)
    # Fixed times come whatever the hours are.
    if parse(match.clock, loading.hour(), judge=False).fixed(question.kind):
        return None
    return question.stands_until(now)


def time_left(question: Question | None, *, plain: bool = False) -> int:
    """Return the percentage of a question's time that is left, of the time that counts until grace begins.

    `plain`: count all time, for readers who may not know which time counts for an anonymous player.
    """
    if question is None:
        return 0
    if question.due_at is None:
        return 100  # its clock is stopped
    spans = [] if plain else list(zip(question.break_at, question.break_for, strict=True))
    elapsed = (timezone.now() - question.asked_at).total_seconds()
    whole = ((question.grace_from or question.due_at) - question.asked_at).total_seconds() - sum(length for _, length in spans)
    return max(0, min(100, round(100 - 100 * gone(elapsed, spans) / (whole or 1))))


def _summary(access: Access, around: _Around) -> JsonObject:
    match = access.match
    opened, loaded = around.opened.get(match.id), around.loaded.get(match.id)
    from_position = opened is not None and opened.position is not None
    return {
        "id": str(match.id),
        "number": match.number,
        "game": match.game,
        "rules": match.rules,
        "title": catalog.game(match.game).manifest.title,
        "kind": "board" if match.board else "match",
        "from_position": from_position,
        "counted": not from_position,
        "origin": around.origins[match.id],
        "status": match.status,
        "options": match.options,
        "hours": match.hours,
        "clock": match.clock,
        "pace": words.pace(match.clock),
        "paused_at": _text(None if access.is_delayed else match.paused_at),
        "paused_by": None if access.is_delayed else around.paused_by.get(match.id),
        "entry": match.entry,
        "watch": match.watch,
        "watch_delay": match.watch_delay,
        "press": match.press,
        "anonymous": match.anonymous,
        "undo": match.undo,
        "reliability": match.reliability,
        "host": match.creator.username if match.creator is not None and not match.hides_names else None,
        "seats": _seats(access, around),
        "your_seat": access.viewer,
        "commitment": opened.commitment if opened is not None else "",
        "link": match.link_token if access.is_host or access.seat is not None else None,
        "awaited": _awaited(access, loaded, around.now),
        "outcome": match.outcome,
        "created_at": match.created_at.isoformat(),
        "started_at": _text(match.started_at),
        "ended_at": _text(match.ended_at),
    }


def _seats(access: Access, around: _Around) -> list[JsonObject]:
    """Return the seats with what the reader may know of their players: absences, and for the host which no mail reaches."""
    names = seat_names(access.seats)
    away, coming = set(board.may_be_away(access)), set(board.may_announce(access))
    unreachable = around.unreachable if board.looks_after(access) else None
    return [
        {
            "seat": seat.index,
            "name": names[seat.index] if seat.holder else "",
            "kind": "bot" if seat.bot else "user" if seat.holder else "free",
            "is_bot": bool(seat.bot) or (seat.user is not None and seat.user.is_bot and not access.match.hides_names),
            "away_until": _text(around.away.get(seat.user_id)) if seat.user_id in away else None,
            "away_next": _span(around.coming.get(seat.user_id)) if seat.user_id in coming else None,
        }
        | ({"unreachable": seat.user_id in unreachable} if unreachable is not None else {})
        for seat in access.seats
    ]


def _awaited(access: Access, loaded: Loaded | None, now: datetime) -> list[JsonObject]:
    """Return the pending decisions of a running match, each with the end of the break that stops its clock."""
    match = access.match
    if match.status != Match.Status.RUNNING:
        return []
    if loaded is not None and board.has_no_deadlines(access):
        return [board.question_json(one) | {"stands_until": None} for one in board.undated(match, loaded)]
    return [
        board.question_json(question) | {"stands_until": _text(stands_until(access, question, loaded, now))}
        for question in match.questions.all()
    ]


def _span(span: absences.Span | None) -> dict[str, str] | None:
    return None if span is None else {"from": span.start.isoformat(), "until": span.end.isoformat()}


def _text(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment is not None else None
