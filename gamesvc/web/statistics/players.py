"""A player's page: their figures from matches that count."""

from __future__ import annotations

from datetime import timedelta

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.models import User
from gamesvc.games import catalog
from gamesvc.games.kernel.game import Refused
from gamesvc.matches.statistics import totals
from gamesvc.web.common import moments
from gamesvc.web.common.access import signed_in
from gamesvc.web.community import blocked


@require_safe
@login_required
def player(request: HttpRequest, name: str) -> HttpResponse:
    """Show figures and results of one player to other players."""
    found = User.named(name)
    if found is None:
        raise Http404(f"There is no player {name}.")
    told = totals.player_json(found)
    columns = [told["lately"], told["ever"]]
    rows = [
        ("Matches", [one["matches"] for one in columns]),
        ("Finished", [one["finished"] for one in columns]),
        ("Given up", [one["given_up"] for one in columns]),
        ("Share finished", [_percent(one["finished_percent"]) for one in columns]),
        ("Timeouts", [one["timeouts"] for one in columns]),
        ("Excused", [one["excused"] for one in columns]),
        ("Answers", [one["answers"] for one in columns]),
        ("Average time to answer", [_span(one["average_answer_seconds"]) for one in columns]),
    ]
    games = [{**one, "title": _title(one["game"])} for one in told["games"]]
    context = {"player": found, "days": told["window_days"], "rows": rows, "games": games}
    return render(request, "web/player.html", context | blocked.of_player(signed_in(request), found))


def _title(game: str) -> str:
    try:
        return catalog.game(game).manifest.title
    except Refused:  # no longer on offer
        return game


def _percent(share: int | None) -> str:
    return "–" if share is None else f"{share} %"


def _span(seconds: int | None) -> str:
    return "–" if seconds is None else moments.span(timedelta(seconds=seconds))
