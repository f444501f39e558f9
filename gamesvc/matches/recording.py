"""Writing a match: events, read models, questions with their deadlines and notices, in one statement.

Every change of a match passes through `record`. Either all of it is in the database or nothing.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from events.store import NewEvent, Statement, StoredEvent
from gamesvc.games.kernel import Awaited, Event
from gamesvc.matches import hints
from gamesvc.matches.loading import STORE, Loaded, remember, save_snapshot
from gamesvc.matches.models import Match, Seat
from notifications import outbox


@dataclass(frozen=True, slots=True)
class Actor:
    """Who did it, as the event says: a seat, a bot, the clock, the host of the match, or the system."""

    kind: str
    seat: int | None = None

    def as_json(self) -> dict[str, Any]:
        return {"kind": self.kind} if self.seat is None else {"kind": self.kind, "seat": self.seat}


@dataclass(frozen=True, slots=True)
class Act:
    """One accepted act with everything its events carry beside their data."""

    actor: Actor
    channel: str
    command_id: uuid.UUID
    received_at: datetime
    command: dict[str, Any] | None = None


def utc_text(moment: datetime) -> str:
    """A moment as events carry it: UTC, with microseconds and a Z."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def new_events(loaded: Loaded, events: Sequence[Event], act: Act) -> list[NewEvent]:
    """The events as they will be stored; the first of a command carries the command."""
    now = timezone.now()
    stored = []
    for at, event in enumerate(events):
        meta: dict[str, Any] = {"actor": act.actor.as_json(), "rules": loaded.game.manifest.rules}
        if event.draws:
            meta["draws"] = list(event.draws)
        if at == 0:
            meta |= {
                "command_id": str(act.command_id),
                "channel": act.channel,
                "received_at": utc_text(act.received_at),
            }
            if act.command is not None:
                meta["command"] = act.command
        stored.append(NewEvent(loaded.game.full_type(event.type), event.type_version, dict(event.data), meta, now))
    return stored


def record(
    match: Match, loaded: Loaded, events: Sequence[Event], act: Act, *, seats: Sequence[Seat], run: Any = None
) -> tuple[StoredEvent, ...]:
    """Append events decided on `loaded` and everything that follows from them. Raises `VersionConflict` or `DuplicateCommand`.

    `run`: the engine's run these events come from, if any, so that they need not be folded again.
    """
    after = loaded.copy()
    before = {(one.seat, one.id): one for one in loaded.awaited()}
    if run is not None:
        after.timeline.follow(run)
        rest = events[len(run.events) :]
    else:
        rest = events
    after.timeline.fold(rest)
    ended = any(event.type == "match.ended" for event in events)
    started = loaded.started or any(event.type == "match.started" for event in events)
    open_now = loaded.game.awaited(after.timeline.state) if started and not ended else ()
    asked = {(one.seat, one.id): one for one in open_now}

    now = timezone.now()
    also = [
        _match_row(match, loaded.version + len(events), events, now),
        *_question_rows(match, before, asked, seats, now),
        *_notices(match, before, asked, events, seats, now),
    ]
    stored = STORE.append(match.id, new_events(loaded, events, act), expected=loaded.head, command_id=act.command_id, also=also)
    after.note(stored, events)
    transaction.on_commit(lambda: _keep(after))
    bots = {seat.index for seat in seats if seat.bot}
    if any(one.seat in bots for one in open_now):
        transaction.on_commit(lambda: hints.bots(match.id))
    if ended:
        transaction.on_commit(lambda: hints.ended(match.id))
    if len(also) > 1:
        transaction.on_commit(hints.notices)
    return stored


def _keep(after: Loaded) -> None:
    save_snapshot(after)
    remember(after)


def _match_row(match: Match, version: int, events: Sequence[Event], now: datetime) -> Statement:
    """The match row after the append. The head's hash is the appended row's own."""
    sets, params = ["version = %s::int"], [version]
    for event in events:
        if event.type == "match.started":
            sets += ["status = 'running'", "started_at = %s::timestamptz"]
            params += [now]  # type: ignore[list-item]
        elif event.type == "match.ended":
            status = {"cancelled": "cancelled", "lapsed": "lapsed"}.get(event.data["reason"], "finished")
            sets += ["status = %s::text", "ended_at = %s::timestamptz", "outcome = %s::jsonb"]
            params += [status, now, json.dumps(event.data["outcome"])]  # type: ignore[list-item]
    sql = f"UPDATE matches_match SET {', '.join(sets)} WHERE id = %s::uuid AND EXISTS (SELECT FROM appended)"  # noqa: S608
    return Statement(sql, [*params, match.id])


def _question_rows(
    match: Match,
    before: dict[tuple[int, str], Awaited],
    asked: dict[tuple[int, str], Awaited],
    seats: Sequence[Seat],
    now: datetime,
) -> Iterable[Statement]:
    """Close the questions that are answered, open the new ones with their deadlines, keep the clocks of the others."""
    gone = [key for key in before if key not in asked]
    if gone:
        yield Statement(
            "DELETE FROM matches_question q USING unnest(%s::int[], %s::text[]) AS gone(seat, question)"
            " WHERE q.match_id = %s::uuid AND q.seat = gone.seat AND q.question = gone.question"
            " AND EXISTS (SELECT FROM appended)",
            [[seat for seat, _ in gone], [question for _, question in gone], match.id],
        )
    bots = {seat.index for seat in seats if seat.bot}
    changed = [one for key, one in asked.items() if key not in before or before[key].prompt != one.prompt]
    if changed:
        due = now + timedelta(seconds=match.hours * settings.SECONDS_PER_HOUR)
        yield Statement(
            "INSERT INTO matches_question (id, match_id, seat, question, prompt, kind, bot, asked_at, due_at)"
            " SELECT gen_random_uuid(), %s::uuid, seat, question, prompt, kind, bot, %s::timestamptz, %s::timestamptz"
            " FROM unnest(%s::int[], %s::text[], %s::text[], %s::text[], %s::bool[]) AS asked(seat, question, prompt, kind, bot)"
            " WHERE EXISTS (SELECT FROM appended)"
            " ON CONFLICT (match_id, seat, question) DO UPDATE SET prompt = excluded.prompt, kind = excluded.kind",
            [
                match.id,
                now,
                due,
                [one.seat for one in changed],
                [one.id for one in changed],
                [one.prompt for one in changed],
                [one.kind for one in changed],
                [one.seat in bots for one in changed],
            ],
        )


def _notices(
    match: Match,
    before: dict[tuple[int, str], Awaited],
    asked: dict[tuple[int, str], Awaited],
    events: Sequence[Event],
    seats: Sequence[Seat],
    now: datetime,
) -> Iterable[Statement]:
    """Who is told what: the start and the end to all players, a new question to the seat that is asked."""
    users = {seat.index: seat.user_id for seat in seats if seat.user_id is not None}
    rows = []
    for event in events:
        if event.type in ("match.started", "match.ended"):
            kind = event.type.replace(".", "_")
            rows += [_notice(kind, match, index, user, {}, now) for index, user in users.items()]
    for key, one in asked.items():
        if key not in before and one.seat in users:
            rows.append(_notice("your_turn", match, one.seat, users[one.seat], {"question": one.id}, now))
    if rows:
        sql, params = outbox.insert_sql(rows)
        yield Statement(sql, params)


def _notice(kind: str, match: Match, seat: int, user: int, more: dict[str, Any], now: datetime) -> outbox.Notice:
    return outbox.Notice(
        kind=kind, user_id=user, topic=str(match.id), payload={"match": str(match.id), "seat": seat, **more}, due_at=now
    )
