"""Votes to pause a match, and subscriptions to free seats."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone


class PauseWish(models.Model):
    """A seat's vote to pause a running match, or to resume a paused one. Rows are deleted once the vote is settled."""

    match = models.ForeignKey("matches.Match", on_delete=models.CASCADE, related_name="pause_wishes")
    seat = models.PositiveSmallIntegerField()
    wished_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = "pause request"
        verbose_name_plural = "pause requests"
        constraints = [models.UniqueConstraint(fields=["match", "seat"], name="pause_wish_once")]


class Follow(models.Model):
    """A user's subscription to free seats: in matches of one game, or of one organiser."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    game = models.CharField(max_length=40, blank=True)
    organiser = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, related_name="followers")
    since = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "game"], name="follow_game_once", condition=models.Q(organiser=None)),
            models.UniqueConstraint(
                fields=["user", "organiser"], name="follow_organiser_once", condition=models.Q(organiser__isnull=False)
            ),
        ]
        indexes = [models.Index(fields=["game"], name="follow_game")]
