"""Small drawings and texts for the templates."""

from __future__ import annotations

import functools
import json
import secrets
from datetime import datetime

from django import template
from django.db.models import F, QuerySet
from django.templatetags.static import static
from django.utils import dates, timezone
from django.utils.html import escape, format_html, json_script
from django.utils.safestring import SafeString, mark_safe

from accounts.models import User
from gamesvc.games.drawing.chart import Chart
from gamesvc.games.kernel.wording import SEAT_NAMES
from gamesvc.language import mark, say
from gamesvc.matches.clock import words
from gamesvc.matches.clock.notation import WEEKDAYS
from gamesvc.matches.models import Match, Question
from gamesvc.web.common import markdown, moments
from gamesvc.web.common import script_words as of_scripts

register = template.Library()


@register.filter
def json_text(value: object) -> str:
    """Return a value as JSON, shortened if it is long."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 120 else f"{text[:119]}…"


@register.filter
def marked(text: str) -> SafeString:
    """Return a sentence of the documents, in Markdown, as HTML."""
    return mark_safe(markdown.render_line(text))


@functools.cache
def _drawn(seat: int) -> str:
    chart = Chart(32, 32)
    chart.badge(seat, 16, 16.5, 24)
    return chart.markup()


@register.simple_tag
def badge(seat: int) -> SafeString:
    """Return the badge of a seat, named by its colour."""
    opening = f'<svg class="badge board-part" viewBox="0 0 32 32" role="img" aria-label="{escape(say(SEAT_NAMES[seat]))}">'
    return mark_safe(f"{opening}{_drawn(seat)}</svg>")


@register.simple_tag
def icon(name: str) -> SafeString:
    """Return an icon of icons.svg, as decoration beside text."""
    return format_html('<svg class="icon" aria-hidden="true"><use href="{}#{}"></use></svg>', static("icons.svg"), name)


@register.simple_tag
def script_words() -> SafeString:
    """Return the words of scripts in the language of the page, as data for `words.js`; nothing in English."""
    words = of_scripts.translated()
    return json_script(words, "words") if words else SafeString("")


@register.simple_tag
def once() -> SafeString:
    """Return the hidden field that makes a form sent twice one request (see `web.common.once`)."""
    return format_html('<input type="hidden" name="_once" value="{}">', secrets.token_urlsafe(12))


@register.simple_tag(takes_context=True)
def when(context: template.Context, moment: datetime) -> SafeString:
    """Return a moment in the reader's zone, machine-readable as well."""
    return format_html('<time datetime="{}">{}</time>', moment.isoformat(), moments.local(moment, context.get("user")))


@register.filter
def until(moment: datetime) -> str:
    """Return the time until a moment: "in 1 day 4 h", or "time is up"."""
    left = moment - timezone.now()
    return say("in {span}", span=moments.span(left)) if left.total_seconds() > 0 else say("time is up")


@register.filter
def pace(given: Match | int) -> str:
    """Return the speed of a match by its clock; or for a number, the hours per turn as text."""
    return moments.pace(given) if isinstance(given, int) else words.pace(given.clock or {"hours": given.hours})


@register.filter
def plain(name: str) -> str:
    """Return an identifier as words, in the language of the reader if it is one that engines use."""
    return say(str(name).replace("_", " "))


STATUSES = {
    Match.Status.OPEN: mark("The match is open"),
    Match.Status.RUNNING: mark("The match is running"),
    Match.Status.FINISHED: mark("The match is over"),
    Match.Status.CANCELLED: mark("The match is cancelled"),
    Match.Status.LAPSED: mark("The match did not come about"),
}


@register.filter
def status(name: str) -> str:
    """Return the status of a match as a sentence without its full stop."""
    return say(STATUSES[Match.Status(name)])


@register.filter
def weekday(name: str) -> str:
    """Return a day of the week, as `mon`, in the language of the reader."""
    return str(dates.WEEKDAYS_ABBR[WEEKDAYS.index(name)])


@register.filter
def said(text: str) -> str:
    """Return a sentence of a game in the language of the reader."""
    return say(text)


@register.filter
def lower_first(text: str) -> str:
    """Return a label for use inside a sentence. A name that begins with several capitals keeps them."""
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


@register.simple_tag
def awaited_count(user: object) -> int:
    """Return the number of matches in which this user must act now."""
    if not isinstance(user, User):
        return 0
    return _waiting_for(user).count()


@register.simple_tag
def awaited_elsewhere(user: object, match: Match) -> int:
    """Return the number of other matches in which this user must act now."""
    return _waiting_for(user).exclude(pk=match.pk).count() if isinstance(user, User) else 0


def _waiting_for(user: User) -> QuerySet[Match]:
    asked = Question.objects.filter(match__seats__user=user, match__seats__index=F("seat"), match__status=Match.Status.RUNNING)
    return Match.objects.filter(pk__in=asked.values("match"))
