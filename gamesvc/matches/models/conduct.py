"""Reports of players to the operators, what the operators did about them, and bans from messages."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.utils import timezone

from gamesvc.language import mark


class Report(models.Model):
    """A player's report about another one, with a copy of the messages in question.

    It is deleted with the account that it is about, and some time after it was closed.
    """

    class Kind(models.TextChoices):
        ABUSE = "abuse", mark("Insults, threats or harassment")
        CHEATING = "cheating", mark("Cheating, or several accounts")
        SPAM = "spam", mark("Advertising or spam")
        NAME = "name", mark("An offensive name")
        OTHER = "other", mark("Something else")

    class State(models.TextChoices):
        OPEN = "open", "open"
        TAKEN = "taken", "taken"
        CLOSED = "closed", "closed"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    # The reporter; their words go with them when they are erased.
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    about = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    match = models.ForeignKey("matches.Match", on_delete=models.CASCADE, null=True, related_name="+")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    words = models.TextField(blank=True)
    # Copies of messages between the two: `by` ("about" or "reporter"), `seat`, `to`, `text`, `said_at`.
    messages = models.JSONField(default=list)
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    created_at = models.DateTimeField(default=timezone.now)
    closed_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["state", "created_at"], name="report_queue"),
            models.Index(fields=["about", "created_at"], name="report_about"),
            models.Index(fields=["closed_at"], name="report_closed", condition=models.Q(closed_at__isnull=False)),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}, {self.created_at:%Y-%m-%d %H:%M}"


class ReportAct(models.Model):
    """An operator's act on a report. The database refuses to change it; it is deleted with its report alone."""

    class Act(models.TextChoices):
        TAKE = "take", "taken"
        NOTE = "note", "note"
        DISMISS = "dismiss", "dismissed"
        WARN = "warn", "warned"
        MUTE = "mute", "banned from messages"
        SUSPEND = "suspend", "suspended"
        RESTORE = "restore", "restored"

    report = models.ForeignKey(Report, on_delete=models.CASCADE, related_name="acts")
    operator = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    act = models.CharField(max_length=10, choices=Act.choices)
    words = models.TextField(blank=True)
    days = models.PositiveSmallIntegerField(null=True)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = "act on a report"
        verbose_name_plural = "acts on reports"
        indexes = [models.Index(fields=["report", "at"], name="report_act_order")]

    def __str__(self) -> str:
        return f"{self.get_act_display()}, {self.at:%Y-%m-%d %H:%M}"


class MessageBan(models.Model):
    """A user who may not write messages until a moment, by decision of the operators."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="+")
    until = models.DateTimeField(db_index=True)

    class Meta:
        verbose_name = "ban from messages"
        verbose_name_plural = "bans from messages"

    def __str__(self) -> str:
        return f"until {self.until:%Y-%m-%d %H:%M}"
