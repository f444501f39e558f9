"""Notices of timeouts, of seats that fall free or are taken, of pauses, and of questions that are already open."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import Q
from django.utils import timezone

from accounts import blocks
from accounts.models import User
from events.store import Statement
from gamesvc.json_types import JsonObject
from gamesvc.matches.access import daily_limits, tenures
from gamesvc.matches.models import Follow, Match, Question, Seat
from notifications import outbox
from notifications.outbox import Notice


def timed_out(match: Match, seat: Seat, due: Any, what: str, left: int = 0) -> list[Statement]:
    """Return the notice for a player after a timeout. `what`: excused, default, lose, bot or vacated; `left`: excuses left."""
    payload = {"seat": seat.index, "question": due.question, "what": what, "left": left, "due_at": due.due_at.isoformat()}
    return _statement(match, [("timed_out", seat.user_id, payload)])


def seat_free(match: Match, seats: Sequence[Seat], seat: Seat, by: int | None = None) -> list[Statement]:
    """Return the notices of a free seat: to the other players, the organiser, and subscribers of the game or organiser.

    `by`: the user who has freed it; None: its holder.
    """
    called = _called(match, seats, seat, seat.user_id if by is None else by)
    return _statement(match, [("seat_free", user, {"seat": seat.index}) for user in called])


def tell_seat_taken(match: Match, seats: Iterable[Seat], seat: Seat) -> None:
    """Notify the other players that a seat was taken, within the caller's transaction."""
    _queue(match, [("seat_taken", one.user_id, {"seat": seat.index}) for one in seats if one.index != seat.index])


def tell_pause(match: Match, seats: Iterable[Seat], what: str, by: int | None = None) -> None:
    """Notify all players except `by` of a pause. `what`: asked, paused, asked_on, resumed."""
    _queue(match, [("pause", one.user_id, {"what": what, "by": by}) for one in seats if one.index != by])


def _called(match: Match, seats: Sequence[Seat], seat: Seat, by: int | None) -> list[int]:
    told = {one.user_id for one in seats if one.user_id is not None and one.index != seat.index}
    if match.creator_id is not None:
        told.add(match.creator_id)
    is_offered = match.entry == Match.Entry.PUBLIC and by is not None and not tenures.alone(match)
    if is_offered and by is not None and daily_limits.may_call_followers(by):
        wanted = Q(organiser=None, game=match.game)
        if match.creator_id is not None and not match.hides_names:
            wanted |= Q(organiser=match.creator_id)
        following = Follow.objects.filter(wanted)
        playing = {match.creator_id, *told} if not match.hides_names else set()
        told |= set(following.values_list("user_id", flat=True)) - blocks.apart_from_any(playing)
    return sorted(told - {seat.user_id})


def _rows(match: Match, told: Iterable[tuple[str, int | None, JsonObject]]) -> list[outbox.Notice]:
    now, topic = timezone.now(), str(match.id)
    return [
        outbox.Notice(kind=kind, user_id=user, topic=topic, payload={"match": topic, **payload}, due_at=now)
        for kind, user, payload in told
        if user is not None
    ]


def _statement(match: Match, told: Iterable[tuple[str, int | None, JsonObject]]) -> list[Statement]:
    rows = _rows(match, told)
    return [Statement(*outbox.insert_sql(rows))] if rows else []


def _queue(match: Match, told: Iterable[tuple[str, int | None, JsonObject]]) -> None:
    outbox.notify(*_rows(match, told))


def ask_again(*, user: User, questions: Iterable[Question]) -> None:
    """Queue the turn mails of questions that are already open, within the caller's transaction."""
    outbox.notify(
        *(
            Notice(
                kind="your_turn",
                user_id=user.pk,
                topic=str(one.match_id),
                payload={"match": str(one.match_id), "seat": one.seat, "question": one.question},
            )
            for one in questions
        )
    )
