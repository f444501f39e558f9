"""Players with finished matches and ratings."""

from __future__ import annotations

from accounts.models import User
from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Match
from gamesvc.matches.statistics import ratings, totals
from tests.matches.playing import act


def ended(winner: User, loser: User, game: str = "stratastar", watch: str = "all") -> Match:
    """Play a match that the loser resigns."""
    match = opening.create_match(by=winner, game=game, seats=2, watch=watch)
    match = opening.join_match(by=loser, match=match)
    act(match, 1, {"name": "resign"})
    match.refresh_from_db()
    return match


def follow() -> None:
    """Bring statistics and ratings up to date."""
    for consumer in (totals.follow, ratings.follow):
        while consumer():
            pass


def season(first: User, second: User, third: User) -> Match:
    """Play enough matches for ratings of the first two, in one game; the third has too few. Return the last match."""
    for winner, loser in ((first, second), (first, second), (second, first), (first, third), (first, second), (second, third)):
        ended(winner, loser)
    last = ended(first, second)
    follow()
    return last
