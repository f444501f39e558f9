"""The page that asks before a player resigns. It is reached by a link, so it works without scripts and from the action bar."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from gamesvc.games.acts import acts
from gamesvc.games.kernel.game import RESIGN, Form
from gamesvc.matches.access.selectors import Access
from gamesvc.matches.record import loading
from gamesvc.web.common import controls
from gamesvc.web.common.access import find

YES = "yes"


@require_safe
@login_required
def resign(request: HttpRequest, ident: str) -> HttpResponse:
    """Ask whether to resign, and say what follows. Readers who cannot resign now are led to the match."""
    access = find(request, ident)
    form = form_of(access)
    if form is None:
        return redirect("web:match", access.match.number)
    loaded = loading.load(access.match.id, access.match.game)
    others = [seat for seat in access.seats if seat.holder is not None and seat.index != access.viewer]
    context = {
        "match": access.match,
        "access": access,
        "manifest": loaded.game.manifest,
        "form": form,
        "key": controls.key_of(form),
        "version": loaded.viewer_version(access.viewer),
        "goes_on": len(others) > 1,
    }
    answer = render(request, "web/resign.html", context)
    answer["Cache-Control"] = "private, no-store"
    return answer


def form_of(access: Access) -> Form | None:
    """Return the form by which the reader can resign now; None if they cannot."""
    if access.seat is None:
        return None
    loaded = loading.load(access.match.id, access.match.game)
    if not loaded.started or loaded.ended:
        return None
    found = acts(loaded.game, loaded.timeline.state, access.seat.index)
    return next((form for form in found if form.name == RESIGN), None)


def address(access: Access) -> str:
    """Return the address of the page that asks; on an analysis board for the seat that its owner looks from."""
    page = reverse("web:resign", args=[access.match.number])
    return f"{page}?as={access.viewer}" if access.match.board else page


def confirmed(line: str) -> tuple[str, bool]:
    """Return an order as text without the word that confirms it, and True if that word stands there, as in a mail."""
    words = line.split()
    if len(words) == 2 and words[0].lower() == RESIGN and words[1].lower() == YES:
        return words[0], True
    return line, False
