"""The player's private notes on the match page."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from gamesvc.games.kernel.game import Refused
from gamesvc.language import say
from gamesvc.matches.access.selectors import Access
from gamesvc.matches.lobby import notes
from gamesvc.web.common.access import find, seated, signed_in
from gamesvc.web.lobby.forms import NotesForm


def panel(access: Access) -> dict[str, object]:
    """Return the context of the panel of notes, for players alone."""
    if access.seat is None or access.user is None:
        return {}
    return {"notes": {"text": notes.read(access.match, access.user), "longest": notes.LONGEST}}


@require_POST
@login_required
def save(request: HttpRequest, ident: str) -> HttpResponse:
    """Replace the notes."""
    access = find(request, ident)
    try:
        seated(access)
        kept = notes.write(access.match, signed_in(request), NotesForm.read(request)["text"])
        messages.success(request, say("Your notes are saved.") if kept else say("Your notes are empty."))
    except Refused as refused:
        messages.error(request, refused.sentence)
    return redirect("web:match", access.match.number)
