"""Mails about a measure of the organiser, sent to all players with the reason."""

from __future__ import annotations

from django.utils.translation import gettext as _

from gamesvc.matches.models import Match
from gamesvc.matches.notices import wording
from gamesvc.matches.story.organising_words import reason_words
from gamesvc.matches.story.undo_words import CODES
from notifications import registry
from notifications.models import Outbox
from notifications.registry import Message
from notifications.sending.mail import indented


def register() -> None:
    """Register the wording of this notice."""
    registry.register("measure", word_measure, label="The organiser intervenes in one of your matches", quotes=True)


def word_measure(row: Outbox) -> Message | None:
    """Report a measure and its reason; None once the match is over."""
    match = Match.objects.get(pk=row.payload["match"])
    if match.status != Match.Status.RUNNING:
        return None
    headline = {
        "pause": _("The organiser has paused the match"),
        "resume": _("The match goes on"),
        "extend": _("The organiser has given more time"),
        "replace": _("The organiser has replaced a player"),
    }[row.payload["action"]]
    own = match.seats.filter(index=row.payload["seat"], user=row.user).exists()
    # A player who lost the seat learns that, and nothing about the position.
    shown = wording.context_of(match, row.payload["seat"], row.user) if own else wording.plain_context(match)
    words = reason_words(row.payload["reason"])
    context = shown | {
        "headline": headline,
        "why": CODES[row.payload["code"]],
        "words": words,
        "words_lines": indented(words),
    }
    wording.may_answer(context, match, row)
    subject = f"[{context['title']} #{match.number}] {headline}"
    return wording.compose("measure", subject, context, reason="measure")
