"""The mail about a conditional order that could not be played when its condition was met."""

from __future__ import annotations

from django.utils.translation import gettext as _

from gamesvc.matches.models import Match, Premove
from gamesvc.matches.notices import wording
from gamesvc.matches.play.standing_orders import words
from gamesvc.matches.record import loading
from notifications import registry
from notifications.models import Outbox
from notifications.registry import Message


def register() -> None:
    """Register the wording of this notice."""
    registry.register("standing_dropped", word_dropped, label="A conditional order could not be played")


def word_dropped(row: Outbox) -> Message | None:
    """Report a conditional order that could not be played."""
    match = Match.objects.get(pk=row.payload["match"])
    one = Premove.objects.filter(pk=row.payload["premove"]).first()
    if one is None or match.status != Match.Status.RUNNING:
        return None
    loaded = loading.load(match.id, match.game)
    headline = _("A conditional order could not be played")
    lines = [
        words(loaded, one),
        _("Played: %(given)s. Then: %(why)s") % {"given": one.given, "why": one.why},
        _("The rest is dropped."),
    ]
    context = wording.plain_context(match) | {"headline": headline, "lines": lines}
    wording.may_answer(context, match, row)
    subject = _("[%(title)s #%(number)s] %(headline)s") % {
        "title": context["title"],
        "number": match.number,
        "headline": headline,
    }
    return wording.compose("told", subject, context, reason="standing-dropped")
