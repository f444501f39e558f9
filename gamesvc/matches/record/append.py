"""Appending to a match: events, read models, questions with their deadlines and notices, in one statement.

Every change of a match passes through `record`. Either all of it is in the database or nothing.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from events.canonical import write_time
from events.store import NewEvent, Statement, StoredEvent, VersionConflict
from gamesvc.database.prepared import Given, Prepared
from gamesvc.games.kernel.game import Awaited, Event, Refused
from gamesvc.games.kernel.timeline import Run
from gamesvc.json_types import JsonObject
from gamesvc.language import say
from gamesvc.matches import hints
from gamesvc.matches.clock import fold
from gamesvc.matches.clock.account import Step
from gamesvc.matches.events import Ended, MatchEvent, Started, read_events
from gamesvc.matches.models import Match, Seat
from gamesvc.matches.record import conditions, surroundings
from gamesvc.matches.record.loading import Loaded, doubt, remember, save_at_mark, sit
from gamesvc.matches.record.rows import statements
from gamesvc.matches.record.rows.statements import Change
from gamesvc.matches.record.stream import STORE

_SEATS = Prepared(lambda: Seat.objects.filter(match=Given("match", "uuid")).order_by("index"))


@dataclass(frozen=True, slots=True)
class Actor:
    """The actor named in an event: a seat, a bot, the clock, the host of the match, or the system."""

    kind: str
    seat: int | None = None

    def as_json(self) -> JsonObject:
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
    command: JsonObject | None = None

    @property
    def automatic(self) -> bool:
        """Return True if a conditional order gave the command."""
        return self.channel == STANDING


def new_events(loaded: Loaded, events: Sequence[Event], act: Act, now: datetime) -> list[NewEvent]:
    """Return the events as they will be stored. The first event of a command carries the command."""
    stored = []
    for at, event in enumerate(events):
        meta: JsonObject = {"actor": act.actor.as_json(), "rules": loaded.game.manifest.rules}
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
    run: Run | None = None,
    more: Sequence[Statement] = (),
) -> tuple[StoredEvent, ...]:
    """Append events decided on `loaded`, with everything that follows from them.

    `run`: the engine's run that produced the events, if any; it saves folding them again. `more`: the caller's own rows, written
    with the append or not at all. `seats`: the seats after the append; they are read again if one has changed hands since.

    Raises `VersionConflict` or `DuplicateCommand`, and `Refused` for a match that is over (`_check_end`).
    """
    _check_end(loaded)
    told = read_events(events)
    seats = fresh_seats(match, loaded, seats, told)
    after = _folded(loaded, events, run)
    open_now = _open_now(loaded, after, told)
    bots = {seat.index for seat in seats if seat.bot}
    # Clocks use the moment that the events will carry. Within a match it never goes back.
    now = max(timezone.now(), loaded.head.occurred_at or act.received_at)
    events = [*events, *_follow(after, loaded, told, act, open_now, seats, now)]
    before = {(one.seat, one.id): one for one in loaded.awaited()}
    # On an analysis board people have no deadlines. Its bots are asked as everywhere.
    asked = {(one.seat, one.id): one for one in open_now if not match.board or one.seat in bots}
    change = Change(match, told, seats, before, asked, loaded.account, after.account, now)
    also = [*statements.rows(change, after.timeline.version), *conditions.wait_again(match, events), *more]
    stored = _write(loaded, new_events(loaded, events, act, now), act, also)
    after.note(stored, events)
    transaction.on_commit(lambda: _keep(after, loaded.version), robust=True)
    transaction.on_commit(lambda: hints.moved(match.id), robust=True)
    # A bot that acts is continued anyway (`play.bots`); a hint for each of its turns would fill the queue.
    if act.actor.kind != "bot" and any(one.seat in bots for one in open_now):
        transaction.on_commit(lambda: hints.bots(match.id), robust=True)
    if change.has(Ended):
        transaction.on_commit(lambda: hints.ended(match.id), robust=True)
    if act.command is not None:
        # After every command, even if there are no conditional orders: the time of the answer must not reveal any.
        transaction.on_commit(hints.conditional_orders, robust=True)
    if len(also) > 1:
        transaction.on_commit(hints.notices, robust=True)
    return stored


def _write(loaded: Loaded, new: Sequence[NewEvent], act: Act, also: Sequence[Statement]) -> tuple[StoredEvent, ...]:
    try:
        return STORE.append(loaded.match_id, new, expected=loaded.head, command_id=act.command_id, also=also)
    except VersionConflict:
        doubt(loaded)
        raise


def _check_end(loaded: Loaded) -> None:
    """Raise `Refused` if the match is over: its record ends there. Callers ask its row, which may be older than its events."""
    if loaded.ended:
        raise Refused("match_over", say("The match is over."))


def _folded(loaded: Loaded, events: Sequence[Event], run: Run | None) -> Loaded:
    """Return the match after these events, the first of which an engine's run may have folded already."""
    after = loaded.copy()
    if run is None:
        after.timeline.fold(events)
    else:
        after.timeline.follow(run)
        after.timeline.fold(events[len(run.events) :])
    return after


def _open_now(loaded: Loaded, after: Loaded, told: Sequence[MatchEvent]) -> Sequence[Awaited]:
    """Return what the match asks after these events: nothing before its start and after its end."""
    started = loaded.started or any(isinstance(event, Started) for event in told)
    if not started or any(isinstance(event, Ended) for event in told):
        return ()
    return loaded.game.awaited(after.timeline.state)


def fresh_seats(
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
    rows = _SEATS.rows(match=match.pk)
    for seat in rows:
        seat.match = match
    return rows


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


def _keep(after: Loaded, since: int) -> None:
    save_at_mark(after, since)
    remember(after)
