"""The card browser: every kind of card, unit and ability of a game, with its numbers and its text."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from itertools import groupby

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from gamesvc.games import catalog
from gamesvc.games.kernel.telling import Entry
from gamesvc.games.kernel.wording import capital
from gamesvc.games.protocol import Session
from gamesvc.web.common.rules import engine


@functools.cache
def kinds(game: str) -> Sequence[tuple[str, Sequence[Entry]]]:
    """Return the entries of a game by kind. They are the same in each match, so those of any opening position serve."""
    found = catalog.game(game)
    session = Session(found)
    session.answer({"op": "new", "seats": found.manifest.min_seats, "seed": game})
    assert session.timeline is not None
    entries = sorted(found.reference(found.view(session.timeline.state, 0)), key=lambda entry: (entry.kind, entry.name))
    return [(capital(kind), list(group)) for kind, group in groupby(entries, key=lambda entry: entry.kind)]


@require_safe
def card_browser(request: HttpRequest, game: str) -> HttpResponse:
    found = engine(game)
    return render(request, "web/cards.html", {"manifest": found.manifest, "kinds": kinds(found.id)})
