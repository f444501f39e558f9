"""Requests to take a command back that wait for the others' word, and the organiser's reasons in words."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone


class UndoRequest(models.Model):
    """One `match.undo_asked` with what has become of it: who accepted so far, and when it was settled.

    It follows from the events and is written in their own append; the sweep finds by it what has lapsed.
    """

    match = models.ForeignKey("matches.Match", on_delete=models.CASCADE, related_name="undo_requests")
    # The version of the `match.undo_asked`: the request's name.
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
    """Why an organiser did something, in his words. The event holds this row's random id only; the words can be erased."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    match = models.ForeignKey("matches.Match", on_delete=models.CASCADE, related_name="reasons")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    words = models.TextField()
    written_at = models.DateTimeField(default=timezone.now)
