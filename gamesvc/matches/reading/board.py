"""The position of a match as one viewer sees it, in the forms used by pages, API and mails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from accounts import absences
from accounts.models import User
from events.store import Statement
from gamesvc.database.asking import ask, unhurried
from gamesvc.games.acts import merged
from gamesvc.games.drawing.chart import HEADER, WIDTH, Chart
from gamesvc.games.kernel.game import Caption, Form, Game, Refused, Viewer
from gamesvc.games.kernel.targets import form_as_json
from gamesvc.json_types import JsonObject
from gamesvc.language import say
from gamesvc.matches.access.selectors import Access, access_many, seat_names
from gamesvc.matches.clock.compute import Clock, within
from gamesvc.matches.errors import Forbidden
from gamesvc.matches.events import Opened
from gamesvc.matches.models import Match, Question, Seat
from gamesvc.matches.record import loading, sight
from gamesvc.matches.record.loading import Loaded
from notifications.returned import suppression

_SEEN = "UPDATE matches_seat SET seen_version = %s::int WHERE id = %s::bigint AND holder = %s::uuid AND seen_version < %s::int"
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
    def view(self) -> JsonObject | None:
        """Return the viewer's view; None before the game has begun."""
        timeline = self.loaded.timeline
        return self.loaded.game.view(timeline.state, self.viewer) if timeline.started else None

    @property
    def caption(self) -> Caption:
        return Caption(str(self.access.match.number), seat_names(self.access.seats), self.past)

    @property
    def picture(self) -> str:
        """Return the board as SVG; before the game has begun, a placeholder."""
        view = self.view
        return not_begun(self.loaded.game, self.caption) if view is None else self.loaded.game.picture(view, self.caption)

    @property
    def text(self) -> str:
        return self.loaded.game.board_text(self.view, self.caption) if self.view is not None else ""

    @property
    def forms(self) -> Sequence[Form]:
        """Return the acts open to the viewer's seat; none for observers and in a match that is not running."""
        return merged(self.loaded.game, self.narrow_forms)

    @property
    def narrow_forms(self) -> Sequence[Form]:
        """Return the same as the engine knows it: a form for each origin, card or way of paying."""
        if self.viewer is None or self.past or not self.loaded.started or self.loaded.ended:
            return ()
        return self.loaded.game.legal_commands(self.loaded.timeline.state, self.viewer)

    @property
    def forms_as_json(self) -> list[JsonObject]:
        return self.as_json(self.forms)

    def as_json(self, forms: Sequence[Form]) -> list[JsonObject]:
        """Return forms as programs get them, with the targets in the picture that their values stand for."""
        game, view = self.loaded.game, self.view
        return [form_as_json(game, form, view) for form in forms] if view is not None else []

    @property
    def questions(self) -> list[Question]:
        """Return the open questions, the most urgent first; none in the past.

        They have no deadline on an analysis board, and for spectators who see the match late.
        """
        if self.past:
            return []
        if has_no_deadlines(self.access):
            return undated(self.access.match, self.loaded)
        return list(self.access.match.questions.order_by("due_at", "seat"))


def not_begun(game: Game, caption: Caption) -> str:
    """Return an SVG placeholder for the board before the game has begun."""
    title = game.manifest.title
    chart = Chart(WIDTH, HEADER + 60, prefix=caption.match, title=f"{title} {caption.match}. {NOT_BEGUN}", desc=NOT_BEGUN)
    chart.header(title, caption.match, "Before the first turn")
    chart.closing(HEADER, NOT_BEGUN)
    return chart.svg()


def look(access: Access, as_seat: Viewer = None, version: int | None = None) -> Board:
    """Return the board for a viewer; with `as_seat`, another seat's view, open after the end. Raises `Forbidden`.

    `version`: exactly as the viewer saw it then. Raises `Refused` for a version they do not know yet.
    """
    loaded = access.load()
    viewer = access.viewer
    if as_seat is not None and as_seat != viewer:
        if not loaded.ended and as_seat not in access.may_be:
            raise Forbidden(say("Another seat's view opens when the match is over."))
        if not 0 <= as_seat < access.match.seat_count:
            raise Forbidden(say("Seats are 0 to {last}.", last=access.match.seat_count - 1))
        viewer = as_seat
    if version is None:
        return Board(access, loaded, viewer)
    if not 1 <= version <= loaded.viewer_version(viewer):
        raise Refused(
            "no_such_version", say("Versions are 1 to {viewer_version}.", viewer_version=loaded.viewer_version(viewer)), "version"
        )
    then = loading.load_at(loaded.game, loaded.match_id, sight.as_seen(loaded, viewer, version))
    return Board(access, then, viewer, past=True)


def has_no_deadlines(access: Access) -> bool:
    """Return True if no row holds the questions that the reader sees: on analysis boards, and in a match they see late."""
    return access.match.board or access.is_delayed


def undated(match: Match, loaded: Loaded) -> list[Question]:
    """Return the questions of a position, without deadlines."""
    since = match.started_at or match.created_at
    return [
        Question(match=match, seat=one.seat, question=one.id, prompt=one.prompt, kind=one.kind, asked_at=since)
        for one in loaded.awaited()
    ]


def origin_of(access: Access, loaded: Loaded) -> JsonObject | None:
    """Return the origin of a fork, as in its first event; the number of that match only if the reader may know it."""
    return origins(access.user, [loaded.opened])[0]


def origins(user: User | None, opened: Sequence[Opened | None]) -> list[JsonObject | None]:
    """Return the origins of many matches, each from the data of its first event."""
    told = [one.origin if one is not None else None for one in opened]
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
    """Return the ids of players no mail reaches, for the organiser of an unfinished match; None for other readers."""
    return suppression.unreachable(players(access)) if looks_after(access) else None


def unconfirmed_players(access: Access) -> set[int]:
    """Return the ids of those players no mail reaches because their address is not confirmed; none for other readers."""
    return suppression.unconfirmed(players(access)) if looks_after(access) else set()


def looks_after(access: Access) -> bool:
    """Return True if the reader may know which players no mail reaches."""
    return access.is_host and access.match.status in Match.UNFINISHED


def players(access: Access) -> list[User]:
    """Return the players on the seats."""
    return [seat.user for seat in access.seats if seat.user is not None]


def away_players(access: Access) -> dict[int | None, datetime]:
    """Return the players on vacation, by id, with its end; none if names are hidden or the match is over."""
    return dict(absences.away_now(may_be_away(access)).items())


def may_be_away(access: Access) -> list[int]:
    """Return the ids of players whose vacations may be shown; none if names are hidden or the match is over."""
    if access.match.over or access.match.hides_names:
        return []
    return [seat.user_id for seat in access.seats if seat.user_id is not None]


def announced(access: Access) -> dict[int | None, absences.Span]:
    """Return the next announced vacation of each player, by id, for the match's players and organiser."""
    return dict(absences.next_away(may_announce(access)).items())


def may_announce(access: Access) -> list[int]:
    """Return the ids of players whose next vacation may be shown.

    Only if vacations stop the clock, and never if names are hidden: days of absence identify people.
    """
    match = access.match
    if not match.clock.get("vacation") or not (access.seat is not None or access.is_host):
        return []
    return may_be_away(access)


def stands_until(clock: Clock | None, moment: datetime) -> datetime | None:
    """Return the end of the break (a night, a day off, a vacation) that stops a clock at this moment; None while it counts.

    Fixed times have no breaks: they come whatever the hours are.
    """
    if clock is None or clock.due is None or clock.fixed is not None or not within(clock.excluded, moment):
        return None
    return next(span.end for span in clock.excluded if moment < span.end)


def question_json(question: Question) -> JsonObject:
    return {
        "seat": question.seat,
        "id": question.question,
        "prompt": question.prompt,
        "kind": question.kind,
        "due_at": question.due_at.isoformat() if question.due_at is not None else None,
        "grace_from": question.grace_from.isoformat() if question.grace_from is not None else None,
    }


def caption_of(match: Match, names: tuple[str, ...]) -> Caption:
    return Caption(str(match.number), names)


def mark_seen(seat: Seat, version: int) -> None:
    """Record that the present holder of a seat has seen a version. Later notices tell what came after it.

    If that is lost with the database's last moments, they tell some of it twice.
    """
    if version > seat.seen_version:
        ask(f"{_SEEN} AND {unhurried()}", [version, seat.pk, seat.holder, version])
        seat.seen_version = version


def seen_rows(seat: Seat, version: int) -> list[Statement]:
    """Return what `mark_seen` does as a statement that goes with an append; none if it does nothing."""
    if version <= seat.seen_version:
        return []
    return [Statement(f"{_SEEN} AND EXISTS (SELECT FROM appended)", [version, seat.pk, seat.holder, version])]
