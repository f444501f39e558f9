"""Looking back on the match page: changes, the board at a moment, and forks."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_GET, require_POST

from gamesvc.errors import TooMany
from gamesvc.games.kernel.game import Refused
from gamesvc.language import say
from gamesvc.matches.access import selectors
from gamesvc.matches.access.selectors import Access
from gamesvc.matches.errors import Forbidden
from gamesvc.matches.lobby import forks
from gamesvc.matches.models import Match
from gamesvc.matches.reading import board, history
from gamesvc.matches.record.loading import Loaded
from gamesvc.request_limits import folds_history
from gamesvc.web.common.access import find, signed_in
from gamesvc.web.common.once import once
from gamesvc.web.lobby.forms import ForkForm

MOST_CHANGES = 60


def panel(access: Access, loaded: Loaded, at: int | None, here: int) -> dict[str, object]:
    """Return the context of the past and of forks. `at`: the requested version; `here`: the version shown."""
    shown: dict[str, object] = {
        "origin": board.origin_of(access, loaded),
        "from_position": loaded.from_position,
        "forks": (known := [fork.match for fork in forks.forks_of(access)]),
        "boards": [match for match in known if match.board and match.status == Match.Status.RUNNING][:3],
        "fork_from": here if _may_fork(access, loaded) else None,
        "sides": _sides(access) if access.match.board else [],
    }
    if at is not None and loaded.started:
        changed = history.step(access, here - 1)
        changed["more"] = max(0, len(changed["changes"]) - MOST_CHANGES)
        changed["changes"] = changed["changes"][:MOST_CHANGES]
        shown["step"] = changed
    return shown


def _may_fork(access: Access, loaded: Loaded) -> bool:
    return access.user is not None and loaded.started and (loaded.ended or access.seat is not None)


def _sides(access: Access) -> list[tuple[int, str]]:
    names = selectors.seat_names(access.seats)
    return [(seat, names[seat]) for seat in sorted(access.may_be)]


@folds_history()
@require_POST
@login_required
def fork(request: HttpRequest, ident: str) -> HttpResponse:
    """Fork a version, as a new match or as an analysis board."""
    access = find(request, ident)
    try:
        fields = ForkForm.read(request)
        made = once(
            request,
            lambda: (
                forks.fork(
                    access=access,
                    version=fields["version"],
                    board=fields["kind"] == "board",
                    as_seat=fields["seat"],
                    hours=access.match.hours,
                    channel="web",
                ).number
            ),
        )
    except (Refused, Forbidden, TooMany) as refused:
        messages.error(request, refused.sentence)
        return redirect("web:match", access.match.number)
    if Match.objects.filter(number=made, status=Match.Status.OPEN).exists():
        messages.success(request, say("The new match is open. Invite players, or put bots on its free seats."))
    return redirect("web:match", made)


@require_POST
@login_required
def close(request: HttpRequest, ident: str) -> HttpResponse:
    """Close an analysis board, for its owner."""
    access = find(request, ident)
    try:
        forks.close_board(access=access, channel="web")
    except Refused as refused:
        messages.error(request, refused.sentence)
    return redirect("web:match", access.match.number)


@folds_history()
@require_GET
def as_of(request: HttpRequest, ident: str) -> HttpResponse:
    """Show the board at a moment, given in the reader's time zone."""
    access = find(request, ident)
    more = {"link": link} if (link := request.GET.get("link", "")) else {}
    try:
        moment = datetime.fromisoformat(request.GET.get("moment", ""))
        if moment.tzinfo is None:
            zone = signed_in(request).timezone if request.user.is_authenticated else "UTC"
            moment = moment.replace(tzinfo=ZoneInfo(zone))
        more["at"] = str(history.version_at(access, moment))
    except ValueError:
        messages.error(request, say("Write a moment like 2026-11-20 20:00."))
    except Refused as refused:
        messages.error(request, refused.sentence)
    return redirect(f"{reverse('web:match', args=[access.match.number])}?{urlencode(more)}")
