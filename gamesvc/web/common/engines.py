"""The engine of the game in an address."""

from __future__ import annotations

from django.http import Http404

from gamesvc.games import catalog
from gamesvc.games.kernel.game import Game, Refused


def engine(game: str) -> Game[object]:
    """Return the engine of the game in an address. Raises `Http404` for any other."""
    try:
        return catalog.game(game)
    except Refused as refused:
        raise Http404(refused.detail) from None
