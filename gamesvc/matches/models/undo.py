"""Undo requests that wait for the consent of others, and the reasons that organisers gave."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone


class UndoRequest(models.Model):
    """A `match.undo_asked` with its result so far: the seats that accepted, and when it was settled.

    It follows from the events and is written in the same append. The sweep uses it to find lapsed requests.
    """

    match = models.ForeignKey("matches.Match", on_delete=models.CASCADE, related_name="undo_requests")
    # The version of `match.undo_asked`, which identifies the request.
    version = models.IntegerField()
    seat = models.PositiveSmallIntegerField()
    # The version to go back to.
    to = models.IntegerField()
    asked = ArrayField(models.PositiveSmallIntegerField())
    accepted = ArrayField(models.PositiveSmallIntegerField(), default=list)
    until = models.DateTimeField()
    settled_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["match", "version"], name="undo_request_once")]
        indexes = [models.Index(fields=["until"], name="undo_request_until", condition=Q(settled_at=None))]


class Reason(models.Model):
    """The reason an organiser gave for a measure. The event holds only the random id of this row, so the text can be erased."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    match = models.ForeignKey("matches.Match", on_delete=models.CASCADE, related_name="reasons")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    words = models.TextField()
    written_at = models.DateTimeField(default=timezone.now)
