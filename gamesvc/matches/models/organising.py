"""Operators' looks at what a seat of a running match sees."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.utils import timezone


class Look(models.Model):
    """An operator's look at a seat, with the reason given.

    The event `match.looked` holds the random id and outlives the reason.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    match = models.ForeignKey("matches.Match", on_delete=models.CASCADE, related_name="looks")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    seat = models.PositiveSmallIntegerField()
    version = models.IntegerField(help_text="The version that was looked at.")
    words = models.TextField()
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [models.Index(fields=["match", "-at"], name="look_newest")]
