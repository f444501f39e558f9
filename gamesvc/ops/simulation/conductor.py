"""The course of a simulation: jump from moment to moment, let the workers do what is due, and break things on the way.

The order at each moment: the heartbeat and the effects of an outage; acts of players and deadlines, concurrently; bots;
reminders, digests and substitutes; mails. So the content of a notice is settled when it is sent. This repeats until nothing is
due.
"""

from __future__ import annotations

import heapq
import importlib
import itertools
import logging
import math
import random
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import redis
from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection
from django.db.models import Q

from gamesvc.celery import app
from gamesvc.games import catalog
from gamesvc.matches.clock import spans
from gamesvc.matches.models import Heartbeat, Outage
from gamesvc.matches.notices.reminding import MOMENT
from gamesvc.matches.record.availability import NAME
from gamesvc.ops.simulation import people
from gamesvc.ops.simulation.clock import VirtualClock
from gamesvc.ops.simulation.crew import Crew
from gamesvc.ops.simulation.people import Person, Plan
from gamesvc.ops.simulation.record import Broken, Record
from gamesvc.ops.simulation.sink import Sink
from gamesvc.ops.simulation.workers import SEND, Job
from gamesvc.queues import WORKERS
from notifications.models import Preference
from notifications.wanted import digest_hour, reminders

logger = logging.getLogger(__name__)

TASKS = "gamesvc.matches.tasks."
DEADLINES, BOTS, REMINDERS = f"{TASKS}sweep_deadlines", f"{TASKS}sweep_bots", f"{TASKS}sweep_reminders"
SUBSTITUTES, DIGESTS = f"{TASKS}sweep_substitutes", "notifications.tasks.sweep_digests"
# Tasks of beat that run at intervals, even if nothing is due.
NOW_AND_THEN = tuple(TASKS + name for name in ("watch_outages", "follow_statistics", "sweep_lobby", "sweep_undo"))
EVERY = timedelta(days=1)
# More rounds at one moment mean that something is due for ever.
MOST_ROUNDS = 200
NEVER_FIRED = timedelta(hours=3)

_NEXT = f"""
SELECT (SELECT min(greatest(due_at, claimed_until + interval '1 microsecond')) FROM matches_question WHERE due_at IS NOT NULL),
       (SELECT min(greatest(due_at, claimed_until)) FROM notifications_outbox WHERE status = 'queued'),
       (SELECT min(digest_at) FROM notifications_preference),
       (SELECT min(asked_at) + interval '6 seconds' FROM matches_question WHERE bot),
       (SELECT min(s.vacated_at) + %s::float8 * interval '1 day' + interval '1 second' FROM matches_seat s
          JOIN matches_match m ON m.id = s.match_id WHERE s.vacated_at IS NOT NULL AND NOT s.given_over AND m.status = 'running'),
       (SELECT min(moment) FROM matches_question q, unnest(%s::float8[], %s::float8[]) AS k(share, before),
          LATERAL (SELECT {MOMENT} AS moment) AS m
          WHERE NOT q.bot AND q.due_at > %s::timestamptz AND m.moment > greatest(%s::timestamptz, q.asked_at))
"""  # noqa: S608
_DUE = "SELECT match_id::text, seat, question, due_at FROM matches_question WHERE due_at <= %s::timestamptz"
_ASKED = """
SELECT q.match_id::text, q.seat, q.question, s.user_id, q.due_at FROM matches_question q
JOIN matches_seat s ON s.match_id = q.match_id AND s.index = q.seat WHERE s.user_id IS NOT NULL
"""
_FREE = """
SELECT s.match_id::text, s.index FROM matches_seat s JOIN matches_match m ON m.id = s.match_id
WHERE s.vacated_at IS NOT NULL AND NOT s.given_over AND m.status = 'running'
"""


@dataclass(slots=True)
class Chaos:
    """Numbers of the faults to inject. `restart` stops the database and starts it again, `crash` kills it and starts it again."""

    kills: int = 0
    hits: int = 0
    restarts: int = 0
    restart: Callable[[], None] = lambda: None
    crashes: int = 0
    crash: Callable[[], None] = lambda: None
    flushes: int = 0
    outages: int = 0


@dataclass(slots=True)
class Due:
    """The kinds of work that are due in a round."""

    deadlines: bool = False
    mails: bool = False
    digests: bool = False
    bots: bool = False
    substitutes: bool = False
    reminders: bool = False


@dataclass
class Conductor:
    """One simulation. Its database is empty at the beginning, and nothing else uses it or its broker."""

    clock: VirtualClock
    sink: Sink
    seed: str
    start: datetime
    days: int
    matches: int
    players: int
    chaos: Chaos
    workers: int = 2
    at_most: float = math.inf
    record: Record = field(default_factory=Record)
    say: Callable[[str], None] = lambda text: None

    def __post_init__(self) -> None:
        self.end = self.start + timedelta(days=self.days)
        self.rng = random.Random(f"{self.seed} acts")
        self.breaking = random.Random(f"{self.seed} chaos")
        self.people: dict[int, Person] = {}
        self.crew: Crew
        self.planned: set[tuple[object, ...]] = set()
        self.offered: set[tuple[str, int]] = set()
        self.agenda: list[tuple[datetime, int, Job]] = []
        self.order = itertools.count()
        self.points: list[reminders.Point] = []
        address = str(settings.REDIS_URL)
        path = address.removeprefix("redis+socket://").partition("?")[0]
        self.broker = redis.Redis(unix_socket_path=path) if path != address else redis.Redis.from_url(address)
        self.kill_moments: list[datetime] = []
        self.hit_moments: list[datetime] = []
        self.gaps: list[tuple[datetime, timedelta]] = []

    # --- the whole course ---

    def run(self) -> Record:
        """Run it from start to end. Afterwards nothing is due.

        If it cannot go on it ends early, and the record gives the reason. Raises `Broken` if the database is away.
        """
        # Once here, and not in each worker that replaces a killed one.
        app.loader.import_default_modules()
        importlib.import_module(settings.ROOT_URLCONF)
        catalog.games()
        spans.holiday_places()
        self._prepare()
        self.sink.start()
        self.crew = Crew(
            self.workers, self.clock, self.sink.port, self.record, self.breaking, self.kill_moments, self.hit_moments
        )
        try:
            self._live()
        except Broken as broken:
            if not connection.is_usable():
                raise
            self.end, self.record.stopped = self.clock.now(), str(broken)
        finally:
            self.crew.stop()
            self.sink.stop()
        return self.record

    def end_here(self) -> None:
        """End at the next moment."""
        self.at_most = 0.0

    def _prepare(self) -> None:
        rng = random.Random(f"{self.seed} people")
        self.people = people.settle(self.players, rng)
        for plan in people.matches(self.matches, self.people, self.start, self.days, rng):
            self._later(plan.at, ("match", plan))
        for person in self.people.values():
            if person.kind != "fast" and rng.random() < 0.4:
                self._plan_vacation(person, rng)
        self.kill_moments = sorted(self._some_moment() for _ in range(self.chaos.kills))
        self.hit_moments = sorted(self._some_moment() for _ in range(self.chaos.hits))
        for what, times in (("restart", self.chaos.restarts), ("crash", self.chaos.crashes)):
            for _ in range(times):
                self._later(self._some_moment(), (what,))
        for _ in range(self.chaos.flushes):
            self._later(self._some_moment(), ("flush",))
        self.gaps = sorted(
            (self._some_moment(), timedelta(hours=self.breaking.uniform(1, 30))) for _ in range(self.chaos.outages)
        )
        moment = self.start
        while moment < self.end:
            self._later(moment, ("now and then",))
            moment += EVERY
        self.points = reminders.points_in_use()
        Heartbeat.objects.create(name=NAME, beat_at=self.start)
        with_digest = Preference.objects.filter(digest_hour__isnull=False).select_related("user")
        for row in with_digest:
            row.digest_at = digest_hour.next_digest(row.user, row.digest_hour or 0, self.start)
            row.digested_at = self.start
            row.save()

    def _plan_vacation(self, person: Person, rng: random.Random) -> None:
        first = (self.start + timedelta(days=rng.uniform(1, max(2, self.days - 20)))).astimezone(person.zone).date()
        last = first + timedelta(days=rng.choice((2, 6, 13)))
        begins = datetime(first.year, first.month, first.day, tzinfo=person.zone).astimezone(self.start.tzinfo)
        ends = begins + timedelta(days=(last - first).days + 1)
        told = max(self.start, begins - timedelta(hours=rng.uniform(1, 60)))
        person.away.append((begins, ends))
        self._later(told, ("vacation", person.id, first, last))

    def _some_moment(self) -> datetime:
        return self.start + (self.end - self.start) * self.breaking.uniform(0.02, 0.95)

    def _later(self, moment: datetime, job: Job) -> None:
        heapq.heappush(self.agenda, (moment, next(self.order), job))

    def _live(self) -> None:
        began, told = time.monotonic(), time.monotonic()
        while True:
            self.record.seconds = time.monotonic() - began
            moment = self._next()
            if moment > self.end:
                break
            if self.record.seconds > self.at_most:
                self.end = self.clock.now()
                self.say(f"It ends here, on {self.end:%d %b %Y}.")
                break
            if self.gaps and moment >= self.gaps[0][0]:
                moment = max(moment, self._stand_still(*self.gaps.pop(0)))
            self.clock.set(moment)
            self.record.moments += 1
            self._moment(moment)
            if time.monotonic() - told > 10:
                told = time.monotonic()
                self.say(f"{moment:%d %b %Y %H:%M}, after {told - began:.0f} s: {self.record.progress()}")
        self.clock.set(self.end)
        self._moment(self.end)
        self.record.seconds = time.monotonic() - began

    # --- one moment ---

    def _moment(self, now: datetime) -> None:
        # The heartbeats of the skipped time, in which nothing else happened.
        self._execute("UPDATE matches_heartbeat SET beat_at = %s::timestamptz", [now])
        acts = self._take_acts(now)
        for _ in range(MOST_ROUNDS):
            due = self._due(now)
            if due.deadlines:
                self._observe(now)
            sweeps: list[Job] = [("task", DEADLINES)] * 2 if due.deadlines else []
            if not acts and due == Due():
                return
            self.crew.work([*acts, *sweeps])
            acts = []
            self.crew.work([*self._hints(*WORKERS["worker"]), *([("task", BOTS)] if self._due(now).bots else [])])
            due = self._due(now)
            planning = ((due.reminders, REMINDERS), (due.digests, DIGESTS), (due.substitutes, SUBSTITUTES))
            answers = self.crew.work([("task", name) for wanted, name in planning if wanted])
            if not due.reminders or answers[0] is not None:
                self.record.swept = now
            self.crew.work([*self._hints(*WORKERS["mailer"]), *([("task", SEND)] if self._due(now).mails else [])])
            self._plan_answers(now)
        raise Broken(f"At {now} something is due for ever: {self._due(now)}; failures: {dict(self.record.failures)}")

    def _take_acts(self, now: datetime) -> list[Job]:
        """Return what players do now. Events that hit the service itself happen at once."""
        acts: list[Job] = []
        while self.agenda and self.agenda[0][0] <= now:
            _, _, job = heapq.heappop(self.agenda)
            match job[0]:
                case "match":
                    self._open(job[1])
                case "restart" | "crash":
                    self.record.note(job[0])
                    self.crew.strike_database(job[0], getattr(self.chaos, job[0]))
                case "flush":
                    self.record.note(job[0])
                    self._flush()
                case "now and then":
                    self.crew.work([("task", name) for name in NOW_AND_THEN])
                    self.points = reminders.points_in_use()
                case _:
                    acts.append(job)
        return acts

    def _open(self, plan: Plan) -> None:
        host, *others = plan.people
        job = ("open", host, plan.game, plan.options, plan.clock, len(plan.people) + plan.bots, plan.bots)
        [match_id] = self.crew.work([job])
        self.record.opened += 1
        for other in others:
            self.crew.work([("join", match_id, other)])
        if self.rng.random() < 0.05:
            begins = self.clock.now() + timedelta(hours=self.rng.uniform(1, 40))
            self._later(begins, ("pause", match_id, False))
            self._later(begins + timedelta(days=self.rng.uniform(0.5, 6)), ("pause", match_id, True))

    def _plan_answers(self, now: datetime) -> None:
        """Decide for each new question when its player answers, and for each free seat if a substitute comes."""
        for match_id, seat, question, user_id, due_at in self._rows(_ASKED):
            key = (match_id, seat, question, user_id)
            if key in self.planned:
                continue
            self.planned.add(key)
            moment = self.people[user_id].answers_at(now, due_at, self.rng)
            if moment is not None:
                self._later(max(moment, now), ("act", match_id, seat, question, user_id))
        for match_id, seat in self._rows(_FREE):
            if (match_id, seat) not in self.offered:
                self.offered.add((match_id, seat))
                if self.rng.random() < 0.6:
                    who = self.rng.choice(sorted(self.people))
                    self._later(now + timedelta(hours=self.rng.uniform(1, 60)), ("take_over", match_id, seat, who))

    def _observe(self, now: datetime) -> None:
        """Note which deadlines have come, before any sweep looks."""
        for match_id, seat, question, due_at in self._rows(_DUE, [now]):
            seen = self.record.due.setdefault((match_id, seat, question, due_at), now)
            if now - seen > NEVER_FIRED:
                raise Broken(f"A deadline of {due_at} has not fired by {now}: match {match_id}, seat {seat}, {question}.")

    # --- the next moment ---

    def _times(self, since: datetime) -> list[datetime | None]:
        values = [
            settings.SUBSTITUTE_DAYS,
            [point.share for point in self.points],
            [point.before for point in self.points],
            since,
            since,
        ]
        return list(self._rows(_NEXT, values)[0])

    def _next(self) -> datetime:
        now = self.clock.now()
        times = [moment for moment in self._times(self.record.swept or self.start) if moment is not None]
        if self.agenda:
            times.append(self.agenda[0][0])
        return max(now, min(times, default=self.end + timedelta(days=1)))

    def _due(self, now: datetime) -> Due:
        reached = [moment is not None and moment <= now for moment in self._times(self.record.swept or self.start)]
        deadlines, mails, digests, bots, substitutes, reminders_ = reached
        return Due(deadlines, mails, digests, bots, substitutes, reminders_)

    # --- things that break ---

    def _hints(self, *queues: str) -> list[Job]:
        return [("hints", queue) for queue in queues if self.broker.llen(queue)]

    def _flush(self) -> None:
        self.broker.flushall()

    def _stand_still(self, began: datetime, lasting: timedelta) -> datetime:
        """Stop the heartbeat and all acts for this long. The first beat afterwards detects the outage."""
        now = max(began + lasting, self.clock.now())
        self._execute("UPDATE matches_heartbeat SET beat_at = %s::timestamptz", [began])
        self.clock.set(now)
        self.crew.work([("task", f"{TASKS}watch_outages")])
        while Outage.objects.filter(Q(settled_at=None) | ~Q(failed={})).exists():
            self._execute("UPDATE matches_outage SET claimed_until = NULL")  # the expired lease of a dead worker
            self.crew.work([("task", f"{TASKS}watch_outages")])
        self.record.note("outage")
        return now

    # --- the database ---

    def _rows(self, sql: str, params: list[Any] | None = None) -> list[tuple[Any, ...]]:
        for _ in range(3):
            try:
                with connection.cursor() as cursor:
                    cursor.execute(sql, params or [])
                    return list(cursor.fetchall())
            except (DatabaseError, InterfaceError):
                with suppress(DatabaseError, InterfaceError):
                    connection.close()
        raise Broken("The database does not answer.")

    def _execute(self, sql: str, params: list[Any] | None = None) -> None:
        with connection.cursor() as cursor:
            cursor.execute(sql, params or [])


def make(
    folder: Path,
    *,
    matches: int,
    days: int,
    players: int,
    seed: str,
    chaos: Chaos,
    start: datetime,
    workers: int = 2,
    at_most: float = math.inf,
    say: Callable[[str], None] = lambda text: None,
) -> Conductor:
    """Return a simulation that is ready to run."""
    clock = VirtualClock(start)
    sink = Sink(folder, clock, seed=seed, busy=0.01 if chaos.kills else 0.0)
    return Conductor(clock, sink, seed, start, days, matches, players, chaos, workers=workers, at_most=at_most, say=say)
