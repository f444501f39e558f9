"""The games on offer, and their rules in our own words."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_safe

from gamesvc.games import catalog
from gamesvc.games.kernel.game import Game, Refused
from gamesvc.web.common import markdown


def engine(game: str) -> Game[object]:
    """Return the engine of the game in an address. Raises `Http404` for any other."""
    try:
        return catalog.game(game)
    except Refused as refused:
        raise Http404(refused.detail) from None


@require_safe
def games(request: HttpRequest) -> HttpResponse:
    return render(request, "web/games.html", {"games": [game.manifest for game in catalog.games()]})


@require_safe
def game_page(request: HttpRequest, game: str) -> HttpResponse:
    """Show a game: what it is, how it goes, and the ways to start."""
    return render(request, "web/game.html", {"manifest": engine(game).manifest})


@require_safe
def game_rules(request: HttpRequest, game: str) -> HttpResponse:
    found = engine(game)
    text = mark_safe(markdown.render(found.rules_help()))
    context = {"manifest": found.manifest, "text": text, "orders": found.order_help(None)}
    return render(request, "web/rules.html", context)
