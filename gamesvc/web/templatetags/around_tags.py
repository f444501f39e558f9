"""Pictures of games and matches for the pages around a match."""

from __future__ import annotations

import functools
from datetime import datetime

from django import template
from django.contrib.staticfiles import finders
from django.templatetags.static import static
from django.urls import reverse
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

from gamesvc.games.kernel.wording import counted
from gamesvc.language import say
from gamesvc.matches.models import Match
from gamesvc.web.common import moments

register = template.Library()


@functools.cache
def _drawn(game: str) -> bool:
    return finders.find(f"games/{game}.svg") is not None


@register.simple_tag
def game_picture(game: str) -> str:
    """Return the address of a game's picture: a board in the middle of a match, or the icon of the service."""
    return static(f"games/{game}.svg" if _drawn(game) else "icon.svg")


@register.simple_tag
def thumb(match: Match, version: int | None = None) -> SafeString:
    """Return the thumbnail of a match, as decoration beside its name. `version`: the newest one the reader may know."""
    if match.started_at is None:
        source = game_picture(match.game)
    else:
        source = reverse("web:thumbnail", args=[match.number]) + (f"?v={version}" if version is not None else "")
    return format_html('<img class="thumb" src="{}" alt="" width="160" height="160" loading="lazy">', source)


@register.simple_tag
def free_badge() -> SafeString:
    """Return the sign of a free seat: a dashed ring."""
    ring = '<circle cx="16" cy="16" r="12.5" fill="none" class="s-ink2" stroke-width="2" stroke-dasharray="4.5 3.35"/>'
    return mark_safe(f'<svg class="badge" viewBox="0 0 32 32" role="img" aria-label="{escape(say("Free seat"))}">{ring}</svg>')


@register.filter
def hours_long(hours: int) -> str:
    """Return a number of hours as a length of time: `2 days`."""
    return counted(hours // 24, "day") if hours % 24 == 0 else counted(hours, "hour")


@register.simple_tag(takes_context=True)
def local(context: template.Context, moment: datetime) -> str:
    """Return a moment in the reader's zone, as plain text."""
    return moments.local(moment, context.get("user"))


@register.simple_tag
def game_thumb(game: str) -> SafeString:
    """Return the picture of a game, as decoration beside its name."""
    return format_html('<img class="thumb" src="{}" alt="" width="160" height="160" loading="lazy">', game_picture(game))
