"""Lists of matches for readers who look for one: to join, to watch, or to look up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Prefetch, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from accounts.models import User
from gamesvc import paging
from gamesvc.games import catalog
from gamesvc.games.kernel import intake
from gamesvc.games.kernel.game import Manifest
from gamesvc.games.kernel.wording import listed
from gamesvc.matches.access import selectors
from gamesvc.matches.lobby import pairing
from gamesvc.matches.models import Match, Seat
from gamesvc.matches.reading import lists
from gamesvc.matches.statistics import reliability
from gamesvc.matches.story import option_words, organising_words
from gamesvc.web.lobby import filters as filtering
from gamesvc.web.lobby.filters import Filters


@dataclass(frozen=True, slots=True)
class Row:
    """One match in a list, with its seats: the index, the name of the holder, and the page of a player if there is one."""

    match: Match
    title: str
    seats: list[tuple[int, str, str]]
    options: list[tuple[str, str]]
    told: list[str]
    organised: str
    asks: list[str]
    winners: str = ""


@require_safe
def lobby(request: HttpRequest) -> HttpResponse:
    """Show the matches the user could join, newest first, or those opened before a given one; their own come first."""
    user = _reader(request)
    filters = filtering.read_open(request)
    found = filtering.open_ones(filters, selectors.open_matches(user), user)
    own: QuerySet[Match] = Match.objects.none()
    if user is not None and not filters.query and "before" not in request.GET:
        own = selectors.matches_of(user).filter(status=Match.Status.OPEN)[: paging.LOBBY]
    more = {
        "own": rows_of(own.select_related("creator").prefetch_related(with_seats())),
        "pairs": _pairs(),
        "like_these": filtering.like_these(filters),
    }
    return _list(request, "web/lobby.html", "open", filters, found, **more)


def _pairs() -> list[tuple[Manifest, int]]:
    """Return the games with the number of players in a quick match."""
    return [(game.manifest, pairing.seats_of(game)) for game in catalog.games()]


@require_safe
def watch(request: HttpRequest) -> HttpResponse:
    """Show the running matches that everyone may watch, newest first."""
    filters = filtering.read_common(request)
    return _list(request, "web/watch.html", "watch", filters, filtering.common(filters, lists.watched()))


@require_safe
def archive(request: HttpRequest) -> HttpResponse:
    """Show finished matches, newest first: those that everyone may look at, or a player's. A number leads to the match."""
    wanted = request.GET.get("player", "").strip()
    if (number := intake.whole(wanted, 17)) is not None:
        return redirect("web:match", number)
    player = User.named(wanted) if wanted else None
    filters = filtering.read_common(request)
    found = lists.archived(_reader(request), player=player)
    if wanted and player is None:
        found = found.none()
    found = filtering.common(filters, found, in_archive=player is None)
    return _list(request, "web/archive.html", "archive", filters, found, wanted=wanted, player=player)


def _reader(request: HttpRequest) -> User | None:
    return request.user if isinstance(request.user, User) else None


def _list(
    request: HttpRequest, template: str, tab: str, filters: Filters, found: QuerySet[Match], **more: object
) -> HttpResponse:
    """Render one page of a list; `before` in the address is the number of the match after which it begins."""
    before = intake.whole(request.GET.get("before", ""), 17)
    if before is not None:
        found = found.filter(number__lt=before)
    matches, last = paging.cut(found.select_related("creator").prefetch_related(with_seats()), paging.LOBBY)
    context = {
        "tab": tab,
        "rows": rows_of(matches),
        "past": before is not None,
        "before": last.number if last is not None else None,
        "filters": filters,
    }
    return render(request, template, context | more)


def with_seats() -> Prefetch[str]:
    """Return what must be prefetched with the matches of a list."""
    return Prefetch("seats", Seat.objects.select_related("user").order_by("index"))


def rows_of(matches: Sequence[Match] | QuerySet[Match]) -> list[Row]:
    """Return matches as rows of a list. Their seats and users must be there (`with_seats`)."""
    return [_row(match, tuple(match.seats.all())) for match in matches]


def _row(match: Match, seats: tuple[Seat, ...]) -> Row:
    for seat in seats:
        seat.match = match
    names = selectors.seat_names(seats)
    known = [seat.user is not None and seat.user.is_active and not match.hides_names for seat in seats]
    return Row(
        match,
        catalog.game(match.game).manifest.title,
        [
            (seat.index, name if seat.holder else "", name if known_user else "")
            for seat, name, known_user in zip(seats, names, known, strict=True)
        ],
        option_words.changed(match),
        option_words.always_told(match),
        organising_words.organiser(match, seats) if match.status == Match.Status.OPEN else "",
        reliability.words(match.reliability),
        _winners(match, names),
    )


def _winners(match: Match, names: Sequence[str]) -> str:
    """Return the names of the best seats of a finished match."""
    ranking = (match.outcome or {}).get("ranking") or [[]]
    return listed(names[seat] for seat in ranking[0])
