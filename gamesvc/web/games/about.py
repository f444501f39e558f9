"""The games on offer: a page for each, its rules in our own words, and its cards."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_safe

from gamesvc import paging
from gamesvc.games import catalog, lessons, specimen
from gamesvc.matches.reading import figures
from gamesvc.matches.statistics import leaderboards
from gamesvc.web.common import markdown
from gamesvc.web.common.engines import engine
from gamesvc.web.games import searching


@require_safe
def games(request: HttpRequest) -> HttpResponse:
    """Show all games, or where a text (`q`) occurs in the rules and cards of all or of one (`game`)."""
    text, known = request.GET.get("q", "").strip()[: searching.MOST_LETTERS], [game.manifest for game in catalog.games()]
    game = request.GET.get("game", "")
    game = game if game in {manifest.id for manifest in known} else ""
    context = {"games": known, "text": text, "game": game, "found": searching.search(text, game)}
    return render(request, "web/games.html", context)


@require_safe
def game_page(request: HttpRequest, game: str) -> HttpResponse:
    """Show a game: what it is, how it goes, and the ways to start."""
    found = engine(game)
    context = {
        "manifest": found.manifest,
        "introduction": mark_safe(markdown.render(specimen.introduction(found.id))),
        "figures": figures.of_game(found.id),
        "rated": found.manifest.max_seats > 1,
        "leaders": leaderboards.top(found.id, paging.LEADERS_AT_A_GLANCE) if request.user.is_authenticated else [],
        "bots": leaderboards.of_bot_accounts(found.id, paging.LEADERS_AT_A_GLANCE) if request.user.is_authenticated else [],
        "learns": lessons.lesson(found.id) is not None,
        "cards": len(specimen.reference(found.id)),
    }
    return render(request, "web/game.html", context)


@require_safe
def game_rules(request: HttpRequest, game: str) -> HttpResponse:
    found = engine(game)
    rules = found.rules_help()
    context = {
        "manifest": found.manifest,
        "games": [game.manifest for game in catalog.games()],
        "rules": mark_safe(markdown.render(rules)),
        "contents": markdown.contents(rules),
        "orders": found.order_help(None),
    }
    return render(request, "web/rules.html", context)


@require_safe
def cards(request: HttpRequest, game: str) -> HttpResponse:
    """Show every kind of card, unit and ability of a game, or those of one kind (`kind`) that contain a text (`q`)."""
    found = engine(game)
    entries = specimen.reference(found.id)
    kinds = sorted({entry.kind for entry in entries})
    wanted, text = request.GET.get("kind", ""), request.GET.get("q", "").strip()[: searching.MOST_LETTERS]
    kind = wanted if wanted in kinds else ""
    shown = [entry for entry in entries if kind in ("", entry.kind) and text.casefold() in entry.line.casefold()]
    context = {"manifest": found.manifest, "entries": shown, "kinds": kinds, "kind": kind, "text": text, "all": len(entries)}
    return render(request, "web/cards.html", context)
