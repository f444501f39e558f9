"""Messages between players. They lie outside the record of the match so that they can be erased."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone


class Press(models.Model):
    """A message from one seat to others. An empty `to` means all players and everyone who may watch."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    match = models.ForeignKey("matches.Match", on_delete=models.CASCADE, related_name="press_messages")
    seat = models.PositiveSmallIntegerField()
    to = ArrayField(models.PositiveSmallIntegerField())
    # The author, who may no longer hold the seat. Erasing the author deletes their messages.
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    text = models.TextField()
    channel = models.CharField(max_length=10)
    said_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = "message"
        verbose_name_plural = "messages"
        indexes = [models.Index(fields=["match", "-said_at", "-id"], name="press_newest")]
