"""From one match to the next that waits for the user: the link in the header, and the setting for what follows a turn."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User
from gamesvc.forms import ActForm
from gamesvc.language import say
from gamesvc.matches.models import Match, Question
from gamesvc.web.common.access import find, signed_in

GOES_ON = "goes_on"
"""The key of the setting in the session: True if the user wants to see the next match after each turn."""


def goes_on(request: HttpRequest) -> bool:
    """Return True if the user wants to see the next match after each turn."""
    return bool(request.session.get(GOES_ON)) if request.user.is_authenticated else False


@require_safe
@login_required
def next_match(request: HttpRequest, ident: str) -> HttpResponse:
    """Lead to the match after this one that waits for the user, by deadline; to their matches if none does."""
    return _next(signed_in(request), find(request, ident).match)


@require_POST
@login_required
def after_turn(request: HttpRequest, ident: str) -> HttpResponse:
    """Set what follows a turn: `act` is `next` or `stay`."""
    access = find(request, ident)
    request.session[GOES_ON] = ActForm.read(request)["act"] == "next"
    messages.success(request, say("The setting is saved."))
    return redirect("web:match", access.match.number)


def after_command(request: HttpRequest, match: Match, seat: int) -> HttpResponse:
    """Return to the match; or lead to the next one, if the user wants that and this one waits for them no longer."""
    if goes_on(request) and not Question.objects.filter(match=match, seat=seat).exists():
        return _next(signed_in(request), match)
    return redirect("web:match", match.number)


def _next(user: User, match: Match) -> HttpResponse:
    waiting = Question.objects.filter(match__seats__user=user, match__seats__index=F("seat"), match__status=Match.Status.RUNNING)
    by_deadline = waiting.exclude(match=match).order_by(F("due_at").asc(nulls_last=True))
    numbers = list(by_deadline.values_list("match__number", flat=True)[:1])
    return redirect("web:match", numbers[0]) if numbers else redirect("web:home")
