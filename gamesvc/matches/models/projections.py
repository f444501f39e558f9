"""State of the feed's consumers: their cursors, and the figures of each seat tenure."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from gamesvc.matches.models.core import Match


class FeedCursor(models.Model):
    """A consumer's position in the feed of all events. It moves in the transaction that writes the consumer's results."""

    name = models.CharField(max_length=40, primary_key=True)
    epoch = models.PositiveSmallIntegerField(default=0)
    xid = models.BigIntegerField(default=0)
    pos = models.BigIntegerField(default=0)


class Reckoned(models.Model):
    """Progress of the statistics in one match, with the notes needed to continue from there."""

    match = models.OneToOneField(Match, on_delete=models.CASCADE, primary_key=True, related_name="+")
    version = models.IntegerField(default=0)
    notes = models.JSONField(default=dict)
    # The error that stopped the statistics here. `rebuild --statistics` tries again.
    fault = models.TextField(blank=True)

    class Meta:
        verbose_name = "statistics progress"
        verbose_name_plural = "statistics progress"


class Holding(models.Model):
    """A seat tenure. Its user is written when they sit down; the figures follow from the events.

    The events know the holder by a random id only: the figures outlive an erased user and identify nobody.
    """

    holder = models.UUIDField(primary_key=True)
    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="+")
    seat = models.PositiveSmallIntegerField()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    # False for a match that counts in no statistics: a fork, an analysis board, a start from a described position.
    counts = models.BooleanField(default=True, db_default=True)
    # At least two users began the match. Only then does its result say something about either.
    contested = models.BooleanField(default=False, db_default=False)
    answers = models.IntegerField(default=0, db_default=0)
    answer_seconds = models.BigIntegerField(default=0, db_default=0)
    timeouts = models.IntegerField(default=0, db_default=0)
    excused = models.IntegerField(default=0, db_default=0)
    finished = models.BooleanField(default=False, db_default=False)
    vacated = models.BooleanField(default=False, db_default=False)
    # 1 for the best; `shared` if others have the same place. None: not over, no result, or the seat was taken over.
    place = models.PositiveSmallIntegerField(null=True)
    shared = models.BooleanField(default=False, db_default=False)
    last_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = "seat tenure"
        verbose_name_plural = "seat tenures"
        indexes = [models.Index(fields=["user", "-last_at"], name="holding_user")]
