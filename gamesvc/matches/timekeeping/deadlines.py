"""Moving the deadlines that run, by a will and with an event: pauses and extensions. `outages` and `vacations` move them, too.

A deadline is set in `record.append`, in the append that opens its question. Who may pause or extend is decided by the callers.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from django.db import transaction

from events.store import Statement, StoredEvent
from gamesvc.games.kernel.game import Event, Refused
from gamesvc.matches.clock.compute import Spliced, put_off, run
from gamesvc.matches.clock.policy import FURTHEST_DEADLINE
from gamesvc.matches.clock.spans import SECOND, NoTime
from gamesvc.matches.models import Match, Seat
from gamesvc.matches.record import service_events, surroundings
from gamesvc.matches.record.append import Actor
from gamesvc.matches.record.loading import Loaded


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


def _turn(match: Match, decide: service_events.Decide, mandate: Mandate) -> tuple[StoredEvent, ...]:
    """Pause or resume. What the seats had said counts for that and nothing later: their words go with the append.

    The lock of the seats keeps a word back that is given at this moment (see `pauses`).
    """
    said = Statement("DELETE FROM matches_pausewish WHERE match_id = %s::uuid AND EXISTS (SELECT FROM appended)", [match.pk])
    with transaction.atomic():
        list(match.seats.select_for_update().order_by("index"))
        return _append(match, decide, mandate, [said])


def extend(*, match: Match, mandate: Mandate, seat: int, more: timedelta, question: str | None = None) -> tuple[StoredEvent, ...]:
    """Give a seat more time for what it is asked now (for one question, or all). Raises `Refused`."""
    if more < SECOND:
        raise Refused("bad_extension", "An extension gives more time, not less.", "more")
    more = more // SECOND * SECOND

    def decide(loaded: Loaded, seats: list[Seat]) -> list[Event]:
        _check_running(loaded)
        known = surroundings.around(loaded.account.policy, seats)
        events = []
        for key, clock in loaded.account.open.items():
            if key[0] == seat and question in (None, key[1]) and clock.due is not None:
                if clock.fixed is not None:
                    # A fixed time has no length that could be longer: it stands later, as after an outage.
                    longer = put_off(clock, more)
                else:
                    longer = replace(clock, own=clock.own + more, left=clock.left + more)
                    with suppress(NoTime):
                        longer = run(_policy(loaded), longer, Spliced(clock.excluded, clock.due, known(seat)))
                assert longer.due is not None
                if longer.due == clock.due or longer.due - longer.since > FURTHEST_DEADLINE:
                    detail = f"A deadline lies at most {FURTHEST_DEADLINE.days} days after the question; give less time."
                    raise Refused("bad_extension", detail, "more")
                events.append(surroundings.deadline_set(key, longer, "extended", 0, **mandate.reason))
        if not events:
            raise Refused("not_awaited", f"No clock of seat {seat} runs now.", "seat")
        return events

    return _append(match, decide, mandate)


def _append(
    match: Match, decide: service_events.Decide, mandate: Mandate, more: Sequence[Statement] = ()
) -> tuple[StoredEvent, ...]:
    actor, channel, command_id = mandate.actor, mandate.channel, mandate.command_id
    return service_events.append(match, decide, actor=actor, channel=channel, command_id=command_id, more=more)


def _check_running(loaded: Loaded) -> None:
    if loaded.ended:
        raise Refused("match_over", "The match is over; no clock runs any more.")
    if not loaded.started:
        raise Refused("not_started", "The match has not started yet; no clock runs.")


def _policy(loaded: Loaded) -> Any:
    policy = loaded.account.policy
    assert policy is not None
    return policy
