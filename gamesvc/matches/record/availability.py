"""Availability of the service: a heartbeat row, the gaps in it, and the lateness they excuse.

Each web server writes the row every few seconds (`keep_beating`), and so do Celery beat and a sweep with something to fire. It is
written only while every address in `HEARTBEAT_PROBES` answers (the web server, the mail receiver). A missing worker or broker
makes deadlines late, but that is no outage: players could still answer. A deadline fires once a later beat proves that it could
be met. Not here: moving deadlines (`timekeeping.outages`).
"""

from __future__ import annotations

import http.client
import logging
import socket
import threading
import time
from datetime import datetime, timedelta
from urllib.parse import urlsplit
from uuid import UUID

import psycopg
from django.conf import settings
from django.db import OperationalError, ProgrammingError, connection, connections, transaction
from django.db.models import Q
from django.utils import timezone

from accounts.models import User
from events import store
from gamesvc.away import is_unprepared
from gamesvc.database.rows import columns
from gamesvc.matches.clock import compute
from gamesvc.matches.clock.spans import Span
from gamesvc.matches.models import Heartbeat, Match, Outage, Question, Seat
from notifications.models import Outbox

logger = logging.getLogger(__name__)

NAME = "service"
PROBE_SECONDS = 2.0
# Greatest age of the last beat for a sweep that has something to fire. If it is older, the sweep probes the addresses itself.
FRESH = timedelta(seconds=0.5)
# Longest wait for the database with which a beat still counts.
PROMPT = timedelta(seconds=PROBE_SECONDS)

# A sort that takes some hundred kilobytes of a temporary file, and some milliseconds.
_SPILL = (
    "SELECT max(at) FROM (SELECT row_number() OVER (ORDER BY md5(n::text)) AS at FROM generate_series(1, 5000) AS n) AS sorted"
)

# What each command reads or writes. A beat takes the lock of a writer on these tables, if nobody keeps it waiting, and names all
# their columns.
_MODELS = (User, Match, Seat, Question, Outbox)
_TABLES = ", ".join((store.TABLE, *(model._meta.db_table for model in _MODELS)))
_COLUMNS = ", ".join(
    f"EXISTS (SELECT {', '.join(columns('t', model))} FROM {model._meta.db_table} t LIMIT 0)"  # noqa: S608
    for model in _MODELS
)

# The last beat of the future that was met, and when it was first met on the monotonic clock.
_ahead: tuple[datetime, float] | None = None


def gap() -> timedelta:
    """Return how long the row may stay unchanged before that counts as an outage."""
    return timedelta(seconds=settings.HEARTBEAT_GAP_SECONDS)


def beat() -> Outage | None:
    """Record that commands can be taken now, unless a probe fails. Return the outage that ends with this beat, if any.

    A beat that the database has kept waiting is none: an outage would end with it while the database did not answer yet.
    """
    if not _doors_open():
        return None
    asked = timezone.now()
    with transaction.atomic():
        row = Heartbeat.objects.select_for_update().filter(name=NAME).first()
        now = timezone.now()
        if now - asked > PROMPT:
            return None
        if row is None:
            Heartbeat.objects.get_or_create(name=NAME, defaults={"beat_at": now})
            return None
        outage = None
        if now - row.beat_at > gap():
            outage, _ = Outage.objects.get_or_create(started_at=row.beat_at, defaults={"ended_at": now})
        if now > row.beat_at or _was_set_back(row.beat_at):
            Heartbeat.objects.filter(name=NAME).update(beat_at=now)
    return outage


def _was_set_back(beat_at: datetime) -> bool:
    """Return True if a beat of the future has stood as long as a gap: the clock was set back, and nobody beats ahead of it.

    Until the clock had caught up with it no outage would be noticed.
    """
    global _ahead
    since = time.monotonic()
    if _ahead is None or _ahead[0] != beat_at:
        _ahead = beat_at, since
    return since - _ahead[1] >= gap().total_seconds()


def keep_alive() -> None:
    """Beat during a long piece of work if all probes answer. Never create the row and never end an outage."""
    now = timezone.now()
    beating = Heartbeat.objects.filter(name=NAME, beat_at__gte=now - gap(), beat_at__lt=now - FRESH)
    if beating.exists() and _doors_open():
        # The moment before the probes: they answered after it.
        beating.update(beat_at=now)


def keep_beating() -> threading.Thread:
    """Beat from a separate thread as long as this process lives."""

    def run() -> None:
        while True:
            try:
                beat()
            except Exception:
                logger.exception("The heartbeat failed; it is tried again.")
                connections.close_all()
            time.sleep(settings.HEARTBEAT_SECONDS)

    thread = threading.Thread(target=run, name="heartbeat", daemon=True)
    thread.start()
    return thread


def proven_until() -> datetime | None:
    """Return the moment up to which deadlines may fire: that of the last beat, or now if there has never been one.

    None: no deadline may fire, because the row is stale or an outage is not settled yet.
    """
    now = timezone.now()
    # Before the outages: the beat that ends one is written with it, so nobody can read the beat here and miss the outage.
    beats = Heartbeat.objects.filter(name=NAME).first()
    if Outage.objects.filter(settled_at=None).exists():
        return None
    if beats is None:
        return now
    return None if now - beats.beat_at > gap() else beats.beat_at


def held_back() -> set[UUID]:
    """Return the ids of matches whose deadlines an outage could not move yet. No deadline of theirs may fire before that."""
    waiting = Outage.objects.exclude(failed={}).values_list("failed", flat=True)
    return {UUID(match_id) for failed in waiting for match_id in failed}


def forgives(due_at: datetime, match_id: UUID) -> bool:
    """Return True if a deadline fell into, or shortly after, an outage that is not settled for its match yet."""
    now = timezone.now()
    beats = Heartbeat.objects.filter(name=NAME).first()
    if beats is not None and now - beats.beat_at > gap() and due_at >= beats.beat_at:
        return True
    waiting = Q(settled_at=None) | Q(failed__has_key=str(match_id))
    open_ones = Outage.objects.filter(waiting, started_at__lte=due_at)
    return any(due_at < outage.ended_at + margin(outage) for outage in open_ones)


def margin(outage: Outage) -> timedelta:
    """Return how long after an outage deadlines are still moved."""
    return compute.margin(Span(outage.started_at, outage.ended_at), timedelta(seconds=settings.SECONDS_PER_HOUR))


def _doors_open() -> bool:
    closed = [door for door in settings.HEARTBEAT_PROBES if not _answers(door)]
    if closed:
        logger.warning("No heartbeat: %s does not answer.", ", ".join(closed))
    return not closed and _takes_commands()


def _takes_commands() -> bool:
    """Return True if the database can write more than fits into its files, nobody has locked a table that each command needs, and
    these tables are those of this version.

    On a full disk it still changes the row of the beat, as it does beside such a lock or between the halves of an update, while
    it refuses each command.
    """
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL work_mem = '64kB'")
            cursor.execute(_SPILL)
            cursor.execute(f"LOCK TABLE {_TABLES} IN ROW EXCLUSIVE MODE NOWAIT")
            cursor.execute(f"SELECT {_COLUMNS}")
    except (OperationalError, ProgrammingError) as fault:
        if not (isinstance(fault.__cause__, psycopg.errors.DiskFull | psycopg.errors.LockNotAvailable) or is_unprepared(fault)):
            raise
        logger.warning("No heartbeat: the database takes no commands: %s", fault)
        return False
    return True


def _answers(door: str) -> bool:
    """Return True if an address (`http://host:port/path`, `tcp://host:port`) answers; over HTTP with a status below 500."""
    parts = urlsplit(door)
    host, port = parts.hostname or "localhost", parts.port or 80
    try:
        if parts.scheme == "tcp":
            socket.create_connection((host, port), PROBE_SECONDS).close()
            return True
        connection = http.client.HTTPConnection(host, port, timeout=PROBE_SECONDS)
        try:
            connection.request("GET", parts.path or "/")
            return connection.getresponse().status < 500
        finally:
            connection.close()
    except (OSError, http.client.HTTPException):
        return False
