"""The event log read from its beginning: when each question was open, who closed it, and the timeouts."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.db import connection

from events import canonical
from gamesvc.games import catalog
from gamesvc.matches import events
from gamesvc.matches.events import DeadlineSet, MatchEvent, Outage, Paused, Resumed, Seated, read_events
from gamesvc.matches.models import Holding, Match
from gamesvc.matches.record import loading, stream
from gamesvc.matches.record.stream import STORE
from gamesvc.ops.simulation.record import DueKey

QuestionKey = tuple[str, int, str]
"""Match, seat, question."""


@dataclass(slots=True)
class Open:
    """A period in which a question was open. `person` was asked; `ended_clock` is the machine's clock when the end was stored."""

    asked: datetime
    person: int | None
    ended: datetime | None = None
    ended_clock: float = 0.0
    by: str = ""
    """The closing actor: the seat, the clock, or another."""
    received: datetime | None = None


@dataclass(slots=True)
class TimedOut:
    """A `match.timed_out`: its time, its policy, and the player."""

    at: datetime
    excused: bool
    policy: str
    person: int | None


@dataclass
class Log:
    """All matches of the database."""

    open: dict[QuestionKey, list[Open]] = field(default_factory=lambda: defaultdict(list))
    timeouts: dict[DueKey, list[TimedOut]] = field(default_factory=lambda: defaultdict(list))
    moved: set[tuple[str, datetime]] = field(default_factory=set)
    """Matches and moments at which clocks were moved by something other than a turn."""
    seated: dict[str, int] = field(default_factory=dict)
    events: int = 0
    lasted: list[float] = field(default_factory=list)
    """Length of each finished match, in days."""

    @classmethod
    def read(cls) -> Log:
        log = cls()
        log.seated = {str(holder): user for holder, user in Holding.objects.values_list("holder", "user_id")}
        for match_id, game in Match.objects.order_by("number").values_list("pk", "game"):
            log._read_match(match_id, game)
        return log

    def _read_match(self, match_id: UUID, game_id: str) -> None:
        loaded = loading.fresh(catalog.game(game_id), match_id)
        stored = STORE.read(match_id)
        stamps = _stamps(match_id)
        now_open: dict[tuple[int, str], Open] = {}
        for act in stream.acts(stored):
            lifted = [stream.lift(loaded.game, one) for one in act]
            told = read_events(lifted)
            for event in told:
                self._note(str(match_id), event, act[0].occurred_at, loaded.holders)
            loaded.timeline.fold(lifted)
            loaded.note(act, lifted)
            asked = {(one.seat, one.id) for one in loaded.awaited()}
            actor, moment = act[0].meta["actor"], act[0].occurred_at
            reseated = {event.seat for event in told if isinstance(event, Seated)}
            # A substitute is asked again what the previous holder had been asked.
            again = {key for key in now_open if key[0] in reseated}
            for key in (now_open.keys() - asked) | again:
                one = now_open.pop(key)
                one.ended, one.ended_clock = moment, stamps[act[-1].version]
                one.by = actor["kind"] if actor.get("seat") == key[0] else "another"
                one.received = canonical.read_time(act[0].meta["received_at"])
            for key in asked - now_open.keys():
                holder = loaded.holders.get(key[0], "")
                now_open[key] = Open(moment, self.seated.get(holder))
                self.open[str(match_id), *key].append(now_open[key])
        self.events += len(stored)
        if loaded.ended:
            self.lasted.append((stored[-1].occurred_at - stored[0].occurred_at).total_seconds() / 86_400)

    def _note(self, match: str, event: MatchEvent, moment: datetime, holders: dict[int, str]) -> None:
        if isinstance(event, events.TimedOut):
            key = (match, event.seat, event.question, canonical.read_time(event.due_at))
            person = self.seated.get(holders.get(event.seat, ""))
            self.timeouts[key].append(TimedOut(moment, event.excused, event.policy, person))
        elif isinstance(event, DeadlineSet | Paused | Resumed | Outage | Seated):
            self.moved.add((match, moment))

    def was_open(self, key: QuestionKey, at: datetime, clock: float) -> bool:
        """Return True if a question was open at a virtual moment.

        If it was closed in that moment, the machine's clock decides.
        """
        return any(
            one.asked <= at and (one.ended is None or at < one.ended or (at == one.ended and clock < one.ended_clock))
            for one in self.open.get(key, ())
        )


def _stamps(match_id: UUID) -> dict[int, float]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT version, extract(epoch FROM recorded_at)::float8 FROM events_event WHERE stream = %s::uuid", [match_id]
        )
        return dict(cursor.fetchall())
