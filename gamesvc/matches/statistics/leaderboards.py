"""Ratings as people read them: a player's, a bot's, the best of a game, the course over time, the changes by a match.

Numbers are rounded points with their range, and none is given while it is provisional.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import F, Q, QuerySet
from django.utils import timezone

from accounts.models import User
from gamesvc.json_types import JsonObject
from gamesvc.matches.models import Match, Rated, Rating
from gamesvc.matches.statistics import rating_rules
from gamesvc.matches.statistics.rating_rules import RATED_FROM

MOST_BOTS = 100
ACTIVE = timedelta(days=365)
"""Leaderboards leave out players whose last rated match is longer ago."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A rating as others see it. `place`: in the leaderboard, if it is part of one."""

    game: str
    name: str
    points: int
    spread: int
    matches: int
    won: int
    last_at: datetime | None
    place: int = 0
    account: bool = False
    """True for a user, bot accounts included; False for a bot of the game."""
    key: str = ""
    """The id of the rating, after which the next page of a leaderboard begins."""

    @property
    def provisional(self) -> bool:
        """Return True while the rating is not shown."""
        return self.matches < RATED_FROM

    @property
    def missing(self) -> int:
        """Return how many more rated matches it takes until the rating is shown."""
        return max(0, RATED_FROM - self.matches)

    @property
    def low(self) -> int:
        return self.points - self.spread

    @property
    def high(self) -> int:
        return self.points + self.spread

    @property
    def won_percent(self) -> int:
        return round(100 * self.won / self.matches) if self.matches else 0

    def as_json(self) -> JsonObject:
        """Return the rating without its holder."""
        return {
            "game": self.game,
            "rating": None if self.provisional else self.points,
            "range": None if self.provisional else self.spread,
            "provisional": self.provisional,
            "matches": self.matches,
            "won": self.won,
        }


def _standing(rating: Rating, place: int = 0) -> Standing:
    name = rating.bot or (rating.user.username if rating.user is not None else "")
    spread = round(rating_rules.RANGE * rating.sigma)
    return Standing(
        rating.game,
        name,
        round(rating.mu),
        spread,
        rating.matches,
        rating.won,
        rating.last_at,
        place,
        account=not rating.bot,
        key=str(rating.pk),
    )


def of_player(user: User) -> list[Standing]:
    """Return a player's ratings among people, or a bot's among bots, by game. The provisional ones are part of them."""
    found = Rating.objects.filter(user=user, pool=_pool(user), matches__gt=0).select_related("user").order_by("game")
    return [_standing(rating) for rating in found]


def _pool(user: User) -> Rating.Pool:
    return Rating.Pool.BOTS if user.is_bot else Rating.Pool.PEOPLE


def of_bots(game: str) -> list[Standing]:
    """Return the ratings of bots, best first, from matches with people and among themselves.

    These are the game's own bots and the best bot accounts, of which the inactive ones are left out like players.
    """
    rows = _bots(game).filter(~Q(bot="") | _active_accounts()).order_by("-low", "bot", "pk")[:MOST_BOTS]
    return [_standing(rating, place) for place, rating in enumerate(rows, 1)]


def of_bot_accounts(game: str, count: int) -> list[Standing]:
    """Return the ratings of the best active bot accounts of a game, which players can challenge."""
    return [_standing(rating) for rating in _bots(game).filter(_active_accounts()).order_by("-low", "pk")[:count]]


def _bots(game: str) -> QuerySet[Rating]:
    return Rating.objects.filter(game=game, pool=Rating.Pool.BOTS, matches__gt=0).select_related("user")


def _active_accounts() -> Q:
    return Q(user__is_bot=True, user__is_active=True, user__bot_owner__is_active=True, last_at__gte=timezone.now() - ACTIVE)


def _leaders(game: str) -> QuerySet[Rating]:
    found = Rating.objects.filter(game=game, pool=Rating.Pool.PEOPLE, matches__gte=RATED_FROM)
    return found.filter(user__is_active=True, last_at__gte=timezone.now() - ACTIVE)


def top(game: str, count: int = 50) -> list[Standing]:
    """Return the best players of a game by the low end of their range."""
    return _places(_leaders(game), count, 0)


def next_places(game: str, key: str, place: int, count: int = 50) -> list[Standing]:
    """Return the players behind the one with this key, who is in this place; none if there is no such rating in the game.

    Nobody before them is counted, so a late page takes no longer than the first.
    """
    try:
        last = Rating.objects.get(pk=UUID(key), game=game, pool=Rating.Pool.PEOPLE)
    except (ValueError, Rating.DoesNotExist):
        return []
    # The first condition is a range of the index, which the comparison of two columns would not be.
    behind = _leaders(game).filter(Q(low__lt=last.low) | Q(pk__gt=last.pk), low__lte=last.low)
    return _places(behind, count, place)


def _places(leaders: QuerySet[Rating], count: int, before: int) -> list[Standing]:
    found = leaders.select_related("user").order_by("-low", "pk")[:count]
    return [_standing(rating, place) for place, rating in enumerate(found, before + 1)]


def count_of(game: str) -> int:
    """Return how many players are on the leaderboard of a game."""
    return _leaders(game).count()


def own_place(user: User, game: str) -> Standing | None:
    """Return a player's own row of the leaderboard; None if they are not on it."""
    own = _leaders(game).filter(user=user).select_related("user").first()
    if own is None:
        return None
    ahead = _leaders(game).filter(Q(low__gt=own.low) | Q(low=own.low, pk__lt=own.pk)).count()
    return _standing(own, ahead + 1)


@dataclass(frozen=True, slots=True)
class Point:
    """A rating after one of its matches."""

    at: datetime
    points: int
    spread: int


def course_of(user: User, game: str, most: int = 200) -> list[Point]:
    """Return how a player's rating went over its last matches, oldest first; none while it is provisional."""
    rating = Rating.objects.filter(user=user, game=game, pool=_pool(user), matches__gte=RATED_FROM).first()
    if rating is None:
        return []
    last = Rated.objects.filter(rating=rating).order_by("-pos").values_list("ended_at", "mu", "sigma")[:most]
    return [Point(at, round(mu), round(rating_rules.RANGE * sigma)) for at, mu, sigma in reversed(last)]


@dataclass(frozen=True, slots=True)
class Change:
    """The change of a rating by a match, of one seat. `before` and `after` are None while it is provisional."""

    seat: int
    before: int | None
    after: int | None
    place: int
    left: bool

    @property
    def gained(self) -> int | None:
        return self.after - self.before if self.after is not None and self.before is not None else None


def changes(matches: Sequence[Match]) -> dict[UUID, dict[int, Change]]:
    """Return how finished matches changed the ratings of their players, by match and seat; missing where nothing was rated."""
    rows = Rated.objects.filter(match__in=matches, rating__pool=Rating.Pool.PEOPLE).annotate(rated=F("rating__matches"))
    found: dict[UUID, dict[int, Change]] = {}
    for row in rows:
        shown = row.rated >= RATED_FROM
        before, after = (round(row.mu_before), round(row.mu)) if shown else (None, None)
        found.setdefault(row.match_id, {})[row.seat] = Change(row.seat, before, after, row.place, row.left)
    return found
