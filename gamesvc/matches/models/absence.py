"""Who wants a match paused, and who wants to hear of seats that fall free."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone


class PauseWish(models.Model):
    """A seat's word for pausing a running match, or for going on with a paused one. Settled wishes are deleted."""

    match = models.ForeignKey("matches.Match", on_delete=models.CASCADE, related_name="pause_wishes")
    seat = models.PositiveSmallIntegerField()
    wished_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["match", "seat"], name="pause_wish_once")]


class Follow(models.Model):
    """A person who wants to hear of free seats: in matches of a game, or of an organiser."""

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
