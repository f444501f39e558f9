"""Whether the service can take commands: a row that beats, and the gaps in which it did not (see `matches.outages`)."""

from __future__ import annotations

from django.db import models


class Heartbeat(models.Model):
    """When the service was last known to take commands. One row."""

    name = models.CharField(max_length=20, primary_key=True)
    beat_at = models.DateTimeField()


class Outage(models.Model):
    """A gap in which no command could be taken. No deadline is fired before those it touches have been moved."""

    started_at = models.DateTimeField()
    ended_at = models.DateTimeField()
    settled_at = models.DateTimeField(null=True)
    claimed_until = models.DateTimeField(null=True)
    # The matches that could not be moved yet, and how often that was tried: they alone still wait once it is settled.
    failed = models.JSONField(default=dict, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["started_at"], name="outage_once")]
        indexes = [models.Index(fields=["started_at"], name="outage_open", condition=models.Q(settled_at=None))]
