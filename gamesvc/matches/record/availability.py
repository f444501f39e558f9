"""Whether the service can take commands: one row that beats, the gaps in which it did not, and what they forgive.

Each web server has it written every few seconds (`keep_beating`), Celery beat does, and so does a sweep that has something to
fire; it is written only while every door in `HEARTBEAT_PROBES` answers (the web server, the mail receiver). So workers or a
broker that are away make deadlines late, and that is no outage: players could answer. A deadline fires when a beat came after
it: that proves that it could be met. Nothing here moves a deadline: see `outages`.
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

from django.conf import settings
from django.db import connections, transaction
from django.db.models import Q
from django.utils import timezone

from gamesvc.matches.clock import compute
from gamesvc.matches.clock.spans import Span
from gamesvc.matches.models import Heartbeat, Outage

logger = logging.getLogger(__name__)

NAME = "service"
PROBE_SECONDS = 2.0
# So old the last beat may be for a sweep that has something to fire; then it looks at the doors itself.
FRESH = timedelta(seconds=0.5)


def gap() -> timedelta:
    """How long the row may stand still before that counts as an outage."""
    return timedelta(seconds=settings.HEARTBEAT_GAP_SECONDS)


def beat() -> Outage | None:
    """Say that commands can be taken now, unless a door does not answer. Returns the outage that ends with this, if any."""
    if not _doors_open():
        return None
    now = timezone.now()
    with transaction.atomic():
        row = Heartbeat.objects.select_for_update().filter(name=NAME).first()
        if row is None:
            Heartbeat.objects.get_or_create(name=NAME, defaults={"beat_at": now})
            return None
        outage = None
        if now - row.beat_at > gap():
            outage, _ = Outage.objects.get_or_create(started_at=row.beat_at, defaults={"ended_at": now})
        if now > row.beat_at:
            Heartbeat.objects.filter(name=NAME).update(beat_at=now)
    return outage


def keep_alive() -> None:
    """Beat from within a long piece of work, where the doors answer, so that the row does not stand still. Begins no row, and
    ends no outage."""
    now = timezone.now()
    beating = Heartbeat.objects.filter(name=NAME, beat_at__gte=now - gap(), beat_at__lt=now - FRESH)
    if beating.exists() and _doors_open():
        # The moment before the doors were tried: they answered after it.
        beating.update(beat_at=now)


def keep_beating() -> threading.Thread:
    """Beat from a thread of its own as long as this process lives."""

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
    """Up to which moment deadlines may fire: that of the last beat (now, where none has ever been). None: none may fire, as the
    row stands still or an outage waits to be settled."""
    now = timezone.now()
    if Outage.objects.filter(settled_at=None).exists():
        return None
    beats = Heartbeat.objects.filter(name=NAME).first()
    if beats is None:
        return now
    return None if now - beats.beat_at > gap() else beats.beat_at


def held_back() -> set[UUID]:
    """The matches whose deadlines an outage could not move yet: they fire nothing until it has."""
    waiting = Outage.objects.exclude(failed={}).values_list("failed", flat=True)
    return {UUID(match_id) for failed in waiting for match_id in failed}


def forgives(due_at: datetime, match_id: UUID) -> bool:
    """Whether a deadline of a match fell into an outage, or shortly after one, that has not been settled for it yet."""
    now = timezone.now()
    beats = Heartbeat.objects.filter(name=NAME).first()
    if beats is not None and now - beats.beat_at > gap() and due_at >= beats.beat_at:
        return True
    waiting = Q(settled_at=None) | Q(failed__has_key=str(match_id))
    open_ones = Outage.objects.filter(waiting, started_at__lte=due_at)
    return any(due_at < outage.ended_at + margin(outage) for outage in open_ones)


def margin(outage: Outage) -> timedelta:
    """How long after an outage a deadline is moved as well."""
    return compute.margin(Span(outage.started_at, outage.ended_at), timedelta(seconds=settings.SECONDS_PER_HOUR))


def _doors_open() -> bool:
    closed = [door for door in settings.HEARTBEAT_PROBES if not _answers(door)]
    if closed:
        logger.warning("No heartbeat: %s does not answer.", ", ".join(closed))
    return not closed


def _answers(door: str) -> bool:
    """Whether a door (`http://host:port/path`, `tcp://host:port`) opens; a web server not with an error of its own."""
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
