"""Positions that matches begin from instead of the game's own setup."""

from __future__ import annotations

from django.db import models

from gamesvc.matches.models.core import Match


class Beginning(models.Model):
    """The position a match begins from. `match.opened` commits to it, and the first game event contains it.

    If `seat` is set, everything that this seat of the origin could not see is dealt again when the match starts.
    """

    match = models.OneToOneField(Match, on_delete=models.CASCADE, primary_key=True, related_name="beginning")
    origin = models.ForeignKey(Match, on_delete=models.SET_NULL, null=True, related_name="forks")
    version = models.IntegerField(null=True)
    seat = models.PositiveSmallIntegerField(null=True)
    # Canonical JSON. Never the position of a running match: a seat's fork is dealt again before it is stored here.
    position = models.TextField()
    salt = models.CharField(max_length=32)

    class Meta:
        verbose_name = "first position"
        verbose_name_plural = "first positions"
