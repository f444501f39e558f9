"""Taking a turn: the one service through which every channel submits commands.

Order of checks: a known command id gets its stored answer first; then the sender must hold the seat; then their version may be
stale; then the rules decide.
The result is appended on the newest version; a lost race starts again.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from events.store import DuplicateCommand, Statement, StoredEvent, VersionConflict
from gamesvc import paging
from gamesvc.games.kernel import codec, intake
from gamesvc.games.kernel.dice import Dice, KeyedSource, draw_key
from gamesvc.games.kernel.events import REWOUND, of_service
from gamesvc.games.kernel.game import Data, Event, Refused, Viewer, see_event
from gamesvc.games.kernel.timeline import Run
from gamesvc.json_types import JsonMapping, JsonObject
from gamesvc.language import mark, say
from gamesvc.matches.access import daily_limits, holders
from gamesvc.matches.access.selectors import records_for, see_record
from gamesvc.matches.errors import Busy, KeyReused, Stale
from gamesvc.matches.events import Ended, MatchEvent
from gamesvc.matches.models import Match, Question, Refusal, Seat
from gamesvc.matches.record import availability, loading, secrets, sight
from gamesvc.matches.record.append import STANDING, Act, Actor, fresh_seats, record
from gamesvc.matches.record.loading import Loaded
from gamesvc.matches.record.stream import STORE

MOST_ON_BOARD = 10_000
"""Events on an analysis board, after which its owner plays on on another one."""
ATTEMPTS = 8
FARTHEST = 5000
"""The number of events that a command's version may lag behind. In a race, other seats write many that outdate nothing."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """The result of an accepted command: the sender's version after it, and its events as the sender may see them.

    `awaited`: whether the match waits for the sender's seat again, at the moment of this answer.
    """

    match_id: UUID
    version: int
    events: list[JsonObject]
    awaited: bool = False
    repeated: bool = False

    def as_json(self) -> JsonObject:
        return {"match": str(self.match_id), "version": self.version, "events": self.events, "awaited": self.awaited}


@dataclass(frozen=True, slots=True)
class Sender:
    """The sender of a command, its channel, and the time the service received it. A `seat` acts by the user who holds it."""

    actor: Actor
    channel: str
    received_at: datetime
    user_id: int | None = None

    @classmethod
    def player(cls, user_id: int | None, seat: int, channel: str, received_at: datetime | None = None) -> Sender:
        """Return the sender of a request by a seat's player, received now or at a given time."""
        return cls(Actor("seat", seat), channel, received_at or timezone.now(), user_id)

    @property
    def seat(self) -> int:
        assert self.actor.seat is not None
        return self.actor.seat


@dataclass(frozen=True, slots=True)
class _Request:
    """A command as it was sent: its sender, the version they saw, and its id."""

    match: Match
    sender: Sender
    command: JsonObject
    expected_version: int
    command_id: UUID


def command_id(*, sender: object, key: str) -> UUID:
    """Return the id of a command from its sender and their key. Nobody else can guess it or collide with it."""
    return secrets.keyed_uuid("command", sender, key)


def dice_for(match: Match, loaded: Loaded) -> Dice:
    """Return the dice of a match, at the next draw."""
    secret = secrets.open_secret(match.key_id, match.sealed_secret, match.id)
    contributed = [loaded.contributions[seat] for seat in sorted(loaded.contributions) if loaded.contributions[seat]]
    return Dice(KeyedSource(draw_key(secret, str(match.id), contributed)), loaded.timeline.draws)


def submit(
    *,
    match: Match,
    sender: Sender,
    command: JsonMapping,
    expected_version: int,
    command_id: UUID,
    seats: Sequence[Seat] | None = None,
    loaded: Loaded | None = None,
    beside: Sequence[MatchEvent] = (),
    more: Sequence[Statement] = (),
) -> Receipt:
    """Apply a command once. Raises `Refused`, `Stale`, `KeyReused` or `Busy`; then nothing has changed.

    For commands of the clock it also raises `VersionConflict`: an act in between may have given the seat more time, or another
    holder.

    `expected_version` is the version the sender saw (of their viewer). `beside`: service events appended with the command's own;
    `more`: rows written with them. `loaded`: the match, if the caller has just read it.
    """
    # Not stored as a refusal: the command may be impossible to store, and the check always has the same result.
    intake.check_command(command)
    request = _Request(match, sender, dict(codec.with_sorted_keys(command)), expected_version, command_id)
    loaded, (first, refusal, due_at) = _read(request, loaded)
    if first or refusal:
        return _repeat(request, loaded, None if first else refusal)
    for attempt in range(ATTEMPTS):
        seats = _seats_or_refusal(request, loaded, seats)
        try:
            check_fresh(loaded, sender.seat, expected_version, functools.partial(_outdates, request, loaded))
            run = _decided(request, loaded, seats, due_at, counted=not attempt)
        except (Stale, Refused) as refused:
            return _applied_or_refused(request, refused)
        try:
            stored = _append(request, loaded, run, seats, beside, more)
        except VersionConflict:
            if sender.actor.kind == "clock":
                raise
            loaded = loading.load(match.id, match.game)
        except DuplicateCommand:
            return _repeat(request, loading.load(match.id, match.game), None)
        else:
            return _receipt(loaded, sender, stored)
    raise Busy


def give(
    *, match: Match, loaded: Loaded, seat: int, user_id: int | None, command: JsonObject, key: str
) -> tuple[StoredEvent, ...]:
    """Submit a command of a user's conditional order on the version that was read. Raises as `record`, and `Refused`."""
    sender = Sender.player(user_id, seat, STANDING)
    key_id = command_id(sender=f"standing {match.id}", key=key)
    request = _Request(match, sender, dict(codec.with_sorted_keys(command)), loaded.version, key_id)
    seats = _seats(match, loaded, sender)
    return _append(request, loaded, _decided(request, loaded, seats, None, counted=True), seats, (), ())


def _seats(match: Match, loaded: Loaded, sender: Sender, seats: Sequence[Seat] | None = None) -> Sequence[Seat]:
    """Return the seats for an act on this version. Raises `Refused` if its sender no longer holds theirs."""
    if sender.actor.kind != "seat":
        return list(match.seats.all()) if seats is None else seats
    seats = fresh_seats(match, loaded, seats)
    holders.check(match, seats, sender.seat, sender.user_id)
    return seats


_KNOWN = (
    "SELECT (SELECT version FROM events_event WHERE stream = %s::uuid AND command_id = %s::uuid AND command_seq = 0) AS first,"
    " (SELECT id FROM matches_refusal WHERE match_id = %s::uuid AND command_id = %s::uuid) AS refusal,"
    " (SELECT due_at FROM matches_question WHERE match_id = %s::uuid AND seat = %s::int"
    " ORDER BY due_at DESC NULLS FIRST LIMIT 1) AS due_at"
)


def _read(request: _Request, loaded: Loaded | None) -> tuple[Loaded, tuple[int | None, int | None, datetime | None]]:
    """Return the match, the event and the refusal of this command id, and the seat's latest deadline, in one round trip.

    The latest deadline: a command does not name its question, so it is in time as long as any question of the seat is. NULLS
    FIRST: a stopped clock has no deadline and counts as the latest.
    """
    match, command_id = request.match, request.command_id
    if request.sender.actor.kind == "clock":
        # It names its commands by the version they are for. A repetition is found when it is appended.
        return loaded or loading.load(match.id, match.game), (None, None, None)
    params = [match.id, command_id, match.id, command_id, match.id, request.sender.seat]
    if loaded is not None:
        return loaded, STORE.ask(_KNOWN, params).fetchone()
    return loading.load_beside(match.id, match.game, _KNOWN, params)


def _seats_or_refusal(request: _Request, loaded: Loaded, seats: Sequence[Seat] | None) -> Sequence[Seat]:
    """Check that the sender holds the seat, before anything hidden is disclosed, and return all seats. A refusal is stored."""
    try:
        return _seats(request.match, loaded, request.sender, seats)
    except Refused as refused:
        remember_refusal(request.match, request.sender, request.command, request.command_id, refused)
        raise


def check_fresh(loaded: Loaded, viewer: Viewer, expected_version: int, outdates: Callable[[Event], bool]) -> None:
    """Raise `Stale` if an event that the sender has not seen outdates their act; more than `FARTHEST` events always do, and a
    version that has not been reached is none they saw.

    `viewer`: the seat that acts, or None for an organiser.
    """
    after, newest = max(0, expected_version), loaded.viewer_version(viewer)
    if not newest - FARTHEST <= after <= newest or any(outdates(event) for event in sight.seen_since(loaded, viewer, after)):
        raise Stale(newest, records_for(loaded, viewer, after, paging.EVENTS))


def _decided(request: _Request, loaded: Loaded, seats: Sequence[Seat], due_at: datetime | None, *, counted: bool) -> Run:
    """Return what the rules decide. Raises `Refused`, also for a command that is late or, if `counted`, over a limit."""
    _check_time(loaded, request.sender, due_at)
    run = _decide(request.match, loaded, request.sender, request.command)
    if counted and request.sender.actor.kind == "seat":
        _check_limits(request.match, loaded, request.sender, request.command, seats, run)
    return run


def _append(
    request: _Request, loaded: Loaded, run: Run, seats: Sequence[Seat], beside: Sequence[MatchEvent], more: Sequence[Statement]
) -> tuple[StoredEvent, ...]:
    """Append the events of the game, then those of the service. Raises as `record`."""
    sender = request.sender
    service = [*beside, *_end(request.match, loaded, run)]
    events = [*run.events, *(event.event(version) for version, event in enumerate(service, run.version + 1))]
    act = Act(sender.actor, sender.channel, request.command_id, sender.received_at, request.command)
    return record(request.match, loaded, events, act, seats=seats, run=run, more=more)


def _applied_or_refused(request: _Request, refused: Stale | Refused) -> Receipt:
    """Return the receipt if a copy of this request was applied meanwhile; otherwise raise.

    The copy is usually why the command is stale or illegal now. An event wins over a refusal; a refusal is stored.
    """
    if STORE.command(request.match.id, request.command_id):
        return _repeat(request, loading.load(request.match.id, request.match.game), None)
    if isinstance(refused, Refused):
        remember_refusal(request.match, request.sender, request.command, request.command_id, refused)
    raise refused


def _repeat(request: _Request, loaded: Loaded, refusal_id: int | None) -> Receipt:
    """Replay the stored result of a known command id."""
    if refusal_id is not None:
        refusal = Refusal.objects.get(id=refusal_id)
        if not refusal.is_of(request.command):
            raise KeyReused
        raise Refused(refusal.code, refusal.detail, refusal.parameter)
    stored = STORE.command(request.match.id, request.command_id)
    if stored[0].meta.get("command") != request.command:
        raise KeyReused
    return replace(_receipt(loaded, request.sender, stored), repeated=True)


def _receipt(loaded: Loaded, sender: Sender, stored: Sequence[StoredEvent]) -> Receipt:
    """Return the command's events as its sender could see them then, the same for every repetition; and whose turn it is now.

    The clock sees nothing.
    """
    if sender.actor.kind == "clock":
        return Receipt(loaded.match_id, stored[-1].version, [])
    seat = sender.seat
    ended = stored[-1].type == Ended.TYPE
    seen = [see_record(loaded, one, seat, ended=ended) for one in stored]
    visible = [one["version"] for one in seen if "type" in one]
    now = loading.after(loaded) if loaded.version < stored[-1].version else loaded
    awaited = any(one.seat == seat for one in now.awaited())
    return Receipt(loaded.match_id, visible[-1] if visible else stored[-1].version, seen, awaited)


def _outdates(request: _Request, loaded: Loaded, event: Event) -> bool:
    """Return True if an event, as the sender's seat sees it, outdates the command."""
    if of_service(event.type):
        return event.type == REWOUND
    return loaded.game.stale(request.command, event, request.sender.seat)


def _check_time(loaded: Loaded, sender: Sender, due_at: datetime | None) -> None:
    """Refuse a command received after the seat's deadline. The clock answers for the seat."""
    late = sender.actor.kind == "seat" and due_at is not None and sender.received_at >= due_at
    if late and any(one.seat == sender.seat for one in loaded.awaited()):
        check_due(loaded.match_id, due_at, sender.received_at)


def check_due(match_id: UUID, due_at: datetime | None, received_at: datetime) -> None:
    """Refuse an answer received after its deadline, unless an outage that is not settled excuses it. Raises `Refused`."""
    if due_at is not None and received_at >= due_at and not availability.forgives(due_at, match_id):
        raise Refused("too_late", say("The deadline for this answer was {due:%d %b %Y %H:%M} UTC.", due=due_at))


def check_in_time(match: Match, seat: int, received_at: datetime) -> None:
    """Refuse what could answer for a seat later, where it came after the deadline of all the seat is asked. Raises `Refused`."""
    due = list(Question.objects.filter(match=match, seat=seat).values_list("due_at", flat=True))
    known = [due_at for due_at in due if due_at is not None]
    if known and len(known) == len(due):
        check_due(match.pk, max(known), received_at)


def _check_limits(match: Match, loaded: Loaded, sender: Sender, command: JsonObject, seats: Sequence[Seat], run: Run) -> None:
    """Count a command that could be given endlessly: one of which no observer may know, or a side move.

    Raises `Refused` where its sender has given too many of them lately, or an analysis board is full.
    """
    check_room(match, loaded)
    if all(see_event(loaded.game, event, None) is None for event in run.events):
        daily_limits.check_unseen(sender.user_id, match.pk)
        return
    if not _is_aside(loaded, sender.seat, command["name"]):
        return
    daily_limits.check_aside(sender.user_id, match.pk)
    before = {(one.seat, one.id) for one in loaded.awaited()}
    asked = {one.seat for one in loaded.game.awaited(run.state) if (one.seat, one.id) not in before} - {sender.seat}
    people = [seat.index for seat in seats if seat.index in asked and seat.user_id is not None]
    if not people:
        return
    # Each of these questions is a mail.
    daily_limits.check(daily_limits.ASIDE, sender.user_id, match.pk)
    if command["name"] in loaded.game.offers:
        _check_asked(match, loaded, sender.seat, command["name"], people)


def _check_asked(match: Match, loaded: Loaded, seat: int, name: str, asked: Sequence[int]) -> None:
    """Refuse to ask players who do not act, or one player too often in a turn. Each question may run out of their time.

    An act that the asking seat may not know of changes nothing: the next question would tell of it.
    """
    turn = " ".join(sorted(question.id for question in loaded.awaited() if question.seat == seat))
    for other in asked:
        if sight.is_away(loaded, other, seat):
            gone = mark(
                "This player has not acted since their time ran out, so the match does not wait for them. Ask them later."
            )
            raise Refused("asked_too_often", say(gone))
        if loaded.game.offers[name]:
            daily_limits.check_asked(match.pk, by=seat, turn=turn, seat=other)


def _is_aside(loaded: Loaded, seat: int, name: str) -> bool:
    """Return True if the seat's commands of this name do not move the match on."""
    asides = loaded.game.asides
    if asides is not None and name not in asides:
        return False
    offered = loaded.game.legal_commands(loaded.timeline.state, seat)
    return all(form.aside for form in offered if form.name == name)


def check_room(match: Match, loaded: Loaded) -> None:
    """Refuse to go on with an analysis board that is full: going back and forth it never ends, and its page reads all of it."""
    if match.board and loaded.version >= MOST_ON_BOARD:
        full = mark("This analysis board holds {most} events, which is the limit. Open another one from its position.")
        raise Refused("board_full", say(full, most=MOST_ON_BOARD))


def _decide(match: Match, loaded: Loaded, sender: Sender, command: JsonObject) -> Run:
    if loaded.ended:
        raise Refused("match_over", say("The match is over. It can be looked at and exported."))
    if not loaded.started:
        raise Refused("not_started", say("The match has not started yet; it starts when all seats are taken."))
    return loaded.timeline.command(sender.seat, command, dice_for(match, loaded))


def _end(match: Match, loaded: Loaded, run: Run) -> list[Ended]:
    """Return the last event of a match that the game has ended: its outcome, and the secret behind all draws."""
    outcome = loaded.game.outcome(run.state)
    if outcome is None:
        return []
    return [ended(match, outcome.reason, outcome.as_json())]


def ended(match: Match, reason: str, outcome: Data | None = None, /, **why: str) -> Ended:
    """The end of a match; without an outcome where it was called off, and `why` where an organiser did that."""
    secret = secrets.open_secret(match.key_id, match.sealed_secret, match.id)
    return Ended(reason, outcome, secret.hex(), **why)


def remember_refusal(match: Match, sender: Sender, command: JsonObject, command_id: UUID, refused: Refused) -> None:
    """Store a refused command and the reason. The same command id gets the same answer.

    Nothing is stored of a user who was erased meanwhile. Raises `Refused` in place of the reason for a user of whom very many
    commands were refused lately; then the command uses up no id.
    """
    with transaction.atomic():
        if sender.user_id is not None:
            sent_by = User.objects.select_for_update(no_key=True).filter(pk=sender.user_id, is_active=True)
            if not sent_by.exists():
                return
        daily_limits.check_refused(sender.user_id)
        Refusal.objects.bulk_create(
            [
                Refusal(
                    match=match,
                    command_id=command_id,
                    user_id=sender.user_id,
                    seat=sender.seat,
                    channel=sender.channel,
                    received_at=sender.received_at,
                    command=Refusal.kept(command),
                    code=refused.code,
                    detail=refused.detail[: Refusal.LONGEST_DETAIL],
                    parameter=refused.parameter,
                )
            ],
            ignore_conflicts=True,
        )
