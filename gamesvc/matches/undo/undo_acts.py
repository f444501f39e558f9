"""Undo acts on their way into the record: decided on the newest version, appended, and returned as an `Outcome`.

Not here: what a seat may undo (`undoing`), and what an organiser may rewind (`organising.rewinds`).
"""

from __future__ import annotations

import dataclasses
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from events.store import DuplicateCommand, Statement, StoredEvent, VersionConflict
from gamesvc.games.kernel.events import makes_state
from gamesvc.games.kernel.game import Event, Refused, Viewer
from gamesvc.games.kernel.undo import undo_rules
from gamesvc.games.kernel.undo.trail import Deed, Past, Trail
from gamesvc.json_types import JsonObject
from gamesvc.language import say
from gamesvc.matches import errors
from gamesvc.matches.access import daily_limits, holders, selectors
from gamesvc.matches.events import Rewound, UndoAnswered, UndoAsked, read_event, read_events
from gamesvc.matches.models import Match, Refusal, Seat
from gamesvc.matches.play import turns
from gamesvc.matches.play.turns import Sender
from gamesvc.matches.record import loading, stream
from gamesvc.matches.record.append import Act, fresh_seats, record
from gamesvc.matches.record.loading import Loaded
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.undo import undo_announcements


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of an undo, a request or an answer: the sender's version, and the events as they may see them.

    `done`: the match was rewound (or redone). `request`: the request that waits for answers, or was answered.
    """

    match_id: uuid.UUID
    version: int
    events: list[JsonObject]
    done: bool
    request: int | None
    repeated: bool = False

    def as_json(self) -> JsonObject:
        return {
            "match": str(self.match_id),
            "version": self.version,
            "done": self.done,
            "request": self.request,
            "events": self.events,
        }


@dataclass(frozen=True, slots=True)
class Decided:
    """Events to append, with the rows and notices that belong to them."""

    events: list[Event]
    more: list[Statement]


def trail_of(loaded: Loaded) -> Trail:
    """Return the record of a match for reading backwards, as far as needed."""

    def read(after: int, until: int) -> list[Past]:
        return [past_of(loaded, stored) for stored in STORE.read(loaded.match_id, after, until)]

    return Trail(read, loaded.version, loaded.hands)


def past_of(loaded: Loaded, stored: StoredEvent) -> Past:
    meta = stored.meta
    received = meta.get("received_at")
    return Past(
        event=stream.lift(loaded.game, stored),
        first="command_id" in meta,
        kind=meta["actor"]["kind"],
        seat=meta["actor"].get("seat"),
        command=meta.get("command"),
        occurred_at=stored.occurred_at,
        received_at=datetime.fromisoformat(received) if received else stored.occurred_at,
    )


def check_running(match: Match, loaded: Loaded) -> None:
    """Refuse what only a running match allows."""
    if loaded.ended:
        raise Refused("match_over", say("The match is over; what was played stays."))
    if not loaded.started:
        raise Refused("not_started", say("The match has not started yet."))


def count_undo(match: Match, seats: Sequence[Seat], sender: Sender) -> None:
    """Count one more undo, redo or undo request. Raises `Refused` beyond the limits."""
    if any(one.user_id is not None and one.index != sender.seat for one in seats):
        daily_limits.check("undo", sender.user_id, match.pk)
    else:
        daily_limits.check_undo_alone(sender.user_id, match.pk)


def check_fresh(loaded: Loaded, viewer: Viewer, expected_version: int) -> None:
    """Raise `Stale` if an event of the game has happened that the sender had not seen."""
    turns.check_fresh(loaded, viewer, expected_version, lambda event: makes_state(event.type))


def rewind(
    match: Match,
    loaded: Loaded,
    seats: Sequence[Seat],
    to: int,
    since: Sequence[Deed],
    leading: list[Event],
    *,
    cause: str,
    seat: int,
    private: bool,
    give_up: bool = False,
    more: Sequence[Statement] = (),
) -> Decided:
    """Return the rewind, with everything that remains of the acts of others."""
    timeline = loaded.copy().timeline
    timeline.fold(leading)
    # One log for both attempts, which read much the same events.
    log = stream.Log(loaded.game, loaded.match_id, timeline.version, leading)
    timeline.log = lambda until: log
    why: JsonObject = {"cause": cause, "seat": seat}
    if private:
        why["private"] = True
    run = timeline.rewind(to, turns.dice_for(match, loaded), **why)
    if held := undo_rules.kept(timeline, run.state, since, give_up=give_up):
        run = timeline.rewind(to, turns.dice_for(match, loaded), **why, kept=held)
    told = undo_announcements.undone(match, loaded, run.state, seats, seat) if cause == "undo" else []
    return Decided([*leading, *run.events], [*more, *told])


def carry_out(
    match: Match,
    sender: Sender,
    command_id: uuid.UUID,
    content: JsonObject,
    decide: Callable[[Loaded, Sequence[Seat]], Decided],
    *,
    counted: bool = False,
) -> Outcome:
    """Decide on the newest version and append; repeat while others are faster. A known id gets its stored result.

    `counted`: the act counts once towards the limits on undos, however many attempts it takes.
    """
    if (known := _known(match, sender, command_id, content)) is not None:
        return known
    seats: Sequence[Seat] | None = None
    for attempt in range(turns.ATTEMPTS):
        loaded = loading.load(match.id, match.game)
        seats = fresh_seats(match, loaded, seats)
        try:
            if sender.actor.kind == "seat":
                holders.check(match, seats, sender.seat, sender.user_id)
            decided = decide(loaded, seats)
            if counted and not attempt:
                count_undo(match, seats, sender)
        except (Refused, errors.Stale) as refused:
            if (known := _known(match, sender, command_id, content)) is not None:
                return known  # a copy of this request was faster
            if isinstance(refused, Refused):
                turns.remember_refusal(match, sender, content, command_id, refused)
            raise
        act = Act(sender.actor, sender.channel, command_id, sender.received_at)
        try:
            stored = record(match, loaded, decided.events, act, seats=seats, more=decided.more)
        except VersionConflict:
            continue
        except DuplicateCommand:
            known = _known(match, sender, command_id, content)
            assert known is not None
            return known
        return _outcome(loaded, match, sender.seat, stored)
    raise errors.Busy


def _known(match: Match, sender: Sender, command_id: uuid.UUID, content: JsonObject) -> Outcome | None:
    """Replay the result of the same request, an event before a refusal; None for a new one. Raises `Refused`, `KeyReused`."""
    stored = STORE.command(match.id, command_id)
    if not stored:
        refusal = Refusal.objects.filter(match=match, command_id=command_id).first()
        if refusal is None:
            return None
        if not refusal.is_of(content):
            raise errors.KeyReused
        raise Refused(refusal.code, refusal.detail, refusal.parameter)
    if not _is_of(stored, content):
        raise errors.KeyReused
    loaded = loading.load(match.id, match.game)
    return dataclasses.replace(_outcome(loaded, match, sender.seat, stored), repeated=True)


def _is_of(stored: Sequence[StoredEvent], content: JsonObject) -> bool:
    """Return True if an append came from a request with this content."""
    name = content["name"]
    if any(event.type == UndoAsked.TYPE for event in stored):
        return bool(name == "undo")
    match read_event(stored[0]):
        case Rewound(cause=cause):
            return bool(name == cause)
        case UndoAnswered(request=request, answer=answer) if name == "undo_answer":
            return (answer == "accepted") == content["accept"] and content["request"] in (None, request)
    return False


def _outcome(loaded: Loaded, match: Match, seat: int, stored: Sequence[StoredEvent]) -> Outcome:
    seen = [selectors.see_record(loaded, one, seat, ended=False) for one in stored]
    version = max((one["version"] for one in seen if "type" in one), default=stored[-1].version)
    asked = [one.version for one in stored if one.type == UndoAsked.TYPE]
    answered = [event.request for event in read_events(stored) if isinstance(event, UndoAnswered)]
    done = any(one.type == Rewound.TYPE for one in stored)
    return Outcome(match.id, version, seen, done, next(iter((*asked, *answered)), None))
