"""Columns that follow from the events: the values they must hold, and where rows differ.

`audit` reports the differences and `rebuild` mends them; both ask here. Every column is either derived, and then compared, or
declared as kept, with the reason. A test checks that all models are declared. Not here: the figures and ratings of `statistics`,
which has its own comparisons.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from events.audit import Finding
from events.store import StoredEvent
from gamesvc.json_types import JsonObject
from gamesvc.matches.clock.parsing import nominal_hours
from gamesvc.matches.events import (
    Ended,
    Joined,
    Left,
    Looked,
    MatchEvent,
    Opened,
    Paused,
    Resumed,
    Seated,
    Started,
    UndoAnswered,
    UndoAsked,
    Vacated,
    read_event,
)
from gamesvc.matches.models import Beginning, Holding, Look, Match, Question, Seat, UndoRequest
from gamesvc.matches.record import positions
from gamesvc.matches.record.loading import Loaded
from gamesvc.matches.record.rows.statements import clock_columns

DERIVED = ""
INPUT = "input of people, which no event holds"
PERSON = "personal data, erasable"
KEY = "names the row"
WRITTEN = "when the row was written"
WORK = "notes of workers; losing them repeats work"
CLOCK = ("asked_at", "due_at", "grace_from", "break_at", "break_for")


def _columns(derived: str, **kept: str) -> dict[str, str]:
    return {**dict.fromkeys(derived.split(), DERIVED), **kept}


# Model -> column -> reason why it is not derived, or `DERIVED`.
COLUMNS = {
    "Match": _columns(
        "game rules options seat_count hours clock entry watch watch_delay press undo anonymous reliability board"
        " status paused_at started_at ended_at version outcome",
        id=KEY,
        number="a sequence beside the id",
        creator=PERSON,
        creator_sat="no event tells who the creator is",
        created_at=WRITTEN,
        link_token="a secret",
        key_id="checked by opening the secret",
        sealed_secret="checked against the commitment of version 1",
    ),
    "Seat": _columns(
        "match index user bot holder contribution vacated_at",
        id=KEY,
        seen_version="what its player has looked at",
        press_seen_at="what its player has read",
        joined_at=WRITTEN,
        given_over=WORK,
    ),
    "Question": _columns(f"match seat question prompt kind bot {' '.join(CLOCK)}", id=KEY, claimed_until=WORK, look_at=WORK),
    "UndoRequest": _columns("match version seat to asked accepted until settled_at", id=KEY),
    "Look": _columns("id match seat version", user=PERSON, words=INPUT, at=WRITTEN),
    "Beginning": _columns("match origin version seat position salt"),
    "Holding": _columns(
        "holder match seat counts contested answers answer_seconds timeouts excused finished vacated place shared last_at",
        user=PERSON,
    ),
    "Reckoned": _columns("match version notes", fault=WORK),
    "Rated": _columns(
        "holder match seat place shared left pos ended_at mu_before sigma_before mu sigma",
        rating="a random id for the user",
    ),
    "Rating": _columns(
        "mu sigma low matches won last_at", id=KEY, game=KEY, pool=KEY, user=PERSON, bot="its name, which no event holds"
    ),
}
# Models without anything that follows from events.
KEPT: dict[str, str] = {
    "Answered": "answers kept for a day, for repeated requests",
    "DoneWord": WORK,
    "FeedCursor": WORK,
    "Follow": INPUT,
    "Heartbeat": "the service's own pulse",
    "HeldOrders": INPUT,
    "Invitation": INPUT,
    "MessageBan": INPUT,
    "Note": INPUT,
    "Outage": "the service's own pulse",
    "PauseWish": INPUT,
    "Premove": INPUT,
    "Press": INPUT,
    "Reason": INPUT,
    "Refusal": INPUT,
    "Report": INPUT,
    "ReportAct": INPUT,
}
# Columns of the match row that repeat fields of the first event, if it has them.
OPENED = ("game", "rules", "options", "clock", "entry", "watch", "press", "undo", "anonymous", "reliability")
# Tolerance for old rows, which did not yet take over the time of their event.
SLACK = timedelta(seconds=1)


@dataclass(slots=True)
class Request:
    """An undo request as its events describe it."""

    version: int
    seat: int
    to: int
    asked: list[int]
    until: datetime
    accepted: list[int] = field(default_factory=list)
    settled_at: datetime | None = None
    agreed: bool = False


@dataclass(slots=True)
class Told:
    """Facts in single events that rows repeat. `free`: since when a seat has no holder; `looks`: seat and version by look id."""

    status: Match.Status = Match.Status.OPEN
    paused_at: datetime | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    free: dict[int, datetime] = field(default_factory=dict)
    bots: set[int] = field(default_factory=set)
    substitutes: set[int] = field(default_factory=set)
    requests: dict[int, Request] = field(default_factory=dict)
    looks: dict[str, tuple[int, int]] = field(default_factory=dict)


def tell(events: Sequence[StoredEvent]) -> Told:
    """Fold the service's own events into the facts that rows repeat."""
    told = Told()
    for stored in events:
        if (event := read_event(stored)) is not None:
            _tell(told, event, stored.version, stored.occurred_at)
    return told


def _tell(told: Told, event: MatchEvent, version: int, moment: datetime) -> None:
    match event:
        case Started():
            told.status, told.started_at = Match.Status.RUNNING, moment
        case Ended():
            told.status, told.ended_at = Match.Status.after(event.reason), moment
        case Paused() | Resumed():
            told.paused_at = moment if isinstance(event, Paused) else None
        case Joined() | Seated():
            told.free.pop(event.seat, None)
            (told.bots.add if event.kind == "bot" else told.bots.discard)(event.seat)
            (told.substitutes.add if isinstance(event, Seated) else told.substitutes.discard)(event.seat)
        case Left():
            told.bots.discard(event.seat)
        case Vacated():
            told.bots.discard(event.seat)
            told.free[event.seat] = moment
        case Looked():
            told.looks[event.look_id] = (event.seat, event.version)
        case UndoAsked():
            until = datetime.fromisoformat(event.until)
            told.requests[version] = Request(version, event.seat, event.to, list(event.asked), until)
        case UndoAnswered() if (request := told.requests.get(event.request)) is not None:
            _tell_answer(request, event, moment)


def _tell_answer(request: Request, event: UndoAnswered, moment: datetime) -> None:
    """Add an answer to a request; the last one settles it instead."""
    accepted = event.answer == "accepted"
    request.agreed = accepted and len(request.accepted) + 1 == len(request.asked)
    if accepted and not request.agreed and event.seat is not None:
        request.accepted.append(event.seat)
    else:
        request.settled_at = moment


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of one match that follow from its events, read together."""

    match: Match
    seats: tuple[Seat, ...]
    questions: Mapping[tuple[int, str], Question]
    requests: Mapping[int, UndoRequest]
    looks: Mapping[str, Look]
    beginning: Beginning | None
    holders: Mapping[str, int | None]

    @classmethod
    def of(cls, match: Match) -> Rows:
        return cls(
            match,
            tuple(match.seats.order_by("index")),
            {(row.seat, row.question): row for row in match.questions.all()},
            {row.version: row for row in match.undo_requests.all()},
            {str(row.pk): row for row in match.looks.all()},
            Beginning.objects.filter(match=match).first(),
            {str(holder): user for holder, user in Holding.objects.filter(match=match).values_list("holder", "user_id")},
        )


def opened_columns(loaded: Loaded) -> JsonObject:
    """Return the columns that the match row takes from the first event. Older events have fewer of them."""
    opened = _opened(loaded)
    said = opened.as_json()
    columns = {name: said[name] for name in OPENED if name in said}
    if opened.clock is not None:
        columns |= {"hours": nominal_hours(opened.clock), "reliability": opened.reliability}
        columns |= {"watch_delay": opened.watch_delay or 0}
    return {**columns, "seat_count": opened.seats, "board": opened.board}


def _opened(loaded: Loaded) -> Opened:
    assert loaded.opened is not None, "a match begins with its opening"
    return loaded.opened


def differences(rows: Rows, loaded: Loaded, told: Told) -> Iterator[Finding]:
    """Yield the differences between the rows of a match and its events, folded into `loaded` and `told`."""
    yield from _match_row(rows, loaded, told)
    yield from _seats(rows, loaded, told)
    yield from question_differences(rows, loaded, told)
    yield from _requests(rows, told)
    yield from _looks(rows, told)
    if not _beginning_fits(rows, loaded):
        yield Finding("match_row", "The position kept for the start is not the one that version 1 names.", rows.match.id)


def _match_row(rows: Rows, loaded: Loaded, told: Told) -> Iterator[Finding]:
    match = rows.match
    outcome = loaded.game.outcome(loaded.timeline.state) if loaded.timeline.started and loaded.ended else None
    expected = opened_columns(loaded) | {
        "version": loaded.version,
        "status": told.status,
        "outcome": outcome.as_json() if outcome is not None else None,
    }
    for name, value in expected.items():
        kept = getattr(match, name)
        if kept != json.loads(json.dumps(value)):
            yield Finding("match_row", f"{name} of the match row is {kept}, by the events {value}.", match.id)
    for name in ("paused_at", "started_at", "ended_at"):
        if not _same_moment(getattr(match, name), getattr(told, name)):
            detail = f"{name} of the match row is {getattr(match, name)}, by the events {getattr(told, name)}."
            yield Finding("match_row", detail, match.id)


def _same_moment(kept: datetime | None, right: datetime | None) -> bool:
    if kept is None or right is None:
        return kept is right
    return abs(kept - right) <= SLACK


def seat_columns(index: int, loaded: Loaded, told: Told) -> JsonObject:
    """Return the columns of a seat that follow from the events. They do not name the bot or the exact time a seat fell free."""
    columns: JsonObject = {
        "holder": loaded.holders.get(index),
        "bot": index in told.bots,
        "vacated_at": index in told.free,
    }
    # The draws were fixed at the start: the first holder's contribution in a substitute's row no longer matters.
    if index not in told.substitutes:
        columns["contribution"] = loaded.contributions.get(index, "")
    return columns


def _seats(rows: Rows, loaded: Loaded, told: Told) -> Iterator[Finding]:
    match = rows.match
    if [seat.index for seat in rows.seats] != list(range(loaded.seats)):
        yield Finding("match_row", f"There are rows for the seats {[seat.index for seat in rows.seats]}.", match.id)
    for seat in rows.seats:
        kept: JsonObject = {
            "holder": str(seat.holder) if seat.holder is not None else None,
            "contribution": seat.contribution,
            "bot": bool(seat.bot),
            "vacated_at": seat.vacated_at is not None,
        }
        right = seat_columns(seat.index, loaded, told)
        if wrong := [name for name in right if kept[name] != right[name]]:
            said = ", ".join(f"{name} is {kept[name]}, by the events {right[name]}" for name in wrong)
            yield Finding("match_row", f"Seat {seat.index}: {said}.", match.id)
        elif kept["holder"] is not None and rows.holders.get(kept["holder"]) != seat.user_id:
            yield Finding("match_row", f"Seat {seat.index} is held by another user than the one who sat down.", match.id)


def question_differences(rows: Rows, loaded: Loaded, told: Told) -> Iterator[Finding]:
    """Yield the differences between the rows of open questions and the questions that are open by the events."""
    match = rows.match
    awaited = {(question.seat, question.id): question for question in loaded.awaited()}
    if match.board:  # the owner has no deadlines; only bots are asked
        awaited = {key: question for key, question in awaited.items() if key[0] in told.bots}
    if missing := sorted(awaited.keys() - rows.questions.keys()):
        yield Finding("questions", f"Open by the events, and no row with a deadline: {missing}.", match.id)
    if extra := sorted(rows.questions.keys() - awaited.keys()):
        yield Finding("questions", f"A row with a deadline, and by the events not open: {extra}.", match.id)
    for key in sorted(awaited.keys() & rows.questions.keys()):
        question, row = awaited[key], rows.questions[key]
        right = {"prompt": question.prompt, "kind": question.kind, "bot": key[0] in told.bots}
        if not match.board:
            right |= clock_columns(loaded.account.open.get(key))
        for name, value in right.items():
            if not _same_value(getattr(row, name), value):
                detail = f"{name} of question {key[1]} of seat {key[0]} is {getattr(row, name)}, by the events {value}."
                yield Finding("questions", detail, match.id)


def _same_value(kept: object, right: object) -> bool:
    if isinstance(right, datetime) and isinstance(kept, datetime):
        return _same_moment(kept, right)
    return bool(kept == right)


def request_columns(request: Request) -> dict[str, object]:
    """Return the columns of an undo request."""
    return {name: getattr(request, name) for name in ("seat", "to", "asked", "accepted", "until", "settled_at")}


def _requests(rows: Rows, told: Told) -> Iterator[Finding]:
    for version in sorted(told.requests.keys() | rows.requests.keys()):
        request, row = told.requests.get(version), rows.requests.get(version)
        if request is None:
            yield Finding("undo_requests", "A row, and no request for an undo.", rows.match.id, version)
        elif row is None:
            # If only bots were asked, the undo was made at once: there was nothing to wait for.
            if not request.agreed:
                yield Finding("undo_requests", "A request for an undo, and no row.", rows.match.id, version)
        else:
            right = request_columns(request)
            if request.settled_at is None and told.ended_at is not None:
                del right["settled_at"]  # its end settles it, a while later: no event comes after it
            wrong = [name for name, value in right.items() if not _same_value(getattr(row, name), value)]
            if wrong:
                yield Finding("undo_requests", f"Its row differs in {', '.join(wrong)}.", rows.match.id, version)


def _looks(rows: Rows, told: Told) -> Iterator[Finding]:
    kept = {look_id: (row.seat, row.version) for look_id, row in rows.looks.items()}
    if kept != told.looks:
        yield Finding("looks", "The rows of looks behind are not those that the events tell of.", rows.match.id)


def _beginning_fits(rows: Rows, loaded: Loaded) -> bool:
    opened, kept = _opened(loaded), rows.beginning
    if kept is None:
        # The row is read only once, at the start.
        return opened.position is None or loaded.started or loaded.ended
    origin = {"match": str(kept.origin_id), "version": kept.version, "seat": kept.seat} if kept.origin_id is not None else None
    if origin != opened.origin:
        return False
    return bool(positions.committed(kept.salt, json.loads(kept.position)) == opened.position)
