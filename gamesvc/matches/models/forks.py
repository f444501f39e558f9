"""What a match began from, where that is not the game's own setup."""

from __future__ import annotations

from django.db import models

from gamesvc.matches.models.core import Match


class Beginning(models.Model):
    """The position a match begins from. `match.opened` commits to it; its first game event is it.

    `seat`: everything that this seat of the origin could not see is dealt anew when the match starts.
    """

    match = models.OneToOneField(Match, on_delete=models.CASCADE, primary_key=True, related_name="beginning")
    origin = models.ForeignKey(Match, on_delete=models.SET_NULL, null=True, related_name="forks")
    version = models.IntegerField(null=True)
    seat = models.PositiveSmallIntegerField(null=True)
    # Canonical JSON. Never that of a running match: a seat's fork begins from one that was dealt anew before it was kept here.
    position = models.TextField()
    salt = models.CharField(max_length=32)
