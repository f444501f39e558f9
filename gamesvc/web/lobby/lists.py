"""Lists of matches: the user's own by deadline, and the open ones."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from accounts.models import User
from gamesvc import paging
from gamesvc.games import catalog
from gamesvc.games.kernel import intake
from gamesvc.games.kernel.game import Manifest
from gamesvc.json_types import JsonObject
from gamesvc.matches.access import selectors
from gamesvc.matches.access.selectors import Access
from gamesvc.matches.models import Match, Question, Seat
from gamesvc.matches.reading import summaries
from gamesvc.matches.record import loading
from gamesvc.matches.record.loading import Loaded
from gamesvc.matches.statistics import reliability
from gamesvc.matches.story import option_words
from gamesvc.web.common import moments

# Filters offered by the lobby: minimum percentage of matches finished, maximum number of timeouts, and maximum average hours of
# an answer.
SHARES, TIMES, HOURS = (50, 75, 90, 100), (0, 1, 3, 10), (3, 12, 24, 48)


@dataclass(frozen=True, slots=True)
class Row:
    """One match in a list. `mine`: the reader is awaited; `due`: the nearest deadline that matters to them.

    `stands`: end of the break that stops the reader's clock now.
    """

    match: Match
    title: str
    seats: list[tuple[int, str]]
    mine: bool = False
    prompt: str = ""
    due: datetime | None = None
    stands: datetime | None = None
    share: int = 0
    urgent: bool = False
    awaited: tuple[int, ...] = ()
    place: str = ""


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Show the user's own matches, or an introduction to users who are not signed in."""
    if not isinstance(request.user, User):
        return render(request, "web/welcome.html", {"games": [game.manifest for game in catalog.games()]})
    rows = own_rows(request.user)
    context = {
        "mine": [row for row in rows if row.mine],
        "others": [row for row in rows if not row.mine and row.match.status == Match.Status.RUNNING and not row.match.board],
        "boards": [row for row in rows if row.match.board and row.match.status == Match.Status.RUNNING],
        "open": [row for row in rows if row.match.status == Match.Status.OPEN],
        "over": [row for row in rows if row.match.over],
    }
    return render(request, "web/home.html", context)


def own_rows(user: User) -> list[Row]:
    """Return a user's matches: their turns by time left, then others by deadline, then the rest, newest first."""
    matches = list(selectors.matches_of(user).prefetch_related("seats__user", "questions")[:300])
    now = timezone.now()
    late = {match.id: match.game for match in matches if not match.board and summaries.needs_clocks(match, now)}
    loaded = loading.load_many(late) if late else {}
    rows = [_row(match, user, loaded.get(match.id), now) for match in matches]
    far = timezone.now() + timedelta(days=36500)
    return sorted(rows, key=lambda row: (not row.mine, row.due or far))


def _title(game: str) -> str:
    return _manifest(game).title


def _manifest(game: str) -> Manifest:
    return catalog.game(game).manifest


def _row(match: Match, user: User, loaded: Loaded | None, now: datetime) -> Row:
    seats = list(match.seats.all())
    access = Access(match, user, next((seat for seat in seats if seat.user_id == user.pk), None), tuple(seats))
    own = access.viewer
    questions = list(match.questions.all()) if match.status == Match.Status.RUNNING else []
    asked = [question for question in questions if question.seat == own]
    nearest = min(asked or questions, key=Question.soonest, default=None)
    names = selectors.seat_names(tuple(sorted(seats, key=lambda seat: seat.index)))
    left = summaries.time_left(nearest, plain=match.hides_names and not asked)
    return Row(
        match,
        _title(match.game),
        list(enumerate(names)),
        mine=bool(asked),
        prompt=nearest.prompt if nearest is not None and asked else "",
        due=nearest.deadline if nearest is not None else None,
        stands=summaries.stands_until(access, nearest, loaded, now) if nearest is not None and asked else None,
        share=left,
        urgent=nearest is not None and left < 100 * moments.NEARLY_OVER,
        awaited=tuple(sorted({question.seat for question in questions})),
        place=_place(match.outcome, own),
    )


def _place(outcome: JsonObject | None, seat: int | None) -> str:
    if outcome is None or seat is None:
        return ""
    place = next((at for at, group in enumerate(outcome["ranking"], 1) if seat in group), 0)
    return {0: "", 1: "won" if len(outcome["ranking"][0]) == 1 else "shared win"}.get(place, f"place {place}")


@require_safe
def lobby(request: HttpRequest) -> HttpResponse:
    """Show the matches the user could join, newest first, or those opened before a given one."""
    user = request.user if isinstance(request.user, User) else None
    found, filters = _filtered(request, selectors.open_matches(user), user)
    before = intake.whole(request.GET.get("before", ""), 17)
    if before is not None:
        found = found.filter(number__lt=before)
    matches, last = paging.cut(found.prefetch_related("seats__user"), paging.LOBBY)
    rows = [
        {
            "match": match,
            "title": _title(match.game),
            "seats": [
                (
                    seat.index,
                    _holder(seat),
                    seat.user.username if seat.user is not None and seat.user.is_active and not match.hides_names else "",
                )
                for seat in sorted(match.seats.all(), key=lambda one: one.index)
            ],
            "options": option_words.changed(match),
            "told": option_words.always_told(match),
            "asks": reliability.words(match.reliability),
        }
        for match in matches
    ]
    older = last.number if last is not None else None
    return render(request, "web/lobby.html", {"rows": rows, "past": before is not None, "before": older, "filters": filters})


def _filtered(request: HttpRequest, found: QuerySet[Match], user: User | None) -> tuple[QuerySet[Match], dict[str, object]]:
    """Return the matches that pass the reader's filters, and the filters as the page shows them. Invalid filters are ignored."""
    suitable = user is not None and "suitable" in request.GET
    finished, timeouts = _choice(request, "finished", SHARES), _choice(request, "timeouts", TIMES)
    hours = _choice(request, "answer_hours", HOURS)
    if user is not None and suitable:
        found = reliability.for_player(found, user)
    if finished is not None or timeouts is not None or hours is not None:
        found = reliability.with_players(found, finished=finished or 0, timeouts=timeouts, answer_hours=hours)
    given = {"suitable": 1 if suitable else None, "finished": finished, "timeouts": timeouts, "answer_hours": hours}
    query = urlencode({name: value for name, value in given.items() if value is not None})
    return found, {**given, "shares": SHARES, "times": TIMES, "hours": HOURS, "query": f"&{query}" if query else ""}


def _choice(request: HttpRequest, name: str, offered: tuple[int, ...]) -> int | None:
    return next((one for one in offered if request.GET.get(name) == str(one)), None)


def _holder(seat: Seat) -> str:
    if seat.user is not None and seat.match.hides_names:
        return f"player {seat.index + 1}"
    if seat.user is not None:
        return seat.user.username
    return f"{seat.bot} bot" if seat.bot else ""
