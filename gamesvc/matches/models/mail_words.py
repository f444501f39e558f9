"""Effects of mails that no event holds: held orders, and service words that were carried out."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.utils import timezone

from notifications.models import InboundMail


class HeldOrders(models.Model):
    """Orders of a mail that were read but not carried out yet. They are no commands so far, and therefore not in the record.

    `lines`: the orders as written, each with its number in the mail. `version`: the version their sender knew. `kept_at`: the
    version of the match when they were stored. `report`: the result of each. The mail itself may be deleted before they are due.
    """

    class Until(models.TextChoices):
        DEADLINE = "deadline", "until the deadline, or until the player says ready"
        WINDOW = "window", "until the others have answered"

    class State(models.TextChoices):
        HELD = "held"
        DONE = "done"
        REPLACED = "replaced"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    match = models.ForeignKey("matches.Match", on_delete=models.CASCADE, related_name="+")
    seat = models.PositiveSmallIntegerField()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    question = models.CharField(max_length=100)
    mail = models.UUIDField()
    first = models.PositiveSmallIntegerField(help_text="The number of the first line: what a mail leaves is kept once.")
    lines = models.JSONField()
    version = models.IntegerField()
    kept_at = models.IntegerField()
    counts_at = models.DateTimeField()
    # The deadline for which the clock began to carry them out. From then on they count from it.
    claimed_for = models.DateTimeField(null=True)
    until = models.CharField(max_length=10, choices=Until.choices)
    state = models.CharField(max_length=10, choices=State.choices, default=State.HELD)
    # The match's version at the last look. Without a newer version nothing can have changed.
    looked_at = models.IntegerField(default=0)
    done_by = models.UUIDField(null=True, help_text="The mail that said ready.")
    report = models.JSONField(null=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = "held orders"
        verbose_name_plural = "held orders"
        db_table = "matches_held_orders"
        constraints = [models.UniqueConstraint(fields=["mail", "first", "until"], name="held_orders_once")]
        indexes = [
            models.Index(fields=["match", "seat"], name="held_orders_open", condition=models.Q(state="held")),
            models.Index(fields=["created_at"], name="held_orders_age"),
        ]


class DoneWord(models.Model):
    """A line of a mail with an effect outside the record. It keeps a restarted worker from repeating that effect."""

    mail = models.ForeignKey(InboundMail, on_delete=models.CASCADE, related_name="+")
    number = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=10)
    detail = models.TextField(blank=True)

    class Meta:
        verbose_name = "mail word"
        verbose_name_plural = "mail words"
        db_table = "matches_done_word"
        constraints = [models.UniqueConstraint(fields=["mail", "number"], name="done_word_once")]
