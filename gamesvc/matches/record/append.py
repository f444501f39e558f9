"""Appending to a match: events, read models, questions with their deadlines and notices, in one statement.

Every change of a match passes through `record`. Either all of it is in the database or nothing.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from events.canonical import write_time
from events.store import NewEvent, Statement, StoredEvent
from gamesvc.games.kernel.game import Awaited, Event
from gamesvc.matches import hints
from gamesvc.matches.clock import fold
from gamesvc.matches.clock.account import Account, Step
from gamesvc.matches.clock.compute import Clock, breaks
from gamesvc.matches.events import (
    Ended,
    Joined,
    MatchEvent,
    Paused,
    Resumed,
    Seated,
    Started,
    Vacated,
    read_events,
)
from gamesvc.matches.models import Match, Seat
from gamesvc.matches.record import conditions, surroundings
from gamesvc.matches.record.loading import Loaded, remember, save_snapshot, sit
from gamesvc.matches.record.stream import STORE
from notifications import outbox

RENEWED = (
    ", asked_at = excluded.asked_at, due_at = excluded.due_at, grace_from = excluded.grace_from,"
    " break_at = excluded.break_at, break_for = excluded.break_for, bot = excluded.bot, claimed_until = NULL"
)


@dataclass(frozen=True, slots=True)
class Actor:
    """The actor named in an event: a seat, a bot, the clock, the host of the match, or the system."""

    kind: str
    seat: int | None = None

    def as_json(self) -> dict[str, Any]:
        return {"kind": self.kind} if self.seat is None else {"kind": self.kind, "seat": self.seat}


# The channel of commands given by a conditional order.
STANDING = "standing"


@dataclass(frozen=True, slots=True)
class Act:
    """One accepted act, with the metadata that its events carry."""

    actor: Actor
    channel: str
    command_id: uuid.UUID
    received_at: datetime
    command: dict[str, Any] | None = None

    @property
    def automatic(self) -> bool:
        """Return True if a conditional order gave the command."""
        return self.channel == STANDING


def new_events(loaded: Loaded, events: Sequence[Event], act: Act, now: datetime) -> list[NewEvent]:
    """Return the events as they will be stored. The first event of a command carries the command."""
    stored = []
    for at, event in enumerate(events):
        meta: dict[str, Any] = {"actor": act.actor.as_json(), "rules": loaded.game.manifest.rules}
        if event.draws:
            meta["draws"] = list(event.draws)
        if act.automatic:
            meta["automatic"] = True
        if at == 0:
            meta |= {
                "command_id": str(act.command_id),
                "channel": act.channel,
                "received_at": write_time(act.received_at),
            }
            if act.command is not None:
                meta["command"] = act.command
        stored.append(NewEvent(loaded.game.full_type(event.type), event.type_version, dict(event.data), meta, now))
    return stored


def record(
    match: Match,
    loaded: Loaded,
    events: Sequence[Event],
    act: Act,
    *,
    seats: Sequence[Seat],
    run: Any = None,
    more: Sequence[Statement] = (),
) -> tuple[StoredEvent, ...]:
    """Append events decided on `loaded`, with everything that follows from them.

    `run`: the engine's run that produced the events, if any; it saves folding them again. `more`: the caller's own rows, written
    with the append or not at all. `seats`: the seats after the append; they are read again if one has changed hands since.

    Raises `VersionConflict` or `DuplicateCommand`.
    """
    told = read_events(events)
    seats = seats_held(match, loaded, seats, told)
    after = loaded.copy()
    before = {(one.seat, one.id): one for one in loaded.awaited()}
    if run is not None:
        after.timeline.follow(run)
        rest = events[len(run.events) :]
    else:
        rest = events
    after.timeline.fold(rest)
    ended = any(isinstance(event, Ended) for event in told)
    started = loaded.started or any(isinstance(event, Started) for event in told)
    open_now = loaded.game.awaited(after.timeline.state) if started and not ended else ()
    bots = {seat.index for seat in seats if seat.bot}
    # On an analysis board people have no deadlines. Its bots are asked as everywhere.
    asked = {(one.seat, one.id): one for one in open_now if not match.board or one.seat in bots}

    # Clocks use the moment that the events will carry. Within a match it never goes back.
    now = max(timezone.now(), loaded.head.occurred_at or act.received_at)
    events = [*events, *_follow(after, loaded, told, act, open_now, seats, now)]
    also = [
        _match_row(match, after.timeline.version, told, now),
        *_question_rows(match, before, asked, seats, now, loaded.account, after.account, told),
        *_notices(match, before, asked, told, seats, now),
        *_holding_rows(match, told),
        *conditions.wait_again(match, events),
        *more,
    ]
    new = new_events(loaded, events, act, now)
    stored = STORE.append(match.id, new, expected=loaded.head, command_id=act.command_id, also=also)
    after.note(stored, events)
    transaction.on_commit(lambda: _keep(after), robust=True)
    # A bot that acts is continued anyway (`play.bots`); a hint for each of its turns would fill the queue.
    if act.actor.kind != "bot" and any(one.seat in bots for one in open_now):
        transaction.on_commit(lambda: hints.bots(match.id), robust=True)
    if ended:
        transaction.on_commit(lambda: hints.ended(match.id), robust=True)
    if act.command is not None:
        # After every command, even if there are no conditional orders: the time of the answer must not reveal any.
        transaction.on_commit(hints.conditional_orders, robust=True)
    if len(also) > 1:
        transaction.on_commit(hints.notices, robust=True)
    return stored


def seats_held(
    match: Match, loaded: Loaded, seats: Sequence[Seat] | None = None, told: Sequence[MatchEvent] = ()
) -> Sequence[Seat]:
    """Return the seats as the match has them after these events: the given ones, unless one has changed hands since.

    A request reads the seats before the match and may be late: it would not ask the bot or substitute that sits there now. A
    seat's row and its event are written in one transaction, so rows read after the match are never older than the match. If they
    are newer, the append of these events loses.
    """
    if seats is not None:
        holders = loaded.holders
        if told:
            holders = dict(holders)
            for event in told:
                sit(holders, event)
        if {seat.index: str(seat.holder) for seat in seats if seat.holder is not None} == holders:
            return seats
    return list(Seat.objects.filter(match=match).order_by("index"))


def _follow(
    after: Loaded,
    loaded: Loaded,
    told: Sequence[MatchEvent],
    act: Act,
    open_now: Sequence[Awaited],
    seats: Sequence[Seat],
    now: datetime,
) -> Sequence[Event]:
    """Advance the clocks. Return the further events that record how deadlines were computed."""
    step = Step(told, act.actor.kind, act.actor.seat, act.received_at, now, act.automatic)
    around = surroundings.around(after.account.policy, seats)
    changed = fold.follow(after.account, step, open_now, surroundings=around, recall=loaded.account_at)
    found = surroundings.told(after.account, changed, seats, told)
    more = [event.event(version) for version, event in enumerate(found, after.timeline.version + 1)]
    if more:
        after.timeline.fold(more)
    return more


def _keep(after: Loaded) -> None:
    save_snapshot(after)
    remember(after)


def _match_row(match: Match, version: int, told: Sequence[MatchEvent], now: datetime) -> Statement:
    """Return the update of the match row. The head's hash is the hash of the appended row."""
    sets: list[str] = ["version = %s::int"]
    params: list[object] = [version]
    for event in told:
        match event:
            case Started():
                sets += ["status = 'running'", "started_at = %s::timestamptz"]
                params.append(now)
            case Paused():
                sets.append("paused_at = %s::timestamptz")
                params.append(now)
            case Resumed():
                sets.append("paused_at = NULL")
            case Ended():
                sets += ["status = %s::text", "ended_at = %s::timestamptz", "outcome = %s::jsonb"]
                params += [Match.Status.after(event.reason).value, now, json.dumps(event.outcome)]
    sql = f"UPDATE matches_match SET {', '.join(sets)} WHERE id = %s::uuid AND EXISTS (SELECT FROM appended)"  # noqa: S608
    return Statement(sql, [*params, match.id])


def _holding_rows(match: Match, told: Sequence[MatchEvent]) -> Iterable[Statement]:
    """Yield the rows of new seat tenures, for the statistics. The events know only a random id, and seats change hands."""
    holders = [event.holder for event in told if isinstance(event, Joined | Seated)]
    if holders:
        yield Statement(
            "INSERT INTO matches_holding (holder, match_id, seat, user_id) SELECT holder, match_id, index, user_id"
            " FROM matches_seat WHERE match_id = %s::uuid AND holder = ANY(%s::uuid[]) AND user_id IS NOT NULL"
            " AND EXISTS (SELECT FROM appended) ON CONFLICT DO NOTHING",
            [match.id, holders],
        )


def clock_columns(clock: Clock | None) -> dict[str, Any]:
    """Return the clock columns of an open question. `asked_at` is missing if there is no clock."""
    if clock is None:
        return {"due_at": None, "grace_from": None, "break_at": [], "break_for": []}
    spans = breaks(clock)
    return {
        "asked_at": clock.since,
        "due_at": clock.due,
        "grace_from": clock.grace_from,
        "break_at": [at for at, _ in spans],
        "break_for": [length for _, length in spans],
    }


def _runs_otherwise(was: Clock | None, now: Clock | None) -> bool:
    return was is not now and clock_columns(was) != clock_columns(now)


def _array(numbers: Iterable[float]) -> str:
    """Return numbers in PostgreSQL's array syntax: `unnest` does not take arrays of different lengths."""
    return f"{{{','.join(map(str, numbers))}}}"


def _question_rows(
    match: Match,
    before: dict[tuple[int, str], Awaited],
    asked: dict[tuple[int, str], Awaited],
    seats: Sequence[Seat],
    now: datetime,
    were: Account,
    clocks: Account,
    told: Sequence[MatchEvent],
) -> Iterable[Statement]:
    """Yield statements that close answered questions, open new ones with deadlines, and update the clocks of the others."""
    gone = [key for key in before if key not in asked]
    if gone:
        yield Statement(
            "DELETE FROM matches_question q USING unnest(%s::int[], %s::text[]) AS gone(seat, question)"
            " WHERE q.match_id = %s::uuid AND q.seat = gone.seat AND q.question = gone.question"
            " AND EXISTS (SELECT FROM appended)",
            [[seat for seat, _ in gone], [question for _, question in gone], match.id],
        )
    bots = {seat.index for seat in seats if seat.bot}
    reseated = {event.seat for event in told if isinstance(event, Seated | Vacated)}
    moved = {
        key
        for key in asked
        if key in before and (key[0] in reseated or _runs_otherwise(were.open.get(key), clocks.open.get(key)))
    }
    changed = [one for key, one in asked.items() if key not in before or before[key].prompt != one.prompt or key in moved]
    if changed:
        columns = [clock_columns(clocks.open.get((one.seat, one.id))) for one in changed]
        renewed = RENEWED if moved else ""
        yield Statement(
            "INSERT INTO matches_question AS q (id, match_id, seat, question, prompt, kind, bot, asked_at, due_at, grace_from,"  # noqa: S608
            " break_at, break_for)"
            " SELECT gen_random_uuid(), %s::uuid, seat, question, prompt, kind, bot, asked_at, due_at, grace_from,"
            " break_at::float8[], break_for::float8[] FROM unnest("
            "%s::int[], %s::text[], %s::text[], %s::text[], %s::bool[], %s::timestamptz[], %s::timestamptz[], %s::timestamptz[],"
            " %s::text[], %s::text[])"
            " AS asked(seat, question, prompt, kind, bot, asked_at, due_at, grace_from, break_at, break_for)"
            " WHERE EXISTS (SELECT FROM appended)"
            f" ON CONFLICT (match_id, seat, question) DO UPDATE SET prompt = excluded.prompt, kind = excluded.kind{renewed}",
            [
                match.id,
                [one.seat for one in changed],
                [one.id for one in changed],
                [one.prompt for one in changed],
                [one.kind for one in changed],
                [one.seat in bots for one in changed],
                [row.get("asked_at", now) for row in columns],
                [row["due_at"] for row in columns],
                [row["grace_from"] for row in columns],
                [_array(row["break_at"]) for row in columns],
                [_array(row["break_for"]) for row in columns],
            ],
        )


def _notices(
    match: Match,
    before: dict[tuple[int, str], Awaited],
    asked: dict[tuple[int, str], Awaited],
    told: Sequence[MatchEvent],
    seats: Sequence[Seat],
    now: datetime,
) -> Iterable[Statement]:
    """Yield the notices: start and end to all players, each new question to its seat."""
    users = {seat.index: seat.user_id for seat in seats if seat.user_id is not None}
    rows = []
    for event in told:
        if isinstance(event, Started | Ended):
            kind = "match_started" if isinstance(event, Started) else "match_ended"
            rows += [_notice(kind, match, index, user, {}, now) for index, user in users.items()]
    for key, one in asked.items():
        if key not in before and one.seat in users:
            rows.append(_notice("your_turn", match, one.seat, users[one.seat], {"question": one.id}, now))
    # With two seats everyone always waits for the other one, so that is no news.
    if len(seats) > 2 and len({seat for seat, _ in before}) > 1 and len({seat for seat, _ in asked}) == 1:
        [(index, question), *_more] = asked
        if (index, question) in before and index in users:
            rows.append(_notice("last_one", match, index, users[index], {"question": question}, now))
    if rows:
        sql, params = outbox.insert_sql(rows)
        yield Statement(sql, params)


def _notice(kind: str, match: Match, seat: int, user: int, more: dict[str, Any], now: datetime) -> outbox.Notice:
    return outbox.Notice(
        kind=kind, user_id=user, topic=str(match.id), payload={"match": str(match.id), "seat": seat, **more}, due_at=now
    )
