"""Mails to a player about a decision of the operators on their conduct."""

from __future__ import annotations

from django.conf import settings
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from gamesvc.matches.models import MessageBan, ReportAct
from gamesvc.matches.story.moments import local_time
from notifications import registry
from notifications.models import Outbox
from notifications.registry import Message


def register() -> None:
    """Register the wording of this notice, which cannot be muted."""
    registry.register("conduct", conduct, label="Decisions about your conduct", essential=True)


def conduct(row: Outbox) -> Message | None:
    """Tell a player of a warning or a ban from messages, in the operator's words. It does not say who has reported them."""
    act = ReportAct.objects.filter(pk=row.payload["act"]).first()
    if act is None or row.user is None:
        return None
    ban = MessageBan.objects.filter(user=row.user).first() if act.act == ReportAct.Act.MUTE else None
    headline = _("The operators have warned you")
    if ban is not None:
        headline = _("You may not write messages until %(until)s") % {"until": local_time(ban.until, row.user)}
    still = _("Your matches go on: you can give orders as before. The ban ends by itself.") if ban is not None else ""
    context = {"headline": headline, "still": still, "words": act.words, "terms": f"{settings.BASE_URL}/terms/"}
    text = render_to_string("notices/conduct.txt", context)
    return Message(subject=headline, text=text, html=render_to_string("notices/conduct.html", context), reason="conduct")
