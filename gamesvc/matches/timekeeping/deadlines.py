"""Pauses and extensions, which move running deadlines with an event. `outages` and `vacations` move them too.

`record.append` sets a deadline, in the append that opens its question. The callers check who may pause or extend.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db import transaction

from events.store import Statement, StoredEvent
from gamesvc.games.kernel.game import Refused
from gamesvc.language import say
from gamesvc.matches.access import holders
from gamesvc.matches.clock.compute import Spliced, put_off, run
from gamesvc.matches.clock.policy import FURTHEST_DEADLINE, Policy
from gamesvc.matches.clock.spans import SECOND, NoTime
from gamesvc.matches.events import MatchEvent, Paused, Resumed
from gamesvc.matches.models import Match, Seat
from gamesvc.matches.record import service_events, surroundings
from gamesvc.matches.record.append import Actor
from gamesvc.matches.record.loading import Loaded


@dataclass(frozen=True, slots=True)
class Mandate:
    """The authority for stopping, starting or extending clocks: the actor, the channel and the reason.

    A seat acts for all players, who have agreed. A host gives a code and the id of the written reason (`Reason`).
    """

    actor: Actor
    channel: str = "api"
    code: str = ""
    reason_id: uuid.UUID | None = None
    command_id: uuid.UUID | None = None

    @property
    def by(self) -> str:
        """Return the authority as the event names it: `host` or `seats`."""
        return "host" if self.actor.kind == "host" else "seats"

    @property
    def reason(self) -> dict[str, str]:
        """Return the reason as the event holds it."""
        told = {"code": self.code, "reason_id": str(self.reason_id or "")}
        return {name: value for name, value in told.items() if value}


def paused_already(since: datetime) -> Refused:
    return Refused("paused_already", say("The match has been paused since {since:%d %b %Y %H:%M} UTC.", since=since))


def pause(*, match: Match, mandate: Mandate) -> tuple[StoredEvent, ...]:
    """Stop all clocks of a running match. Raises `Refused`."""

    def decide(loaded: Loaded, seats: list[Seat]) -> Sequence[MatchEvent]:
        _check_running(loaded)
        if loaded.account.paused_since is not None:
            raise paused_already(loaded.account.paused_since)
        return [Paused(mandate.by, **mandate.reason)]

    return _turn(match, decide, mandate)


def resume(*, match: Match, mandate: Mandate) -> tuple[StoredEvent, ...]:
    """Restart all clocks with what was left, at least the minimum. Raises `Refused`."""

    def decide(loaded: Loaded, seats: list[Seat]) -> Sequence[MatchEvent]:
        _check_running(loaded)
        if loaded.account.paused_since is None:
            raise Refused("not_paused", say("The match is not paused."))
        return [Resumed(mandate.by, **mandate.reason)]

    return _turn(match, decide, mandate)


def _turn(match: Match, decide: service_events.Decide, mandate: Mandate) -> tuple[StoredEvent, ...]:
    """Pause or resume, and delete the votes of the seats in the same append: they count for nothing later.

    The lock on the seats delays a vote that is cast at this moment (see `pauses`).
    """
    said = Statement("DELETE FROM matches_pausewish WHERE match_id = %s::uuid AND EXISTS (SELECT FROM appended)", [match.pk])
    with transaction.atomic():
        holders.lock_seats(match)
        return _append(match, decide, mandate, [said])


def extend(*, match: Match, mandate: Mandate, seat: int, more: timedelta, question: str | None = None) -> tuple[StoredEvent, ...]:
    """Give a seat more time for its open questions, or for one of them. Raises `Refused`."""
    if more < SECOND:
        raise Refused("bad_extension", say("An extension gives more time, not less."), "more")
    more = more // SECOND * SECOND

    def decide(loaded: Loaded, seats: list[Seat]) -> Sequence[MatchEvent]:
        _check_running(loaded)
        known = surroundings.around(loaded.account.policy, seats)
        events = []
        for key, clock in loaded.account.open.items():
            if key[0] == seat and question in (None, key[1]) and clock.due is not None:
                if clock.fixed is not None:
                    # A fixed time has no length that could grow. It is put off, as after an outage.
                    longer = put_off(clock, more)
                else:
                    longer = replace(clock, own=clock.own + more, left=clock.left + more)
                    with suppress(NoTime):
                        longer = run(_policy(loaded), longer, Spliced(clock.excluded, clock.due, known(seat)))
                assert longer.due is not None
                if longer.due == clock.due or longer.due - longer.since > FURTHEST_DEADLINE:
                    detail = say(
                        "A deadline lies at most {days} days after the question; give less time.", days=FURTHEST_DEADLINE.days
                    )
                    raise Refused("bad_extension", detail, "more")
                events.append(surroundings.deadline_set(key, longer, "extended", **mandate.reason))
        if not events:
            raise Refused("not_awaited", say("No clock of seat {seat} runs now.", seat=seat), "seat")
        return events

    return _append(match, decide, mandate)


def _append(
    match: Match, decide: service_events.Decide, mandate: Mandate, more: Sequence[Statement] = ()
) -> tuple[StoredEvent, ...]:
    actor, channel, command_id = mandate.actor, mandate.channel, mandate.command_id
    return service_events.append(match, decide, actor=actor, channel=channel, command_id=command_id, more=more)


def _check_running(loaded: Loaded) -> None:
    if loaded.ended:
        raise Refused("match_over", say("The match is over, so no clock runs."))
    if not loaded.started:
        raise Refused("not_started", say("The match has not started yet; no clock runs."))


def _policy(loaded: Loaded) -> Policy:
    policy = loaded.account.policy
    assert policy is not None
    return policy
