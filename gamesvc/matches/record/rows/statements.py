"""The rows that an append writes beside its events: the match, its questions with their clocks, tenures and notices."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from events.store import Statement
from gamesvc.games.kernel.game import Awaited
from gamesvc.json_types import JsonObject
from gamesvc.matches.clock.account import Account
from gamesvc.matches.clock.compute import Clock, breaks
from gamesvc.matches.events import Ended, Joined, MatchEvent, Paused, Resumed, Seated, Started, Vacated
from gamesvc.matches.models import Match, Seat
from notifications import outbox

_RENEWED = (
    ", asked_at = excluded.asked_at, due_at = excluded.due_at, grace_from = excluded.grace_from,"
    " break_at = excluded.break_at, break_for = excluded.break_for, bot = excluded.bot, claimed_until = NULL"
)


@dataclass(frozen=True, slots=True)
class Change:
    """One append: the service's own events in it, the seats after it, the questions and the clocks before and after it."""

    match: Match
    told: Sequence[MatchEvent]
    seats: Sequence[Seat]
    before: Mapping[tuple[int, str], Awaited]
    asked: Mapping[tuple[int, str], Awaited]
    were: Account
    clocks: Account
    now: datetime

    def has(self, kind: type[MatchEvent]) -> bool:
        """Return True if an event of this type is part of it."""
        return any(isinstance(event, kind) for event in self.told)


def rows(change: Change, version: int) -> list[Statement]:
    """Return the statements, first the match's own row. Each does nothing unless the events were appended."""
    return [_match_row(change, version), *question_rows(change), *_notices(change), *_holding_rows(change)]


def _match_row(change: Change, version: int) -> Statement:
    """Return the update of the match row."""
    sets: list[str] = ["version = %s::int"]
    params: list[object] = [version]
    for event in change.told:
        match event:
            case Started():
                sets += ["status = 'running'", "started_at = %s::timestamptz"]
                params.append(change.now)
            case Paused():
                sets.append("paused_at = %s::timestamptz")
                params.append(change.now)
            case Resumed():
                sets.append("paused_at = NULL")
            case Ended():
                sets += ["status = %s::text", "ended_at = %s::timestamptz", "outcome = %s::jsonb"]
                params += [Match.Status.after(event.reason).value, change.now, json.dumps(event.outcome)]
    sql = f"UPDATE matches_match SET {', '.join(sets)} WHERE id = %s::uuid AND EXISTS (SELECT FROM appended)"  # noqa: S608
    return Statement(sql, [*params, change.match.id])


def _holding_rows(change: Change) -> Iterator[Statement]:
    """Yield the rows of new seat tenures, for the statistics. The events know only a random id, and seats change hands."""
    holders = [event.holder for event in change.told if isinstance(event, Joined | Seated)]
    if holders:
        yield Statement(
            "INSERT INTO matches_holding (holder, match_id, seat, user_id) SELECT holder, match_id, index, user_id"
            " FROM matches_seat WHERE match_id = %s::uuid AND holder = ANY(%s::uuid[]) AND user_id IS NOT NULL"
            " AND EXISTS (SELECT FROM appended) ON CONFLICT DO NOTHING",
            [change.match.id, holders],
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


def question_rows(change: Change) -> Iterator[Statement]:
    """Yield statements that close answered questions, open new ones with deadlines, and update the clocks of the others."""
    if gone := [key for key in change.before if key not in change.asked]:
        yield Statement(
            "DELETE FROM matches_question q USING unnest(%s::int[], %s::text[]) AS gone(seat, question)"
            " WHERE q.match_id = %s::uuid AND q.seat = gone.seat AND q.question = gone.question"
            " AND EXISTS (SELECT FROM appended)",
            [[seat for seat, _ in gone], [question for _, question in gone], change.match.id],
        )
    moved = _moved(change)
    changed = [one for key, one in change.asked.items() if key in moved or _asked_otherwise(change.before.get(key), one)]
    if changed:
        yield _asked_rows(change, changed, renewed=bool(moved))


def _moved(change: Change) -> set[tuple[int, str]]:
    """Return the questions that stay open with another clock or another holder."""
    reseated = {event.seat for event in change.told if isinstance(event, Seated | Vacated)}
    were, clocks = change.were.open, change.clocks.open
    stay = change.asked.keys() & change.before.keys()
    return {key for key in stay if key[0] in reseated or _runs_otherwise(were.get(key), clocks.get(key))}


def _asked_otherwise(before: Awaited | None, now: Awaited) -> bool:
    return before is None or before.prompt != now.prompt


def _asked_rows(change: Change, asked: Sequence[Awaited], *, renewed: bool) -> Statement:
    """Return the statement that opens these questions or, where they are open, writes their prompts and clocks again."""
    bots = {seat.index for seat in change.seats if seat.bot}
    columns = [clock_columns(change.clocks.open.get((one.seat, one.id))) for one in asked]
    return Statement(
        "INSERT INTO matches_question AS q (id, match_id, seat, question, prompt, kind, bot, asked_at, due_at, grace_from,"  # noqa: S608
        " break_at, break_for)"
        " SELECT gen_random_uuid(), %s::uuid, seat, question, prompt, kind, bot, asked_at, due_at, grace_from,"
        " break_at::float8[], break_for::float8[] FROM unnest("
        "%s::int[], %s::text[], %s::text[], %s::text[], %s::bool[], %s::timestamptz[], %s::timestamptz[], %s::timestamptz[],"
        " %s::text[], %s::text[])"
        " AS asked(seat, question, prompt, kind, bot, asked_at, due_at, grace_from, break_at, break_for)"
        " WHERE EXISTS (SELECT FROM appended)"
        " ON CONFLICT (match_id, seat, question) DO UPDATE SET prompt = excluded.prompt, kind = excluded.kind"
        f"{_RENEWED if renewed else ''}",
        [
            change.match.id,
            [one.seat for one in asked],
            [one.id for one in asked],
            [one.prompt for one in asked],
            [one.kind for one in asked],
            [one.seat in bots for one in asked],
            [row.get("asked_at", change.now) for row in columns],
            [row["due_at"] for row in columns],
            [row["grace_from"] for row in columns],
            [_array(row["break_at"]) for row in columns],
            [_array(row["break_for"]) for row in columns],
        ],
    )


def _notices(change: Change) -> Iterator[Statement]:
    """Yield the notices: start and end to all players, each new question to its seat."""
    users = {seat.index: seat.user_id for seat in change.seats if seat.user_id is not None}
    notices = []
    for event in change.told:
        if isinstance(event, Started | Ended):
            kind = "match_started" if isinstance(event, Started) else "match_ended"
            notices += [_notice(change, kind, index, user, {}) for index, user in users.items()]
    for key, one in change.asked.items():
        if key not in change.before and one.seat in users:
            notices.append(_notice(change, "your_turn", one.seat, users[one.seat], {"question": one.id}))
    # With two seats everyone always waits for the other one, so that is no news.
    if len(change.seats) > 2 and len({seat for seat, _ in change.before}) > 1 and len({seat for seat, _ in change.asked}) == 1:
        [(index, question), *_more] = change.asked
        if (index, question) in change.before and index in users:
            notices.append(_notice(change, "last_one", index, users[index], {"question": question}))
    if notices:
        sql, params = outbox.insert_sql(notices)
        yield Statement(sql, params)


def _notice(change: Change, kind: str, seat: int, user: int, more: JsonObject) -> outbox.Notice:
    match = str(change.match.id)
    return outbox.Notice(kind=kind, user_id=user, topic=match, payload={"match": match, "seat": seat, **more})
