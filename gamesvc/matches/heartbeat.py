"""Whether the service can take commands: one row that beats, the gaps in which it did not, and what they forgive.

Celery beat has it written every few seconds; it is written only while every door in `HEARTBEAT_PROBES` answers (the web
server, the mail receiver). Nothing here moves a deadline: see `outages`.
"""

from __future__ import annotations

import http.client
import logging
import socket
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from gamesvc.matches.models import Heartbeat, Outage

logger = logging.getLogger(__name__)

NAME = "service"
PROBE_SECONDS = 2.0


def gap() -> timedelta:
    """How long the row may stand still before that counts as an outage."""
    return timedelta(seconds=settings.HEARTBEAT_GAP_SECONDS)


def beat() -> Outage | None:
    """Say that commands can be taken now, unless a door does not answer. Returns the outage that ends with this, if any."""
    closed = [door for door in settings.HEARTBEAT_PROBES if not _answers(door)]
    if closed:
        logger.warning("No heartbeat: %s does not answer.", ", ".join(closed))
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
    """A sweep at work shows that the service works; so a long one lets the row not stand still. Begins no row."""
    now = timezone.now()
    Heartbeat.objects.filter(name=NAME, beat_at__gte=now - gap(), beat_at__lt=now - gap() / 6).update(beat_at=now)


def may_fire() -> bool:
    """Whether deadlines may fire: the row beats (or has never been written), and no outage waits to be settled."""
    beats = Heartbeat.objects.filter(name=NAME).first()
    if beats is not None and timezone.now() - beats.beat_at > gap():
        return False
    return not Outage.objects.filter(settled_at=None).exists()


def forgives(due_at: datetime) -> bool:
    """Whether a deadline fell into an outage, or shortly after one, that has not been settled yet."""
    now = timezone.now()
    beats = Heartbeat.objects.filter(name=NAME).first()
    if beats is not None and now - beats.beat_at > gap() and due_at >= beats.beat_at:
        return True
    open_ones = Outage.objects.filter(Q(settled_at=None), started_at__lte=due_at)
    return any(due_at < outage.ended_at + margin(outage) for outage in open_ones)


def margin(outage: Outage) -> timedelta:
    """How long after an outage a deadline is moved as well: whoever had less than that left lost most of it."""
    return max(outage.ended_at - outage.started_at, timedelta(seconds=settings.SECONDS_PER_HOUR))


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
