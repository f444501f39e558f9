"""Conditional orders of a seat. They lie outside the record: a command not yet given is no event."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.utils import timezone


class Premove(models.Model):
    """Commands to give once a condition that the seat can see is met and the seat is awaited.

    Orders kept from a line of an analysis board form a tree: each waits for one act, and the branches follow it.
    """

    class Status(models.TextChoices):
        WAITING = "waiting"
        ARMED = "armed"
        DONE = "done"
        DROPPED = "dropped"
        # A branch of a tree that the match did not take. An undo may bring it back.
        LAPSED = "lapsed"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    match = models.ForeignKey("matches.Match", on_delete=models.CASCADE, related_name="premoves")
    seat = models.PositiveSmallIntegerField()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, related_name="+")
    # The number by which its owner refers to it: 1, 2, 3 in each seat.
    number = models.PositiveSmallIntegerField()
    condition = models.JSONField()
    # In a tree of conditional orders, the one that must be done before; this one then waits for the very next act.
    after = models.ForeignKey("self", on_delete=models.CASCADE, null=True, related_name="branches")
    commands = models.JSONField()
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.WAITING)
    made_at = models.DateTimeField(default=timezone.now)
    # The version at which its condition was met, or at which the match took another way.
    armed_version = models.IntegerField(null=True)
    ended_at = models.DateTimeField(null=True)
    given = models.PositiveSmallIntegerField(default=0)
    # The version of the last command given.
    given_version = models.IntegerField(null=True)
    # The version up to which the match was searched for its condition (see `play.conditional_orders`).
    looked_version = models.IntegerField(default=0)
    # What came of it on the ways that the match has left, each with its versions (see `record.conditions.wait_again`).
    before = models.JSONField(null=True)
    why = models.TextField(blank=True)

    class Meta:
        verbose_name = "conditional order"
        verbose_name_plural = "conditional orders"
        constraints = [models.UniqueConstraint(fields=["match", "seat", "number"], name="premove_number_once")]
        indexes = [
            models.Index(fields=["match"], name="premove_open", condition=models.Q(status__in=["waiting", "armed"])),
        ]
