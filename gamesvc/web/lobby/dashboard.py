"""The front page: a reader's own matches with their inbox, or an introduction for readers who are not signed in."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django.db.models import Case, Count, Exists, F, OuterRef, Prefetch, Subquery, Value, When, Window
from django.db.models.functions import RowNumber
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from accounts.models import User
from gamesvc import paging
from gamesvc.games import catalog
from gamesvc.games.kernel.game import Caption
from gamesvc.json_types import JsonObject
from gamesvc.language import say
from gamesvc.matches.access import selectors
from gamesvc.matches.access.selectors import Access
from gamesvc.matches.models import DEADLINE, Match, Question, Seat
from gamesvc.matches.reading import summaries
from gamesvc.matches.record import loading
from gamesvc.matches.record.loading import Loaded
from gamesvc.matches.story import sentences
from gamesvc.web.common import moments
from gamesvc.web.lobby import inbox
from gamesvc.web.notices import push


@dataclass(frozen=True, slots=True)
class Row:
    """One match in a list. `mine`: the reader is awaited; `due`: the nearest deadline that matters to them.

    `stands`: end of the break that stops the reader's clock now. `version`, `headline` and `last` are known for cards only: the
    version the reader may know, the position in a line, and the last act.
    """

    match: Match
    title: str
    seats: list[tuple[int, str]]
    access: Access
    mine: bool = False
    asks: str = ""
    due: datetime | None = None
    stands: datetime | None = None
    share: int = 0
    urgent: bool = False
    awaited: tuple[int, ...] = ()
    place: str = ""
    version: int | None = None
    headline: str = ""
    last: str = ""

    @property
    def own(self) -> int | None:
        return self.access.viewer

    @property
    def paused(self) -> bool:
        """Return True if the match is paused, as far as the reader may know."""
        return self.match.paused_at is not None and not self.access.is_delayed

    @property
    def free(self) -> int:
        """Return the number of free seats."""
        return sum(seat.holder is None for seat in self.access.seats)


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Show the user's own matches, or an introduction to users who are not signed in.

    The page stays short with hundreds of matches: each section shows its first ones, or every one with `all` in the address.
    """
    games = [game.manifest for game in catalog.games()]
    if not isinstance(request.user, User):
        return render(request, "web/welcome.html", {"games": games})
    every = "all" in request.GET
    sections = _sections(request.user, every=every)
    turns = sections["turns"]
    mine = with_positions(turns.rows[: paging.CARDS]) if turns else []
    context = {
        "inbox": inbox.items(request.user),
        "mine": [*mine, *turns.rows[paging.CARDS :]] if turns else mine,
        "turns": turns.all if turns else 0,
        "next": next(iter(mine), None),
        "others": sections["others"],
        "boards": sections["boards"],
        "open": sections["open"],
        "over": finished_rows(request.user),
        "games": games,
        **push.offer(request.user),
    }
    return render(request, "web/home.html", context)


@dataclass(frozen=True, slots=True)
class Part:
    """The rows of a section that are shown, and how many there are."""

    rows: Sequence[Row]
    all: int


def _sections(user: User, *, every: bool) -> dict[str, Part | None]:
    """Return the matches of a user that are not over, by section: their turns and others by deadline, the rest newest first.

    Only the first ones of each section are read, or every one; None stands for a section without matches.
    """
    most = paging.OWN_MATCHES if every else paging.CARDS
    found = _first(user, most)
    rows = _rows(user, [match for _section, match, _all in found])
    parts: dict[str, Part | None] = dict.fromkeys(("turns", "others", "boards", "open"))
    for section, ones in itertools.groupby(found, key=lambda one: one[0]):
        counted = list(ones)
        parts[section] = Part([rows[match] for _section, match, _all in counted if match in rows], counted[0][2])
    return parts


def _first(user: User, most: int) -> list[tuple[str, UUID, int]]:
    """Return the first matches of each section in their order, each with its section and the number of all there.

    The database sorts them, so that a reader with hundreds of matches waits for the rows of the first ones alone.
    """
    seat = Seat.objects.filter(match=OuterRef("match"), index=OuterRef("seat"), user=user)
    decisions = Question.objects.filter(match=OuterRef("pk")).annotate(own=Exists(seat), until=DEADLINE)
    nearest = decisions.order_by("-own", F("due_at").asc(nulls_last=True), "asked_at").values("until")[:1]
    unfinished = selectors.matches_of(user).filter(status__in=Match.UNFINISHED)
    placed = unfinished.annotate(
        due=Case(When(selectors.seen_late(user), then=None), default=Subquery(nearest)),
        section=Case(
            When(Exists(decisions.filter(own=True)), then=Value("turns")),
            When(board=True, then=Value("boards")),
            When(status=Match.Status.RUNNING, then=Value("others")),
            default=Value("open"),
        ),
    )
    order = [F("due").asc(nulls_last=True), F("number").desc()]
    ranked = placed.annotate(
        rank=Window(RowNumber(), partition_by="section", order_by=order), all=Window(Count("*"), partition_by="section")
    )
    return list(ranked.filter(rank__lte=most).order_by("section", "rank").values_list("section", "pk", "all"))


def _nearest(questions: Sequence[Question], own: int | None) -> tuple[bool, Question | None]:
    """Return True if a seat is asked, and the question that matters to it: its own with the nearest deadline, else any."""
    asked = [question for question in questions if question.seat == own]
    return bool(asked), min(asked or questions, key=Question.soonest, default=None)


def _rows(user: User, ids: Sequence[UUID]) -> dict[UUID, Row]:
    """Return some of a user's matches as rows, with their seats and pending decisions."""
    matches = list(Match.objects.filter(pk__in=ids).prefetch_related(_seats(), "questions"))
    now = timezone.now()
    late = {match.id: match.game for match in matches if not match.board and summaries.needs_clocks(match, now)}
    loaded = loading.load_many(late) if late else {}
    left = selectors.left(user, matches)
    return {match.pk: _row(match, user, loaded.get(match.id), now, gave_up=match.pk in left) for match in matches}


def finished_rows(user: User) -> list[Row]:
    """Return the user's matches that ended last, newest first."""
    over = selectors.matches_of(user).filter(ended_at__isnull=False, board=False).order_by("-ended_at", "-number")
    now = timezone.now()
    return [_row(match, user, None, now) for match in over.prefetch_related(_seats())[: paging.FINISHED]]


def with_positions(rows: Sequence[Row]) -> list[Row]:
    """Return rows with what their cards tell of the position and the last act, in a fixed number of queries."""
    loaded = loading.load_many({row.match.id: row.match.game for row in rows})
    acts = sentences.last_acts([(loaded[row.match.id], row.own, selectors.seat_names(row.access.seats)) for row in rows])
    return [_with_position(row, loaded[row.match.id], acts) for row in rows]


def _with_position(row: Row, loaded: Loaded, acts: Mapping[UUID, str]) -> Row:
    caption = Caption(str(row.match.number), selectors.seat_names(row.access.seats))
    view = loaded.game.view(loaded.timeline.state, row.own)
    return replace(
        row,
        version=loaded.viewer_version(row.own),
        headline=loaded.game.glance(view, caption).headline,
        last=acts.get(row.match.id, ""),
    )


def _seats() -> Prefetch[str]:
    return Prefetch("seats", Seat.objects.select_related("user").order_by("index"))


def _row(match: Match, user: User, loaded: Loaded | None, now: datetime, *, gave_up: bool = False) -> Row:
    seats = tuple(match.seats.all())
    access = Access(match, user, next((seat for seat in seats if seat.user_id == user.pk), None), seats, gave_up)
    own = access.viewer
    questions = list(match.questions.all()) if match.status == Match.Status.RUNNING and not access.is_delayed else []
    asked, nearest = _nearest(questions, own)
    left = summaries.time_left(nearest, plain=match.hides_names and not asked)
    return Row(
        match,
        catalog.game(match.game).manifest.title,
        list(enumerate(selectors.seat_names(seats))),
        access,
        mine=asked,
        asks=catalog.game(match.game).asks(nearest.prompt) if nearest is not None and asked else "",
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
    return {0: "", 1: say("won") if len(outcome["ranking"][0]) == 1 else say("shared win")}.get(
        place, say("place {place}", place=place)
    )
