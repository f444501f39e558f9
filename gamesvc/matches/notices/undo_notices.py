"""Mails about undos: to the players asked, the player who asked, and those who knew the undone turn. A rewind goes to all."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from gamesvc.matches.models import Match, Question, UndoRequest
from gamesvc.matches.notices import reply_addresses, wording
from gamesvc.matches.story import moments, sentences
from gamesvc.matches.story.organising_words import reason_words
from gamesvc.matches.story.undo_words import CODES
from notifications import registry
from notifications.models import Outbox, Status
from notifications.registry import Message
from notifications.sending.mail import indented


def register() -> None:
    """Register the wording of these notices."""
    registry.register("undo_asked", word_asked, label="A player asks for an undo")
    registry.register("undo_answered", word_answered, label="Answers to your undo requests")
    registry.register("taken_back", word_undone, label="A turn you were notified of was undone", quotes=True)


# --- rows, written with the append ---


# --- words ---


def word_asked(row: Outbox) -> Message | None:
    """Ask a player for consent to an undo; None if it is settled or they have answered."""
    match = Match.objects.get(pk=row.payload["match"])
    request = UndoRequest.objects.filter(match=match, version=row.payload["request"], settled_at=None).first()
    seat = row.payload["seat"]
    if (
        request is None
        or match.status != Match.Status.RUNNING
        or seat in request.accepted
        or not wording.still_theirs(match, row)
    ):
        return None
    context = wording.context_of(match, seat, row.user)
    loaded, names = context["loaded"], context["names"]
    gone = sentences.tell_last(
        loaded, seat, names, sentences.MOST_EVENTS, after=request.to, until=request.version - 1, quoting=False
    )
    context |= {
        "headline": _("%(name)s asks for an undo") % {"name": names[request.seat]},
        "due": moments.local_time(request.until, row.user),
        "due_utc": moments.utc_time(request.until),
        "gone": [one.sentence for one in gone],
        "name": names[request.seat],
        "reply_to": reply_addresses.reply_address(
            match=match, loaded=loaded, seat=seat, user=row.user, key=row.id, question=None, undo_request=request.version
        ),
    }
    return _compose("undo_asked", _("%(name)s asks for an undo") % {"name": names[request.seat]}, context)


def word_answered(row: Outbox) -> Message | None:
    """Report the result of an undo request to the player who asked; None if another player has the seat by now."""
    match = Match.objects.get(pk=row.payload["match"])
    if not wording.still_theirs(match, row):
        return None
    context = wording.context_of(match, row.payload["seat"], row.user)
    by = row.payload["by"]
    name = context["names"][by] if by is not None else ""
    headline = {
        "accepted": _("Your move is undone"),
        "declined": _("%(name)s declines your undo") % {"name": name},
        "lapsed": _("No undo: nobody answered in time, or the match moved on"),
    }[row.payload["answer"]]
    context |= {"headline": headline, "granted": row.payload["answer"] == "accepted"}
    wording.may_answer(context, match, row)
    return _compose("undo_answered", headline, context)


def word_undone(row: Outbox) -> Message | None:
    """Report that a turn was undone; None if the receiver was never told of it, or is asked again by now."""
    match = Match.objects.get(pk=row.payload["match"])
    seat, question = row.payload["seat"], row.payload.get("question")
    if match.status != Match.Status.RUNNING or not wording.still_theirs(match, row):
        return None
    if question is not None:
        told = Outbox.objects.filter(
            kind="your_turn", user=row.user, topic=row.topic, payload__question=question, status__in=(Status.SENT, Status.MERGED)
        )
        if not told.exists() or Question.objects.filter(match=match, seat=seat, question=question).exists():
            return None
    context = wording.context_of(match, seat, row.user)
    if question is not None:
        headline = _("%(name)s has undone a move") % {"name": context["names"][row.payload["by"]]}
    else:
        headline = _("The organiser has rewound the match")
        words = reason_words(row.payload["reason"])
        context |= {"why": CODES[row.payload["code"]], "words": words, "words_lines": indented(words)}
    context |= {"headline": headline, "question": question}
    wording.may_answer(context, match, row)
    return _compose("taken_back", headline, context)


def _compose(name: str, said: str, context: dict[str, Any]) -> Message:
    subject = f"[{context['title']} #{context['match'].number}] {said}"
    return wording.compose(name, subject, context, reason=name.replace("_", "-"))
