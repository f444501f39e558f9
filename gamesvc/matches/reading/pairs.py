"""Two players and their matches with each other, and the matches of one player as another may know them."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.models import User
from gamesvc.json_types import JsonObject
from gamesvc.matches.models import Match, Seat

MOST = 300
"""So many of their last matches are counted."""


@dataclass(frozen=True, slots=True)
class Pair:
    """The matches of a reader and another player. `last`: the finished one with the highest number."""

    won: int
    lost: int
    even: int
    running: int
    last: Match | None

    @property
    def met(self) -> bool:
        return self.last is not None or self.running > 0


def played(reader: User, player: User) -> QuerySet[Match]:
    """Return the finished matches in which a player held a seat at the end, newest first, as far as the reader may know them."""
    seated = Seat.objects.filter(user=player).order_by().values("match_id")
    found = Match.objects.filter(pk__in=seated, status=Match.Status.FINISHED, board=False).order_by("-number")
    if reader == player:
        return found
    return found.filter(Q(watch=Match.Watch.ALL) | Q(creator=reader) | Q(Exists(_seats_of(reader))))


def pair(reader: User, player: User) -> Pair:
    """Return the results of two players against each other, from matches in which both held a seat at the end.

    Running anonymous matches are left out: their players do not know each other.
    """
    both = Match.objects.filter(Exists(_seats_of(reader)), Exists(_seats_of(player)), board=False)
    finished = both.filter(status=Match.Status.FINISHED).order_by("-number").prefetch_related("seats")[:MOST]
    results = [_result(match, reader, player) for match in finished]
    running = both.filter(status=Match.Status.RUNNING, anonymous=False).count()
    return Pair(results.count(1), results.count(-1), results.count(0), running, next(iter(finished), None))


def _seats_of(user: User) -> QuerySet[Seat]:
    return Seat.objects.filter(match=OuterRef("pk"), user=user)


def _result(match: Match, reader: User, player: User) -> int | None:
    """Return 1 if the reader was better, -1 if the player was, 0 for the same place, None without a result."""
    seats = {seat.user_id: seat.index for seat in match.seats.all()}
    mine, theirs = (place_of(match.outcome, seats[user.pk]) for user in (reader, player))
    return None if mine is None or theirs is None else (theirs > mine) - (mine > theirs)


def place_of(outcome: JsonObject | None, seat: int) -> int | None:
    """Return the place of a seat, 1 for the best; None without a result."""
    before = 0
    for group in (outcome or {}).get("ranking", ()):
        if seat in group:
            return before + 1
        before += len(group)
    return None
