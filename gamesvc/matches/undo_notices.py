"""Who is told of taking back: those who are asked, he who asked, those who know of a turn that is gone, all of a ruling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from events.store import Statement
from gamesvc.matches import letterbox, notices
from gamesvc.matches.loading import Loaded
from gamesvc.matches.models import Match, Question, Reason, Seat, UndoRequest
from gamesvc.matches.undo_words import CODES
from notifications import outbox, registry
from notifications.models import Outbox, Status
from notifications.registry import Message


def register() -> None:
    """Tell `notifications` who words these notices."""
    registry.register("undo_asked", word_asked, label="Somebody asks to take a move back")
    registry.register("undo_answered", word_answered, label="What became of your request to take back")
    registry.register("taken_back", word_taken_back, label="A turn you were told of was taken back")


# --- rows, written with the append ---


def asked(match: Match, seats: Sequence[Seat], seat: int, people: Sequence[int], request: int) -> list[Statement]:
    """For those whose word is asked for."""
    payload = {"by": seat, "request": request}
    return _rows(match, [("undo_asked", row, payload) for row in seats if row.index in people])


def answered(match: Match, seats: Sequence[Seat], row: UndoRequest, by: int | None, word: str) -> list[Statement]:
    """For him who asked."""
    payload = {"by": by, "request": row.version, "answer": word}
    return _rows(match, [("undo_answered", one, payload) for one in seats if one.index == row.seat])


def taken_back(match: Match, loaded: Loaded, after: Any, seats: Sequence[Seat], undoer: int) -> list[Statement]:
    """For those whose question is gone with what was taken back."""
    still = {(one.seat, one.id) for one in loaded.game.awaited(after)}
    gone = {one.seat: one.id for one in loaded.awaited() if (one.seat, one.id) not in still and one.seat != undoer}
    told = [row for row in seats if row.index in gone]
    return _rows(match, [("taken_back", row, {"by": undoer, "question": gone[row.index]}) for row in told])


def ruled(match: Match, seats: Sequence[Seat], code: str, reason: str) -> list[Statement]:
    """For all players of a match that its organiser set back."""
    return _rows(match, [("taken_back", row, {"code": code, "reason": reason}) for row in seats])


def _rows(match: Match, told: Sequence[tuple[str, Seat, dict[str, Any]]]) -> list[Statement]:
    rows = [
        outbox.Notice(
            kind=kind,
            user_id=seat.user_id,
            topic=str(match.id),
            payload={"match": str(match.id), "seat": seat.index, **payload},
            due_at=timezone.now(),
        )
        for kind, seat, payload in told
        if seat.user_id is not None
    ]
    return [Statement(*outbox.insert_sql(rows))] if rows else []


# --- words ---


def word_asked(row: Outbox) -> Message | None:
    """The request, for one whose word is asked for; None when it is settled or he has answered."""
    match = Match.objects.get(pk=row.payload["match"])
    request = UndoRequest.objects.filter(match=match, version=row.payload["request"], settled_at=None).first()
    seat = row.payload["seat"]
    if request is None or match.status != Match.Status.RUNNING or seat in request.accepted or not notices.still_his(match, row):
        return None
    context = notices.context_of(match, seat, row.user)
    loaded, names = context["loaded"], context["names"]
    gone = notices.tell_last(loaded, seat, names, notices.MOST_EVENTS, after=request.to, until=request.version - 1)
    context |= {
        "headline": _("%(name)s asks to take a move back") % {"name": names[request.seat]},
        "due": notices.local_time(request.until, row.user),
        "due_utc": notices.utc_time(request.until),
        "gone": [sentence for _version, _moment, sentence in gone],
        "name": names[request.seat],
        "reply_to": letterbox.reply_address(match=match, loaded=loaded, seat=seat, user=row.user, key=row.id, question=None),
    }
    return _compose("undo_asked", _("%(name)s asks to take a move back") % {"name": names[request.seat]}, context)


def word_answered(row: Outbox) -> Message | None:
    """What became of a request, for him who asked; None when the seat is another's by now."""
    match = Match.objects.get(pk=row.payload["match"])
    if not notices.still_his(match, row):
        return None
    context = notices.context_of(match, row.payload["seat"], row.user)
    by = row.payload["by"]
    name = context["names"][by] if by is not None else ""
    headline = {
        "accepted": _("Your move is taken back"),
        "declined": _("%(name)s declines: your move stands") % {"name": name},
        "lapsed": _("Nobody answered in time, or the match moved on: your move stands"),
    }[row.payload["answer"]]
    context |= {"headline": headline, "granted": row.payload["answer"] == "accepted"}
    notices.may_answer(context, match, row)
    return _compose("undo_answered", headline, context)


def word_taken_back(row: Outbox) -> Message | None:
    """The turn of which the receiver was told is gone; None when he was never told, or is asked again by now."""
    match = Match.objects.get(pk=row.payload["match"])
    seat, question = row.payload["seat"], row.payload.get("question")
    if match.status != Match.Status.RUNNING or not notices.still_his(match, row):
        return None
    if question is not None:
        told = Outbox.objects.filter(
            kind="your_turn", user=row.user, topic=row.topic, payload__question=question, status__in=(Status.SENT, Status.MERGED)
        )
        if not told.exists() or Question.objects.filter(match=match, seat=seat, question=question).exists():
            return None
    context = notices.context_of(match, seat, row.user)
    if question is not None:
        headline = _("%(name)s has taken a move back") % {"name": context["names"][row.payload["by"]]}
    else:
        headline = _("The organiser has set the match back")
        written = Reason.objects.filter(pk=row.payload["reason"]).first()
        context |= {"why": CODES[row.payload["code"]], "words": written.words if written is not None else ""}
    context |= {"headline": headline, "question": question}
    notices.may_answer(context, match, row)
    return _compose("taken_back", headline, context)


def _compose(name: str, said: str, context: dict[str, Any]) -> Message:
    subject = f"[{context['title']} #{context['match'].number}] {said}"
    return notices.compose(name, subject, context, reason=name.replace("_", "-"))
