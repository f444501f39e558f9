"""Availability of the service: a heartbeat row and the gaps in it (see `matches.timekeeping.outages`)."""

from __future__ import annotations

from django.db import models


class Heartbeat(models.Model):
    """The last moment at which the service was known to take commands. There is one row."""

    name = models.CharField(max_length=20, primary_key=True)
    beat_at = models.DateTimeField()


class Outage(models.Model):
    """A gap in which no command could be taken. No deadline fires before the deadlines it touches have been moved."""

    started_at = models.DateTimeField()
    ended_at = models.DateTimeField()
    settled_at = models.DateTimeField(null=True)
    claimed_until = models.DateTimeField(null=True)
    # Matches that are still to be moved, with the number of failed attempts; none before the first look. Once the outage is
    # settled, only these still wait.
    failed = models.JSONField(default=dict, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["started_at"], name="outage_once")]
        indexes = [models.Index(fields=["started_at"], name="outage_open", condition=models.Q(settled_at=None))]
