"""After an outage: the deadlines that fell into it, or shortly after it, are moved by as much, each as an event.

Until that is done for every match no sweep fires anything, so nobody is timed out for a time in which he could not answer.
"""

from __future__ import annotations

import logging
from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from gamesvc.matches import heartbeat
from gamesvc.matches.deadlines import outlast_outage
from gamesvc.matches.models import Match, Outage, Question

logger = logging.getLogger(__name__)

BATCH = 200
LEASE = timedelta(seconds=60)


def watch() -> int:
    """Beat, and settle what outages there were. Returns how many matches were moved."""
    heartbeat.beat()
    return sum(settle(outage) for outage in Outage.objects.filter(settled_at=None).order_by("started_at") if _claim(outage))


def settle(outage: Outage) -> int:
    """Move the deadlines of every match that the outage touched. Returns how many matches it moved."""
    margin, moved = heartbeat.margin(outage), 0
    touched = Question.objects.filter(due_at__gte=outage.started_at, due_at__lt=outage.ended_at + margin)
    waiting = list(touched.values_list("match_id", flat=True).distinct())
    for at in range(0, len(waiting), BATCH):
        _renew(outage)
        heartbeat.keep_alive()
        for match in Match.objects.filter(pk__in=waiting[at : at + BATCH]):
            try:
                moved += outlast_outage(match=match, outage=outage, margin=margin)
            except Exception:
                # One match that cannot go on must not stop the clocks of all others; its own deadlines wait as long as it would.
                logger.exception("The deadlines of match %s could not be moved by the outage.", match.pk)
                later = timezone.now() + (outage.ended_at - outage.started_at)
                Question.objects.filter(match=match).update(claimed_until=later)
    Outage.objects.filter(pk=outage.pk).update(settled_at=timezone.now())
    return moved


def _claim(outage: Outage) -> bool:
    """Lease an outage, so that two workers do not move the same matches; a worker that dies leaves it to the next."""
    now = timezone.now()
    free = Outage.objects.filter(Q(claimed_until=None) | Q(claimed_until__lt=now), pk=outage.pk, settled_at=None)
    return bool(free.update(claimed_until=now + LEASE))


def _renew(outage: Outage) -> None:
    Outage.objects.filter(pk=outage.pk).update(claimed_until=timezone.now() + LEASE)
