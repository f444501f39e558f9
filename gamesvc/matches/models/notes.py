"""Private notes of users about matches."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone


class Note(models.Model):
    """A user's notes about a match, which nobody else reads. They lie outside the record, and are erased with the user."""

    match = models.ForeignKey("matches.Match", on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    text = models.TextField()
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "match"], name="note_once")]
