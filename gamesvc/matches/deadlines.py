"""Deadlines that are moved, and how each came about: pauses, extensions, vacations, outages, and the account in words.

A running match's own deadlines are set in `recording`, in the append that opens the question. Whatever moves one later is an
event here. Who may pause or extend is decided by the callers.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from accounts import absences
from accounts.models import AbsenceChange
from events.store import DuplicateCommand, Statement, StoredEvent, VersionConflict
from gamesvc.games.kernel import Event, Refused, Viewer, see_event
from gamesvc.matches import loading, secrets, surroundings
from gamesvc.matches.clock.account import Key, Line
from gamesvc.matches.clock.compute import Clock, Spliced, absent, outlast, run, write
from gamesvc.matches.clock.spans import SECOND, Span
from gamesvc.matches.loading import STORE, Loaded, lift
from gamesvc.matches.models import Match, Outage, Question, Seat
from gamesvc.matches.recording import Act, Actor, record
from gamesvc.matches.turns import Busy

logger = logging.getLogger(__name__)

ATTEMPTS = 8
Decide = Callable[[Loaded, list[Seat]], list[Event]]
# So long what is being written while a vacation is announced may take.
KEPT = timedelta(minutes=1)
# A match in which a vacation cannot be counted for so long is broken; the clocks of the others in it go on.
GIVEN_UP = timedelta(days=1)


@dataclass(slots=True)
class Settled:
    """What came of settling vacations: how often a match changed, and in which matches it failed, for whom."""

    moved: int = 0
    failed: set[tuple[uuid.UUID, int]] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Mandate:
    """Who has the clocks of a match stopped, started or given more time, through which channel, and why.

    A seat speaks for all, who agreed; a host gives a code and the id of his words (`Reason`).
    """

    actor: Actor
    channel: str = "api"
    code: str = ""
    reason_id: uuid.UUID | None = None
    command_id: uuid.UUID | None = None

    @property
    def by(self) -> str:
        """Whose will it is, as the event says."""
        return "host" if self.actor.kind == "host" else "seats"

    @property
    def reason(self) -> dict[str, str]:
        """The reason as the event tells it."""
        told = {"code": self.code, "reason_id": str(self.reason_id or "")}
        return {name: value for name, value in told.items() if value}


def pause(*, match: Match, mandate: Mandate) -> tuple[StoredEvent, ...]:
    """Stop all clocks of a running match. Raises `Refused`."""

    def decide(loaded: Loaded, seats: list[Seat]) -> list[Event]:
        _check_running(loaded)
        if loaded.account.paused_since is not None:
            raise Refused("paused_already", f"The match is paused since {loaded.account.paused_since:%d %b %Y %H:%M} UTC.")
        return [Event("match.paused", {"by": mandate.by, **mandate.reason})]

    return _turn(match, decide, mandate)


def resume(*, match: Match, mandate: Mandate) -> tuple[StoredEvent, ...]:
    """Let the clocks go on with what was left, at least the minimum. Raises `Refused`."""

    def decide(loaded: Loaded, seats: list[Seat]) -> list[Event]:
        _check_running(loaded)
        if loaded.account.paused_since is None:
            raise Refused("not_paused", "The match is not paused.")
        return [Event("match.resumed", {"by": mandate.by, **mandate.reason})]

    return _turn(match, decide, mandate)


def _turn(match: Match, decide: Decide, mandate: Mandate) -> tuple[StoredEvent, ...]:
    """Pause or resume. What the seats had said counts for that and nothing later: their words go with the append.

    The lock of the seats keeps a word back that is given at this moment (see `pauses`).
    """
    said = Statement("DELETE FROM matches_pausewish WHERE match_id = %s::uuid AND EXISTS (SELECT FROM appended)", [match.pk])
    with transaction.atomic():
        list(match.seats.select_for_update().order_by("index"))
        return append(match, decide, actor=mandate.actor, channel=mandate.channel, command_id=mandate.command_id, more=[said])


def extend(*, match: Match, mandate: Mandate, seat: int, more: timedelta, question: str | None = None) -> tuple[StoredEvent, ...]:
    """Give a seat more time for what it is asked now (for one question, or all). Raises `Refused`."""
    if more < SECOND:
        raise Refused("bad_extension", "An extension gives more time, not less.", "more")

    def decide(loaded: Loaded, seats: list[Seat]) -> list[Event]:
        _check_running(loaded)
        known = surroundings.around(loaded.account.policy, seats)
        events = []
        for key, clock in loaded.account.open.items():
            if key[0] == seat and question in (None, key[1]) and clock.due is not None:
                longer = replace(clock, own=clock.own + more // SECOND * SECOND, left=clock.left + more // SECOND * SECOND)
                if clock.fixed is not None:
                    # A fixed time has no length that could be longer: it stands later, as after an outage.
                    longer = outlast(_policy(loaded), clock, Span(clock.fixed, clock.fixed + more), known(seat))
                else:
                    longer = run(_policy(loaded), longer, Spliced(clock.excluded, clock.due, known(seat)))
                events.append(surroundings.deadline_set(key, longer, "extended", 0, **mandate.reason))
        if not events:
            raise Refused("not_awaited", f"No clock of seat {seat} runs now.", "seat")
        return events

    return append(match, decide, actor=mandate.actor, channel=mandate.channel, command_id=mandate.command_id)


def settle_absences(user_id: int | None = None) -> int:
    """Move the running deadlines that vacations touch which were announced or called off, of one person or of all.

    Returns how often a match changed. Done again it moves nothing more. A match that cannot go on is told and tried again
    with the next sweep.
    """
    return settle_changes(user_id).moved


def settle_changes(user_id: int | None = None) -> Settled:
    """The same; says also where it failed.

    All matches are looked at twice, the second time a little later: a question may have been asked at that moment with the
    vacations as they were before, and be seen only after the first look.
    """
    settled, now = Settled(), timezone.now()
    for change in absences.changes(user_id):
        if change.looked_at is not None and not change.failed and now < change.looked_at + KEPT:
            continue
        failed = []
        for match_id in _asked_in(change.user_id):
            try:
                settled.moved += _reckon(Match.objects.get(pk=match_id), change)
            except Exception:
                failed.append(str(match_id))
                settled.failed.add((match_id, change.user_id))
                if str(match_id) not in change.failed:
                    logger.exception("A vacation could not move the deadlines of match %s; it is tried again.", match_id)
        if failed and now >= change.made_at + GIVEN_UP:
            logger.error("The vacation of user %s could not move all deadlines in %s.", change.user_id, GIVEN_UP)
        elif failed or change.looked_at is None:
            change.looked_at, change.failed = change.looked_at or now, failed
            change.save(update_fields=["looked_at", "failed"])
            continue
        change.delete()
    return settled


def _asked_in(user_id: int) -> list[uuid.UUID]:
    rows = Question.objects.filter(match__seats__user_id=user_id, seat=F("match__seats__index"), match__paused_at=None)
    return list(rows.filter(match__status=Match.Status.RUNNING).values_list("match_id", flat=True).distinct())


def _reckon(match: Match, change: AbsenceChange) -> bool:
    """Only the time of that vacation counts anew, as far as it lay ahead when it was announced or called off."""

    def decide(loaded: Loaded, seats: list[Seat]) -> list[Event]:
        policy = loaded.account.policy
        if policy is None or not policy.vacation or loaded.ended:
            return []
        own = {seat.index for seat in seats if seat.user_id == change.user_id}
        known, span = surroundings.around(policy, seats), Span(change.starts_at, change.ends_at)
        events = []
        for key, clock in loaded.account.open.items():
            if key[0] in own and clock.due is not None and clock.due > change.made_at:
                anew = absent(policy, clock, span, change.made_at, known(key[0]))
                if anew.due != clock.due:
                    events.append(surroundings.deadline_set(key, anew, "vacation", 0))
        return events

    return bool(append(match, decide, actor=Actor("system"), channel="clock"))


def outlast_outage(*, match: Match, outage: Outage, margin: timedelta) -> bool:
    """Move the deadlines of a match that fell into an outage, or within `margin` after it, by as much. Once per outage."""
    span = Span(outage.started_at, outage.ended_at)

    def decide(loaded: Loaded, seats: list[Seat]) -> list[Event]:
        if loaded.ended or not loaded.started:
            return []
        known = surroundings.around(loaded.account.policy, seats)
        told = {"from": write(span.start), "until": write(span.end)}
        events = []
        for key, clock in loaded.account.open.items():
            # One that began to run afterwards has lost nothing.
            if clock.due is not None and clock.since < span.end and span.start <= clock.due < span.end + margin:
                moved = outlast(_policy(loaded), clock, span, known(key[0]))
                events.append(surroundings.deadline_set(key, moved, "outage", 0, outage=told))
        return [Event("match.outage", told), *events] if events else []

    command_id = secrets.keyed_uuid("outage", match.pk, write(span.start))
    try:
        return bool(append(match, decide, actor=Actor("system"), channel="clock", command_id=command_id))
    except DuplicateCommand:
        return False


def append(
    match: Match,
    decide: Decide,
    *,
    actor: Actor,
    channel: str,
    command_id: uuid.UUID | None = None,
    seats: Sequence[Seat] | None = None,
    more: Sequence[Statement] = (),
) -> tuple[StoredEvent, ...]:
    """Append service events decided on the newest version; decided anew when somebody was faster. Raises `Busy`.

    `seats`: as they are with these events, where those change them; `more`: rows written with them.
    """
    command_id = command_id or uuid.uuid4()
    for _ in range(ATTEMPTS):
        loaded = loading.load(match.id, match.game)
        rows = list(match.seats.all()) if seats is None else list(seats)
        events = decide(loaded, rows)
        if not events:
            return ()
        numbered = [replace(event, version=loaded.version + at) for at, event in enumerate(events, 1)]
        try:
            return record(match, loaded, numbered, Act(actor, channel, command_id, timezone.now()), seats=rows, more=more)
        except VersionConflict:
            continue
    raise Busy


def _check_running(loaded: Loaded) -> None:
    if loaded.ended:
        raise Refused("match_over", "The match is over; no clock runs any more.")
    if not loaded.started:
        raise Refused("not_started", "The match has not started yet; no clock runs.")


def _policy(loaded: Loaded) -> Any:
    policy = loaded.account.policy
    assert policy is not None
    return policy


# --- how it came about ---


@dataclass(frozen=True, slots=True)
class Explained:
    """The account of a match's time for one viewer: its policy, the clocks that are open, and line by line what happened."""

    policy: Mapping[str, Any]
    paused_since: datetime | None
    clocks: Mapping[Key, Clock]
    banks: Mapping[int, int]
    lines: Sequence[tuple[int, Line]]

    def as_json(self) -> dict[str, Any]:
        return {
            "policy": dict(self.policy),
            "paused_since": _text(self.paused_since),
            "clocks": [
                {
                    "seat": seat,
                    "question": question,
                    "kind": clock.kind,
                    "asked_at": write(clock.asked),
                    "due_at": _text(clock.due),
                    "grace_from": _text(clock.grace_from),
                    "because": clock.because(),
                }
                for (seat, question), clock in self.clocks.items()
            ],
            "banks": [{"seat": seat, "seconds": left} for seat, left in sorted(self.banks.items())],
            "lines": [
                {
                    "version": version,
                    "at": write(line.at),
                    "seat": line.seat,
                    "question": line.question,
                    "what": line.what,
                    "used": line.used,
                    "left": line.own,
                    "bank": line.bank,
                    "due_at": _text(line.due_at),
                    "because": line.clock.because() if line.due_at is not None else None,
                }
                for version, line in self.lines
            ],
        }


def explain(match: Match, seat: int | None = None, *, viewer: Viewer = None) -> Explained:
    """Reckon the clocks again from the log and tell each step; of one seat, or of all.

    A viewer gets all lines of his own seat. Of others he gets those of acts that he may know of: when somebody sent what
    is still hidden is hidden, too. Once the match is over everything is open.
    """
    loaded = loading.fresh(loading.load(match.id, match.game).game, match.id)
    collected: list[Line] = []
    loaded.account.lines = collected
    lines: list[tuple[int, Line]] = []
    stored = STORE.read(match.id)
    over = bool(stored) and stored[-1].type == "match.ended"
    for start, end in loading.appends(stored):
        act = stored[start:end]
        events = [lift(loaded.game, one) for one in act]
        loaded.fold(act, events)
        seen = over or any(see_event(loaded.game, event, viewer) is not None for event in events)
        for line in collected:
            if line.seat == viewer or over:
                lines.append((act[-1].version, line))
            elif seen:
                lines.append((act[-1].version, replace(line, at=act[-1].occurred_at)))
        collected.clear()
    account = loaded.account
    banks = {line.seat: line.bank for _, line in lines} if account.policy and account.policy.bank else {}
    return Explained(
        policy=account.policy.told if account.policy is not None else {},
        paused_since=account.paused_since,
        clocks={key: clock for key, clock in account.open.items() if seat in (None, key[0])},
        banks={index: left for index, left in banks.items() if seat in (None, index)},
        lines=[one for one in lines if seat in (None, one[1].seat)],
    )


def _text(moment: datetime | None) -> str | None:
    return write(moment) if moment is not None else None
