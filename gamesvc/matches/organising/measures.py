"""Measures of an organiser in a running match they do not play: pause, resume, extend, rewind, replace a player, abort.

Each is an event with the actor `host`, a code for the reason and a random id; the text lies in an erasable table (`Reason`).
Organisers never take measures in a match they play or have played in.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from events.store import DuplicateCommand, StoredEvent
from gamesvc.games.kernel.game import Refused
from gamesvc.language import say
from gamesvc.matches import errors
from gamesvc.matches.access import authority, daily_limits, holders, tenures
from gamesvc.matches.events import MatchEvent
from gamesvc.matches.lobby import substitutes
from gamesvc.matches.models import Match, Reason, Seat
from gamesvc.matches.organising import measure_announcements, rewinds
from gamesvc.matches.play import turns
from gamesvc.matches.record import idempotency, loading, secrets, service_events
from gamesvc.matches.record.append import Actor
from gamesvc.matches.record.loading import Loaded
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.story.undo_words import CODES
from gamesvc.matches.timekeeping import deadlines

HOURS = (1, 24 * 30)
HOST = Actor("host")


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure to carry out: the action, the reason, and parameters for some actions."""

    action: str
    code: str
    reason: str
    seat: int | None = None
    hours: int | None = None
    to: int | None = None
    bot: bool = False


@dataclass(frozen=True, slots=True)
class _Done:
    """A measure being carried out, with everything its action needs."""

    by: User
    match: Match
    measure: Measure
    channel: str
    command_id: uuid.UUID
    reason_id: uuid.UUID
    received_at: datetime

    @property
    def mandate(self) -> deadlines.Mandate:
        return deadlines.Mandate(HOST, self.channel, self.measure.code, self.reason_id, self.command_id)


def organise(
    *, by: User, match: Match, measure: Measure, command_id: uuid.UUID, channel: str = "api", received_at: datetime | None = None
) -> int:
    """Carry out a measure once per `command_id`, and return the version of the match after it.

    Raises `Forbidden` for other users, `Refused` for an impossible measure, `KeyReused` if the `command_id` came with another
    measure within a day, `Stale` or `Busy`.
    """
    authority.check_may_rule(by, match)
    act = ACTIONS.get(measure.action)
    if act is None:
        raise Refused("bad_action", say("action is one of {actions}.", actions=", ".join(ACTIONS)), "action")
    if measure.code not in CODES:
        raise Refused("bad_code", say("code is one of {codes}.", codes=", ".join(CODES)), "code")
    content, request_key = fingerprint(measure), command_id
    measure = replace(measure, reason=authority.read_told_reason(by, measure.reason))
    command_id = secrets.keyed_uuid("measure", command_id, content)

    def carry_out() -> idempotency.Answer:
        if stored := STORE.command(match.id, command_id):
            return 200, {"version": stored[-1].version}
        if measure.action != "rewind":  # which counts itself
            daily_limits.check("measures", by.pk, match.pk)
        done = _Done(by, match, measure, channel, command_id, uuid.uuid4(), received_at or timezone.now())
        return 200, {"version": act(done)}

    try:
        _status, body = idempotency.once(user=by, key=f"measure {request_key}", fingerprint=content, effect=carry_out)
    except DuplicateCommand as twice:
        raise errors.Busy from twice
    return int(body["version"])


def fingerprint(measure: Measure) -> str:
    """Return a hash of everything a measure contains, its reason included. The same key with another hash is another request."""
    return hashlib.sha256(json.dumps(asdict(measure), sort_keys=True).encode()).hexdigest()


def _reasoned(act: Callable[[_Done], tuple[StoredEvent, ...]]) -> Callable[[_Done], int]:
    """Return the action combined with its written reason and the notices to the players, in one transaction."""

    def carry_out(done: _Done) -> int:
        with transaction.atomic():
            tenures.lock_user(done.by)
            # Lock the seats, so that no player changes before the notices are written.
            players = [seat for seat in holders.lock_seats(done.match) if seat.user_id is not None]
            authority.check_may_rule(done.by, done.match)
            Reason.objects.create(id=done.reason_id, match=done.match, user=done.by, words=done.measure.reason)
            stored = act(done)
            measure_announcements.tell(done.match, players, done.measure.action, done.measure.code, done.reason_id)
        return stored[-1].version

    return carry_out


def _pause(done: _Done) -> tuple[StoredEvent, ...]:
    return deadlines.pause(match=done.match, mandate=done.mandate)


def _resume(done: _Done) -> tuple[StoredEvent, ...]:
    return deadlines.resume(match=done.match, mandate=done.mandate)


def _extend(done: _Done) -> tuple[StoredEvent, ...]:
    seat, hours = done.measure.seat, done.measure.hours
    if seat is None or not 0 <= seat < done.match.seat_count:
        raise Refused("bad_seat", say("seat is 0 to {last}: whose time is extended.", last=done.match.seat_count - 1), "seat")
    if hours is None or not HOURS[0] <= hours <= HOURS[1]:
        raise Refused("bad_hours", say("hours must lie within {low} to {high}.", low=HOURS[0], high=HOURS[1]), "hours")
    more = timedelta(seconds=hours * settings.SECONDS_PER_HOUR)
    return deadlines.extend(match=done.match, mandate=done.mandate, seat=seat, more=more)


def _abort(done: _Done) -> tuple[StoredEvent, ...]:
    """End the match without an outcome. Its secret is revealed as at any end."""

    def decide(loaded: Loaded, _seats: list[Seat]) -> list[MatchEvent]:
        if loaded.ended:
            raise Refused("match_over", say("The match is over already."))
        return [turns.ended(done.match, "aborted", **done.mandate.reason)]

    return service_events.append(done.match, decide, actor=HOST, channel=done.channel, command_id=done.command_id)


def _replace(done: _Done) -> tuple[StoredEvent, ...]:
    """Remove the holder of a seat: a bot takes over at once, or a substitute is sought."""
    seat, bot = done.measure.seat, done.measure.bot
    if seat is None or not 0 <= seat < done.match.seat_count:
        raise Refused("bad_seat", say("seat is 0 to {last}: who is replaced.", last=done.match.seat_count - 1), "seat")
    stored = substitutes.vacate(
        match=done.match,
        seat=seat,
        actor=HOST,
        channel=done.channel,
        by=done.by,
        why=done.mandate.reason,
        call=not bot,
        command_id=done.command_id,
    )
    if bot:
        substitutes.seat_bot(match=done.match, seat=seat, actor=HOST, channel=done.channel)
    return stored


def _rewind(done: _Done) -> int:
    """Rewind the match. The rewind writes its own reason and notices, in its own append."""
    if done.measure.to is None:
        raise Refused("bad_version", say("`to` is the version to rewind to."), "to")
    loaded = loading.load(done.match.id, done.match.game)
    return rewinds.rewind(
        by=done.by,
        match=done.match,
        to=done.measure.to,
        code=done.measure.code,
        reason=done.measure.reason,
        expected_version=loaded.viewer_version(None),
        command_id=done.command_id,
        received_at=done.received_at,
        channel=done.channel,
    ).version


ACTIONS: dict[str, Callable[[_Done], int]] = {
    "pause": _reasoned(_pause),
    "resume": _reasoned(_resume),
    "extend": _reasoned(_extend),
    "rewind": _rewind,
    "replace": _reasoned(_replace),
    "abort": _reasoned(_abort),
}
