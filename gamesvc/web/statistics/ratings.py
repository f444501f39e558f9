"""The page that explains ratings, and the leaderboard of each game."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from gamesvc import paging
from gamesvc.games import catalog
from gamesvc.games.kernel import intake
from gamesvc.matches.statistics import leaderboards, rating_rules
from gamesvc.web.common.access import signed_in
from gamesvc.web.common.engines import engine


@require_safe
def explained(request: HttpRequest) -> HttpResponse:
    """Explain ratings: what they mean, which matches count, how the number moves."""
    example = rating_rules.after([rating_rules.START, rating_rules.START], [1, 2])
    games = [game.manifest for game in catalog.games() if game.manifest.max_seats > 1]
    context = {
        "games": games,
        "rated_from": rating_rules.RATED_FROM,
        "active_days": leaderboards.ACTIVE.days,
        "start": round(rating_rules.START.mu),
        "start_range": round(rating_rules.RANGE * rating_rules.START.sigma),
        "won": round(example[0].mu),
        "lost": round(example[1].mu),
        "after_range": round(rating_rules.RANGE * example[0].sigma),
    }
    return render(request, "web/ratings.html", context)


@require_safe
@login_required
def leaderboard(request: HttpRequest, game: str) -> HttpResponse:
    """Show the best players of a game and the reader's own place, then its bots.

    A later page begins behind the rating `behind`, which is in the place `after`.
    """
    found = engine(game)
    after, behind = intake.whole(request.GET.get("after", ""), 9) or 0, request.GET.get("behind", "")
    if behind:
        rows = leaderboards.next_places(found.id, behind, after, paging.LEADERS + 1)
    else:
        rows = leaderboards.top(found.id, paging.LEADERS + 1)
    context = {
        "manifest": found.manifest,
        "rows": rows[: paging.LEADERS],
        "own": leaderboards.own_place(signed_in(request), found.id),
        "bots": leaderboards.of_bots(found.id),
        "past": bool(behind),
        "last": rows[paging.LEADERS - 1] if len(rows) > paging.LEADERS else None,
        "rated_from": rating_rules.RATED_FROM,
    }
    return render(request, "web/leaderboard.html", context)
