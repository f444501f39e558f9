"""A player's page: ratings, results, reliability, their last matches, and what the reader can do with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.models import User
from gamesvc import paging
from gamesvc.games import catalog
from gamesvc.games.kernel import intake
from gamesvc.games.kernel.game import Refused
from gamesvc.json_types import JsonObject
from gamesvc.language import say
from gamesvc.matches.access.selectors import access_many
from gamesvc.matches.lobby import rematches
from gamesvc.matches.models import Match
from gamesvc.matches.reading import pairs
from gamesvc.matches.statistics import leaderboards, rating_rules, totals
from gamesvc.matches.statistics.leaderboards import Change, Standing
from gamesvc.web.common import moments
from gamesvc.web.common.access import signed_in
from gamesvc.web.community import blocked
from gamesvc.web.lobby import lists


@dataclass(frozen=True, slots=True)
class GameRow:
    """A player's rating and results in one game."""

    game: str
    title: str
    rating: Standing | None
    played: int = 0
    won: int = 0


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A finished match as the player's page lists it."""

    row: lists.Row
    result: str
    change: Change | None

    @property
    def match(self) -> Match:
        return self.row.match


@require_safe
@login_required
def player(request: HttpRequest, name: str) -> HttpResponse:
    """Show one player to another: ratings, results, matches and reliability."""
    found = User.named(name)
    if found is None:
        raise Http404(f"There is no player {name}.")
    reader = signed_in(request)
    told = totals.player_json(found)
    games = _games(found, told["games"])
    context = {
        "player": found,
        "own": reader == found,
        "days": told["window_days"],
        "lately": told["lately"],
        "answers_within": _span(told["ever"]["average_answer_seconds"]),
        "rows": _figures([told["lately"], told["ever"]]),
        "games": games,
        "rated_from": rating_rules.RATED_FROM,
    }
    context |= _course(request, found, games) | _matches(request, reader, found) | _pair(reader, found)
    context |= blocked.of_player(reader, found)
    return render(request, "web/player.html", context)


def _games(user: User, results: Sequence[JsonObject]) -> list[GameRow]:
    """Return the player's games, those with a rating first."""
    ratings = {one.game: one for one in leaderboards.of_player(user)}
    by_game = {one["game"]: one for one in results}
    rows = [
        GameRow(game, _title(game), ratings.get(game), **{name: by_game.get(game, {}).get(name, 0) for name in ("played", "won")})
        for game in sorted(ratings.keys() | by_game.keys())
    ]
    return sorted(rows, key=lambda row: -(row.rating.matches if row.rating is not None else 0))


def _course(request: HttpRequest, user: User, games: Sequence[GameRow]) -> dict[str, Any]:
    """Return the course of the rating in the chosen game, or in the one with most rated matches."""
    rated = [row for row in games if row.rating is not None and not row.rating.provisional]
    chosen = next((row for row in rated if row.game == request.GET.get("rating")), next(iter(rated), None))
    if chosen is None:
        return {"course": None}
    return {
        "course": leaderboards.course_of(user, chosen.game),
        "course_of": chosen,
        "courses": rated if len(rated) > 1 else [],
    }


def _matches(request: HttpRequest, reader: User, user: User) -> dict[str, Any]:
    """Return one page of the player's finished matches that the reader may know, of all games or of one."""
    found = pairs.played(reader, user)
    known = {game.id: game.manifest.title for game in catalog.games()}
    game = request.GET.get("game", "")
    if game in known:
        found = found.filter(game=game)
    before = intake.whole(request.GET.get("before", ""), 17)
    if before is not None:
        found = found.filter(number__lt=before)
    matches, last = paging.cut(found.prefetch_related(lists.with_seats()), paging.PLAYED)
    changes = leaderboards.changes(matches)
    rows = []
    for row in lists.rows_of(matches):
        seat = next(seat.index for seat in row.match.seats.all() if seat.user_id == user.pk)
        rows.append(MatchRow(row, _result(row.match, seat), changes.get(row.match.pk, {}).get(seat)))
    return {
        "matches": rows,
        "offered": list(known.items()),
        "game": game if game in known else "",
        "past": before is not None,
        "older": urlencode({"before": last.number} | ({"game": game} if game in known else {})) if last is not None else "",
    }


def _result(match: Match, seat: int) -> str:
    """Return how a seat did, in words."""
    place = pairs.place_of(match.outcome, seat)
    if place is None or match.seat_count == 1:
        return ""
    shared = any(seat in group and len(group) > 1 for group in match.outcome["ranking"]) if match.outcome is not None else False
    if place == 1:
        return say("Shared first") if shared else say("Won")
    return say("Lost") if match.seat_count == 2 else say("Place {place} of {seats}", place=place, seats=match.seat_count)


def _pair(reader: User, user: User) -> dict[str, Any]:
    """Return the reader's own matches with the player, and the last one if it can be played again."""
    if reader == user:
        return {"pair": None}
    pair = pairs.pair(reader, user)
    access = next(iter(access_many(reader, [pair.last])), None) if pair.last is not None else None
    offer = rematches.offer(access) if access is not None else None
    return {"pair": pair if pair.met else None, "offer": offer, "last_title": _title(pair.last.game) if pair.last else ""}


def _figures(columns: Sequence[JsonObject]) -> list[tuple[str, list[object]]]:
    return [
        (say("Matches"), [one["matches"] for one in columns]),
        (say("Finished"), [one["finished"] for one in columns]),
        (say("Given up"), [one["given_up"] for one in columns]),
        (say("Share finished"), [_percent(one["finished_percent"]) for one in columns]),
        (say("Timeouts"), [one["timeouts"] for one in columns]),
        (say("Excused"), [one["excused"] for one in columns]),
        (say("Answers"), [one["answers"] for one in columns]),
        (say("Average time to answer"), [_span(one["average_answer_seconds"]) or "–" for one in columns]),
    ]


def _title(game: str) -> str:
    try:
        return catalog.game(game).manifest.title
    except Refused:  # no longer on offer
        return game


def _percent(share: int | None) -> str:
    return "–" if share is None else f"{share} %"


def _span(seconds: int | None) -> str:
    """Return an average time in words; a minute is the shortest."""
    return "" if seconds is None else moments.span(timedelta(seconds=max(60, seconds)))
