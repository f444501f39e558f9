"""The reader of a page, and their access to a match."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from accounts.models import User
from gamesvc.games.kernel import intake
from gamesvc.matches import errors
from gamesvc.matches.access import holders, selectors
from gamesvc.matches.access.selectors import Access
from gamesvc.matches.models import Match, Seat
from gamesvc.web.common.hidden import hidden


def signed_in(request: HttpRequest) -> User:
    """Return the user of a page that requires sign-in."""
    assert isinstance(request.user, User)
    return request.user


def _side(request: HttpRequest) -> int | None:
    """Return the seat from which the owner of an analysis board looks at it."""
    posted: int | None = hidden(request, "_as")
    return posted if posted is not None else intake.whole(request.GET.get("as", ""), 2)


def find(request: HttpRequest, ident: str) -> Access:
    """Return the match of an address as this reader may use it. Raises `Http404` if they may not know it."""
    user = request.user if isinstance(request.user, User) else None
    link = hidden(request, "_link") or request.GET.get("link", "")
    try:
        return selectors.access_match(user=user, ident=ident, link=link, as_seat=_side(request))
    except errors.Unknown:
        raise Http404("There is no such match, or it is not open to you.") from None


def back(request: HttpRequest, match: Match) -> HttpResponse:
    """Return the reader to the page with the form: the match, or the list of their matches."""
    return redirect("web:home") if hidden(request, "_back") == "home" else redirect("web:match", match.number)


def seated(access: Access) -> Seat:
    """Return the reader's seat. Raises `Refused` without one."""
    if access.seat is None:
        raise holders.no_seat()
    return access.seat
