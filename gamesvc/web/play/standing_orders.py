"""Conditional orders on the match page, as text as in mails."""

from __future__ import annotations

import functools

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from accounts.models import User
from gamesvc.games.kernel.game import Refused
from gamesvc.matches.access.selectors import Access
from gamesvc.matches.models import Premove
from gamesvc.matches.play import standing_orders
from gamesvc.matches.record.loading import Loaded
from gamesvc.web.common.access import find, seated, signed_in
from gamesvc.web.common.once import once
from gamesvc.web.play.forms import StandingForm


def panel(access: Access, loaded: Loaded) -> dict[str, object]:
    """Return the context of a player's conditional orders."""
    if access.seat is None or not loaded.started or loaded.ended:
        return {}
    rows = [
        {
            "number": one.number,
            "words": standing_orders.words(loaded, one),
            "open": one.status in (Premove.Status.WAITING, Premove.Status.ARMED),
            "status": one.get_status_display(),
            "why": one.why,
        }
        for one in standing_orders.laid_by(access.match, access.seat.index)
    ]
    lately = standing_orders.lately(loaded, access.seat.index)
    return {"standing": {"rows": rows, "shows": standing_orders.SHOWS, "lately": lately}}


@require_POST
@login_required
def change(request: HttpRequest, ident: str) -> HttpResponse:
    """Create or cancel a conditional order."""
    user, access = signed_in(request), find(request, ident)
    try:
        seat = seated(access).index
        fields = StandingForm.read(request)
        if fields["cancel"] is not None:
            standing_orders.cancel(match=access.match, seat=seat, number=fields["cancel"], user=user)
            messages.success(request, "The order is cancelled.")
        else:
            once(request, functools.partial(_lay_by, user, access, seat, fields["order"]))
            messages.success(request, "The conditional order is saved.")
    except Refused as refused:
        messages.error(request, refused.sentence)
    return redirect("web:match", access.match.number)


def _lay_by(user: User, access: Access, seat: int, order: str) -> int:
    asked = standing_orders.parse_text(access.match, seat, order)
    if asked.condition is None:
        raise Refused("unreadable", f"This is not a conditional order. {standing_orders.HOW}")
    made = standing_orders.lay_by(match=access.match, seat=seat, user=user, condition=asked.condition, commands=asked.commands)
    return made.number
