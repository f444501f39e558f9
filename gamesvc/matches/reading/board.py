"""The position of a match as one viewer sees it, in the forms in which pages, API and mails show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from accounts import absences
from accounts.models import User
from gamesvc.games.drawing.chart import HEADER, WIDTH, Chart
from gamesvc.games.kernel.game import Caption, Form, Game, Refused, Viewer
from gamesvc.matches.access.selectors import Access, access_many, seat_names
from gamesvc.matches.clock.compute import Clock, within
from gamesvc.matches.errors import Forbidden
from gamesvc.matches.models import Match, Question, Seat
from gamesvc.matches.record import loading
from gamesvc.matches.record.loading import Loaded
from notifications.returned import suppression

NOT_BEGUN = "The game has not begun; there is no board yet."


@dataclass(frozen=True, slots=True)
class Board:
    """A match at its newest version, or at a past one, seen by `viewer`."""

    access: Access
    loaded: Loaded
    viewer: Viewer
    past: bool = False

    @property
    def version(self) -> int:
        return self.loaded.viewer_version(self.viewer)

    @property
    def view(self) -> dict[str, Any] | None:
        """The position; None before the game has begun."""
        timeline = self.loaded.timeline
        return self.loaded.game.view(timeline.state, self.viewer) if timeline.started else None

    @property
    def caption(self) -> Caption:
        return Caption(str(self.access.match.number), seat_names(self.access.seats), self.past)

    @property
    def picture(self) -> str:
        """The board, or before the game has begun a sheet that says so."""
        view = self.view
        return not_begun(self.loaded.game, self.caption) if view is None else self.loaded.game.picture(view, self.caption)

    @property
    def text(self) -> str:
        return self.loaded.game.board_text(self.view, self.caption) if self.view is not None else ""

    @property
    def forms(self) -> Sequence[Form]:
        """What the viewer's seat may do now; nothing for observers and in a match that does not run."""
        if self.viewer is None or self.past or not self.loaded.started or self.loaded.ended:
            return ()
        return self.loaded.game.legal_commands(self.loaded.timeline.state, self.viewer)

    @property
    def questions(self) -> list[Question]:
        """The questions open now, the most urgent first; none in the past. Those of a what-if board have no deadline."""
        if self.past:
            return []
        if self.access.match.board:
            return undated(self.access.match, self.loaded)
        return list(self.access.match.questions.order_by("due_at", "seat"))


def not_begun(game: Game[Any], caption: Caption) -> str:
    """A sheet in the place of the board while there is none."""
    title = game.manifest.title
    chart = Chart(WIDTH, HEADER + 60, prefix=caption.match, title=f"{title} {caption.match}. {NOT_BEGUN}", desc=NOT_BEGUN)
    chart.header(title, caption.match, "Before the first turn")
    chart.closing(HEADER, NOT_BEGUN)
    return chart.svg()


def look(access: Access, as_seat: Viewer = None, version: int | None = None) -> Board:
    """The board for somebody; `as_seat` another's view, which opens when the match is over. Raises `Forbidden`.

    `version`: exactly as the viewer saw it then. Raises `Refused` for one that he knows nothing of yet.
    """
    loaded = loading.load(access.match.id, access.match.game)
    viewer = access.viewer
    if as_seat is not None and as_seat != viewer:
        if not loaded.ended and as_seat not in access.may_be:
            raise Forbidden("Another seat's view opens when the match is over.")
        if not 0 <= as_seat < access.match.seat_count:
            raise Forbidden(f"Seats are 0 to {access.match.seat_count - 1}.")
        viewer = as_seat
    if version is None:
        return Board(access, loaded, viewer)
    if not 1 <= version <= loaded.viewer_version(viewer):
        raise Refused("no_such_version", f"Versions are 1 to {loaded.viewer_version(viewer)}.", "version")
    then = loading.load_at(loaded.game, loaded.match_id, loading.as_seen(loaded, viewer, version))
    return Board(access, then, viewer, past=True)


def undated(match: Match, loaded: Loaded) -> list[Question]:
    """What is asked on a what-if board, without the deadlines that it does not have; these are no rows."""
    return [Question(match=match, seat=one.seat, question=one.id, prompt=one.prompt, kind=one.kind) for one in loaded.awaited()]


def origin_of(access: Access, loaded: Loaded) -> dict[str, Any] | None:
    """Where a fork comes from, as its first event says; the number of that match for those who may know of it."""
    return origins(access.user, [loaded.opened])[0]


def origins(user: User | None, opened: Sequence[Mapping[str, Any]]) -> list[dict[str, Any] | None]:
    """The same of many matches, each by what its first event says."""
    told = [one.get("origin") for one in opened]
    wanted = {origin["match"] for origin in told if origin is not None}
    known = access_many(user, Match.objects.filter(pk__in=wanted)) if wanted else []
    numbers = {str(access.match.pk): access.match.number for access in known}
    return [
        None
        if origin is None
        else {"match": origin["match"], "number": numbers.get(origin["match"])}
        | {name: origin[name] for name in ("version", "seat")}
        for origin in told
    ]


def unreachable_players(access: Access) -> set[int] | None:
    """The players (their ids) whom no mail reaches, for the organiser of a match that goes on; None for anybody else."""
    return suppression.unreachable(players(access)) if looks_after(access) else None


def looks_after(access: Access) -> bool:
    """Whether the reader is told which players no mail reaches."""
    return access.is_host and access.match.status in (Match.Status.OPEN, Match.Status.RUNNING)


def players(access: Access) -> list[User]:
    """Who holds the seats."""
    return [seat.user for seat in access.seats if seat.user is not None]


def away_players(access: Access) -> dict[int | None, datetime]:
    """Return the players (their ids) on vacation while the match goes on, and until when; none where names are hidden."""
    return dict(absences.away_now(may_be_away(access)).items())


def may_be_away(access: Access) -> list[int]:
    """The players whose vacations may be told while the match goes on; nobody where names are hidden."""
    if access.match.over or access.match.hides_names:
        return []
    return [seat.user_id for seat in access.seats if seat.user_id is not None]


def announced(access: Access) -> dict[int | None, absences.Span]:
    """The next vacations announced by the players (their ids), for those who sit in the match with them or run it."""
    return dict(absences.next_away(may_announce(access)).items())


def may_announce(access: Access) -> list[int]:
    """The players whose next vacation may be told.

    Only where vacations stop the clock; and not where names are hidden: days of absence tell people apart.
    """
    match = access.match
    if not match.clock.get("vacation") or not (access.seat is not None or access.is_host):
        return []
    return may_be_away(access)


def shown_clock(access: Access, seat: int, clock: Clock | None) -> Clock | None:
    """Return the clock of a seat as the reader may see it: without the nights and vacations of an anonymous player."""
    if clock is None or not access.match.hides_names or seat == access.viewer:
        return clock
    return replace(clock, excluded=())


def stands_until(clock: Clock | None, moment: datetime) -> datetime | None:
    """Until when a clock stands still that runs, but not at this moment (a night, a day off, a vacation); None while it counts.

    With fixed times nothing stands: they come whatever the hours are.
    """
    if clock is None or clock.due is None or clock.fixed is not None or not within(clock.excluded, moment):
        return None
    return next(span.end for span in clock.excluded if moment < span.end)


def question_json(question: Question) -> dict[str, Any]:
    return {
        "seat": question.seat,
        "id": question.question,
        "prompt": question.prompt,
        "kind": question.kind,
        "due_at": question.due_at.isoformat() if question.due_at is not None and not question.paused else None,
        "grace_from": question.grace_from.isoformat() if question.grace_from is not None else None,
    }


def caption_of(match: Match, names: tuple[str, ...]) -> Caption:
    return Caption(str(match.number), names)


def mark_seen(seat: Seat, version: int) -> None:
    """The player has looked at a version; later notices tell what came after it."""
    if version > seat.seen_version:
        Seat.objects.filter(pk=seat.pk, seen_version__lt=version).update(seen_version=version)
        seat.seen_version = version
