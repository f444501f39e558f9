"""What the followers of the feed keep: how far they have come, and what each person's holding of a seat came to."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from gamesvc.matches.models.core import Match


class FeedCursor(models.Model):
    """How far a follower has read the feed of all events; moved in the transaction of what it made of them."""

    name = models.CharField(max_length=40, primary_key=True)
    epoch = models.PositiveSmallIntegerField(default=0)
    xid = models.BigIntegerField(default=0)
    pos = models.BigIntegerField(default=0)


class Reckoned(models.Model):
    """How far the statistics have come in one match, and what they must know of it to go on from there."""

    match = models.OneToOneField(Match, on_delete=models.CASCADE, primary_key=True, related_name="+")
    version = models.IntegerField(default=0)
    notes = models.JSONField(default=dict)
    # Why the statistics could not go on here; `rebuild --statistics` tries again.
    fault = models.TextField(blank=True)


class Holding(models.Model):
    """One person's holding of a seat. Who it was is written when he sits down; the numbers follow from the events.

    The events know the holder by his random id alone: of an erased user the numbers stay, and say nothing of him.
    """

    holder = models.UUIDField(primary_key=True)
    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="+")
    seat = models.PositiveSmallIntegerField()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    # False: a match that counts in no statistics (a fork, a board, a start from a described position).
    counts = models.BooleanField(default=True, db_default=True)
    # The match was begun by two persons or more; only then its result says something about either.
    contested = models.BooleanField(default=False, db_default=False)
    answers = models.IntegerField(default=0, db_default=0)
    answer_seconds = models.BigIntegerField(default=0, db_default=0)
    timeouts = models.IntegerField(default=0, db_default=0)
    excused = models.IntegerField(default=0, db_default=0)
    finished = models.BooleanField(default=False, db_default=False)
    vacated = models.BooleanField(default=False, db_default=False)
    # 1 for the best; with `shared` others have the same. None: not over, no result, or a seat taken over from another.
    place = models.PositiveSmallIntegerField(null=True)
    shared = models.BooleanField(default=False, db_default=False)
    last_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["user", "-last_at"], name="holding_user")]
