"""Mails about conduct: to a player about a decision of the operators, and to the operators about a new report."""

from __future__ import annotations

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _

from gamesvc.matches.models import MessageBan, Report, ReportAct
from gamesvc.matches.story.moments import local_time
from notifications import registry
from notifications.models import Outbox
from notifications.registry import Message


def register() -> None:
    """Register the wording of these notices, which cannot be muted."""
    registry.register("conduct", conduct, label="Decisions about your conduct", essential=True)
    registry.register("report", report, label="Reports for operators", essential=True)


def conduct(row: Outbox) -> Message | None:
    """Tell a player, of a bot its owner, of a warning or a ban from messages, in the operator's words, and not who has reported
    them.
    """
    act = ReportAct.objects.filter(pk=row.payload["act"]).select_related("report__about").first()
    if act is None or row.user is None:
        return None
    about = act.report.about
    ban = MessageBan.objects.filter(user=about).first() if act.act == ReportAct.Act.MUTE else None
    headline = _("The operators have warned you")
    if ban is not None:
        headline = _("You may not write messages until %(until)s") % {"until": local_time(ban.until, row.user)}
    still = _("Your matches go on: you can give orders as before. The ban ends by itself.") if ban is not None else ""
    bot = _("This is about your bot %(name)s.") % {"name": about.username} if about.is_bot else ""
    context = {"headline": headline, "bot": bot, "still": still, "words": act.words, "terms": f"{settings.BASE_URL}/terms/"}
    text = render_to_string("notices/conduct.txt", context)
    return Message(subject=headline, text=text, html=render_to_string("notices/conduct.html", context), reason="conduct")


def report(row: Outbox) -> Message | None:
    """Tell an operator that a report waits in the queue: what it is about, and where it is read. It quotes and names nobody.

    Nothing is sent once a report was taken or decided, or to users who are no longer operators.
    """
    found = Report.objects.filter(pk=row.payload["report"], state=Report.State.OPEN).first()
    if found is None or row.user is None or not (row.user.is_operator and row.user.is_active):
        return None
    kind = found.get_kind_display()
    headline = _("A player has sent a report: %(kind)s") % {"kind": kind}
    link = settings.BASE_URL + reverse("admin:matches_report_change", args=[found.pk])
    context = {"headline": headline, "link": link}
    text = render_to_string("notices/report.txt", context)
    return Message(subject=headline, text=text, html=render_to_string("notices/report.html", context), reason="report")
