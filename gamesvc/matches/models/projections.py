"""State of the feed's consumers: their cursors, the figures of each seat tenure, and the ratings."""

from __future__ import annotations

import uuid

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


class Rating(models.Model):
    """The rating of a user or a bot in one game, as its last rated match left it.

    Its id is random, and it stays when the user is erased: the ratings of the opponents go on from the same numbers.
    """

    class Pool(models.TextChoices):
        """Matches that people began alone, and matches with bots, which never change the ratings that people see."""

        PEOPLE = "people"
        BOTS = "bots"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    game = models.CharField(max_length=40)
    pool = models.CharField(max_length=10, choices=Pool.choices)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    bot = models.CharField(max_length=40, blank=True)
    mu = models.FloatField(default=0.0)
    sigma = models.FloatField(default=0.0)
    # The low end of the range (`statistics.rating_rules`), by which leaderboards are sorted.
    low = models.FloatField(default=0.0)
    matches = models.PositiveIntegerField(default=0)
    won = models.PositiveIntegerField(default=0)
    last_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user", "game", "pool"], name="rating_of_user_once", condition=models.Q(user__isnull=False)
            ),
            models.UniqueConstraint(fields=["game", "bot"], name="rating_of_bot_once", condition=~models.Q(bot="")),
        ]
        indexes = [
            models.Index(fields=["game", "pool", "-low"], name="rating_leaders", condition=models.Q(matches__gte=5)),
            # Few among the many of people: the lists of bots would read them all.
            models.Index(fields=["game", "-low"], name="rating_bots", condition=models.Q(pool="bots")),
        ]


class Rated(models.Model):
    """The result of one participant in a rated match, with their rating before and after it."""

    holder = models.UUIDField(primary_key=True)
    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="rated")
    rating = models.ForeignKey(Rating, on_delete=models.CASCADE, related_name="rated")
    seat = models.PositiveSmallIntegerField()
    # 1 for the best; `shared` if others have the same place. Participants who left the match (`left`) share the last one.
    place = models.PositiveSmallIntegerField()
    shared = models.BooleanField(default=False)
    left = models.BooleanField(default=False)
    # The place of the match's end in the log. Ratings are folded in this order.
    pos = models.BigIntegerField()
    ended_at = models.DateTimeField()
    mu_before = models.FloatField(default=0.0)
    sigma_before = models.FloatField(default=0.0)
    mu = models.FloatField(default=0.0)
    sigma = models.FloatField(default=0.0)

    class Meta:
        verbose_name = "rated result"
        verbose_name_plural = "rated results"
        indexes = [
            models.Index(fields=["rating", "-pos"], name="rated_course"),
            models.Index(fields=["pos"], name="rated_order"),
        ]
