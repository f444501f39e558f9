"""`bench feed`: a consumer of the feed beside eight writers, one of which is killed, and a transaction that stays open.

Writers are separate processes; some append late in a transaction that took its id early. The consumer is the one of
`following.py`, with its cursor and its results in one transaction; it is killed too, and restarted. Its results are compared with
the log: `missed`, `doubled`, `disordered` must be 0. `raw` reads the same log in one scan of the primary key.
"""

from __future__ import annotations

import multiprocessing
import random
import signal
import time
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from multiprocessing.context import ForkProcess

import psycopg
from django.conf import settings
from django.db import connection, connections, transaction

from events.store import DuplicateCommand, Head, NewEvent, StoredEvent, VersionConflict
from gamesvc.matches.models import FeedCursor
from gamesvc.matches.record.rows import following
from gamesvc.matches.record.stream import STORE
from gamesvc.ops.benches import Row, owner, row

EVENTS = 100_000
WRITERS = 8
# The parts of the events that the consumer has followed when it is killed.
KILLS = (0.02, 0.3, 0.6)
FOLLOWER = "bench"
_FORK = multiprocessing.get_context("fork")
DATA = {"colony": {"at": "C4", "seat": 1, "size": 3}, "ships": ["scout", "miner"], "turn": 12}
META = {"actor": {"kind": "seat", "seat": 1}, "channel": "api", "rules": "stratastar/1.0.0"}
TABLE = """
CREATE TABLE bench_followed (number bigint GENERATED ALWAYS AS IDENTITY, stream uuid NOT NULL, version int NOT NULL);
CREATE INDEX bench_followed_stream ON bench_followed (stream, version);
GRANT SELECT, INSERT ON bench_followed TO PUBLIC;
"""


def rows(seconds: float) -> list[Row]:
    """Return the row for about 100,000 events; fewer if a test asks for less time."""
    return [measure(max(1000, int(EVENTS * min(1.0, seconds / 4.0))))]


def measure(events: int) -> Row:
    """Write and follow so many events, disturb both, and compare the consumer's results with the log."""
    with owner.connect() as own:
        own.execute(TABLE)
    connections.close_all()
    began = time.perf_counter()
    load = _Load(events)
    while load.goes_on():
        time.sleep(0.05)
        load.hold_transaction()
        load.kill_writer()
        load.kill_follower()
    load.end()
    while _step():
        pass
    took = time.perf_counter() - began
    written, missed, doubled, disordered = _compare()
    return row(
        "feed",
        written / took,
        "events/s",
        _raw(),
        events=written,
        missed=missed,
        doubled=doubled,
        disordered=disordered,
        writers=WRITERS,
        writers_killed=1,
        followers_killed=load.kills,
        transactions_left_open=int(load.opened),
    )


class _Load:
    """Writers and a consumer, in processes of their own, and a connection that keeps a transaction open for a while."""

    def __init__(self, events: int) -> None:
        self.events = events
        self.kills = 0  # of consumers
        self.opened = self.ended = False  # the transaction
        # One more than needed: it keeps writing until it is killed.
        self._doomed = _FORK.Process(target=_write, args=(0, 10**9), daemon=True)
        each = events // (WRITERS - 1)
        self._writers = [_FORK.Process(target=_write, args=(number, each), daemon=True) for number in range(1, WRITERS)]
        for process in (self._doomed, *self._writers):
            process.start()
        self._follower = self._start_follower()
        self._idle = psycopg.connect(settings.DATABASE_OWNER_URL)

    def goes_on(self) -> bool:
        """Return True while there is more to write, or to kill: on a busy machine the consumer is behind the writers."""
        return any(writer.is_alive() for writer in self._writers) or (self.kills < len(KILLS) and self._follower.is_alive())

    def hold_transaction(self) -> None:
        """Keep a transaction open from the moment when a tenth is followed until two fifths are written."""
        if not self.opened and _followed() > 0.1 * self.events:
            self._idle.execute("SELECT pg_current_xact_id()")
            self.opened = True
        if self.opened and not self.ended and _written() > 0.4 * self.events:
            self._idle.rollback()
            self.ended = True

    def kill_writer(self) -> None:
        """Kill the doomed writer once a fifth is written."""
        if self._doomed.is_alive() and _written() > 0.2 * self.events:
            self._doomed.kill()

    def kill_follower(self) -> None:
        """Kill the consumer at its next moment, and start another one."""
        if self.kills < len(KILLS) and _followed() > KILLS[self.kills] * self.events:
            self._follower.kill()
            self._follower.join()
            self._follower = self._start_follower()
            self.kills += 1

    def end(self) -> None:
        """End everything. Raises `RuntimeError` if a writer failed."""
        self._doomed.kill()
        for process in (self._doomed, *self._writers):
            process.join()
        self._idle.close()
        self._follower.terminate()
        self._follower.join()
        if any(writer.exitcode for writer in self._writers):
            raise RuntimeError("A writer failed.")

    def _start_follower(self) -> ForkProcess:
        connections.close_all()  # a forked child must not share ours
        follower = _FORK.Process(target=_follow, daemon=True)
        follower.start()
        return follower


def _write(number: int, count: int) -> None:
    """Append `count` events to new streams, alone and within longer transactions."""
    connections.close_all()
    rng = random.Random(number)
    done = 0
    while done < count:
        stream = uuid.uuid4()
        head = Head.empty(stream)
        for _ in range(rng.randint(1, 60)):
            made = [NewEvent("stratastar.colony_placed", 1, DATA, META, datetime.now(UTC))] * rng.randint(1, 4)
            try:
                if rng.random() < 0.2:
                    with transaction.atomic():
                        with connection.cursor() as cursor:
                            cursor.execute("SELECT pg_current_xact_id()")
                        time.sleep(rng.random() / 500)
                        head = STORE.append(stream, made, expected=head, command_id=uuid.uuid4())[-1].head
                else:
                    head = STORE.append(stream, made, expected=head, command_id=uuid.uuid4())[-1].head
            except (VersionConflict, DuplicateCommand):
                raise SystemExit(1) from None  # no other process writes here
            done += len(made)
            if done >= count:
                return


def _follow() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    connections.close_all()
    while True:
        if not _step():
            time.sleep(0.01)


def _step() -> int:
    return following.follow(FOLLOWER, applied=_applied, apply=_apply)


def _applied(stream: uuid.UUID) -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT max(version) FROM bench_followed WHERE stream = %s::uuid", [stream])
        return cursor.fetchone()[0] or 0


def _apply(stream: uuid.UUID, events: Sequence[StoredEvent]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO bench_followed (stream, version) SELECT %s::uuid, unnest(%s::int[])",
            [stream, [one.version for one in events]],
        )


def _count(query: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(query)
        return int(cursor.fetchone()[0])


def _followed() -> int:
    return _count("SELECT count(*) FROM bench_followed")


def _written() -> int:
    return _count("SELECT count(*) FROM events_event")


def _compare() -> tuple[int, int, int, int]:
    """Return the number of events, and how many were missed, processed twice, or out of order."""
    assert FeedCursor.objects.filter(name=FOLLOWER).exists()
    written = _written()
    missed = _count(
        "SELECT count(*) FROM events_event e WHERE NOT EXISTS"
        " (SELECT FROM bench_followed f WHERE f.stream = e.stream AND f.version = e.version)"
    )
    doubled = _followed() - _count("SELECT count(*) FROM (SELECT DISTINCT stream, version FROM bench_followed) d")
    disordered = _count(
        "SELECT count(*) FROM (SELECT version, lag(version) OVER (PARTITION BY stream ORDER BY number) AS before"
        " FROM bench_followed) o WHERE version <> coalesce(before, 0) + 1"
    )
    return written, missed, doubled, disordered


def _raw() -> float:
    """Return the events per second of a plain scan of the log into the same objects."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT DISTINCT stream FROM events_event")
        streams = [one[0] for one in cursor.fetchall()]
    began, read = time.perf_counter(), 0
    for stream in streams:
        read += len(STORE.read(stream))
    return read / (time.perf_counter() - began)
