"""Lists of matches for readers who look for one."""

from __future__ import annotations

from urllib.parse import urlencode

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.models import User
from gamesvc import paging
from gamesvc.games import catalog
from gamesvc.games.kernel import intake
from gamesvc.matches.access import selectors
from gamesvc.matches.models import Match, Seat
from gamesvc.matches.statistics import reliability
from gamesvc.matches.story import option_words

# Filters offered by the lobby: minimum percentage of matches finished, maximum number of timeouts, and maximum average hours of
# an answer.
SHARES, TIMES, HOURS = (50, 75, 90, 100), (0, 1, 3, 10), (3, 12, 24, 48)


def _title(game: str) -> str:
    return catalog.game(game).manifest.title


@require_safe
def lobby(request: HttpRequest) -> HttpResponse:
    """Show the matches the user could join, newest first, or those opened before a given one."""
    user = request.user if isinstance(request.user, User) else None
    found, filters = _filtered(request, selectors.open_matches(user), user)
    before = intake.whole(request.GET.get("before", ""), 17)
    if before is not None:
        found = found.filter(number__lt=before)
    matches, last = paging.cut(found.prefetch_related("seats__user"), paging.LOBBY)
    rows = [
        {
            "match": match,
            "title": _title(match.game),
            "seats": [
                (
                    seat.index,
                    _holder(seat),
                    seat.user.username if seat.user is not None and seat.user.is_active and not match.hides_names else "",
                )
                for seat in sorted(match.seats.all(), key=lambda one: one.index)
            ],
            "options": option_words.changed(match),
            "told": option_words.always_told(match),
            "asks": reliability.words(match.reliability),
        }
        for match in matches
    ]
    older = last.number if last is not None else None
    return render(request, "web/lobby.html", {"rows": rows, "past": before is not None, "before": older, "filters": filters})


def _filtered(request: HttpRequest, found: QuerySet[Match], user: User | None) -> tuple[QuerySet[Match], dict[str, object]]:
    """Return the matches that pass the reader's filters, and the filters as the page shows them. Invalid filters are ignored."""
    suitable = user is not None and "suitable" in request.GET
    finished, timeouts = _choice(request, "finished", SHARES), _choice(request, "timeouts", TIMES)
    hours = _choice(request, "answer_hours", HOURS)
    if user is not None and suitable:
        found = reliability.for_player(found, user)
    if finished is not None or timeouts is not None or hours is not None:
        found = reliability.with_players(found, finished=finished or 0, timeouts=timeouts, answer_hours=hours)
    given = {"suitable": 1 if suitable else None, "finished": finished, "timeouts": timeouts, "answer_hours": hours}
    query = urlencode({name: value for name, value in given.items() if value is not None})
    return found, {**given, "shares": SHARES, "times": TIMES, "hours": HOURS, "query": f"&{query}" if query else ""}


def _choice(request: HttpRequest, name: str, offered: tuple[int, ...]) -> int | None:
    return next((one for one in offered if request.GET.get(name) == str(one)), None)


def _holder(seat: Seat) -> str:
    if seat.user is not None and seat.match.hides_names:
        return f"player {seat.index + 1}"
    if seat.user is not None:
        return seat.user.username
    return f"{seat.bot} bot" if seat.bot else ""
