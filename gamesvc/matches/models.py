"""Read models of matches: what lists, access checks and sweeps need. The truth is the stream of events.

`Match.version`, `head_hash`, `status`, `outcome` and all `Question` rows follow from the events and are written in the
append's own statement. Personal data (who holds a seat, refused inputs) lives here and not in the events.
"""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Func, Value
from django.utils import timezone


class Match(models.Model):
    """One play of a game, open or running or over."""

    class Status(models.TextChoices):
        OPEN = "open"
        RUNNING = "running"
        FINISHED = "finished"
        CANCELLED = "cancelled"
        LAPSED = "lapsed"

    class Entry(models.TextChoices):
        PUBLIC = "public"
        INVITED = "invited"

    class Watch(models.TextChoices):
        NOBODY = "nobody"
        LINK = "link"
        ALL = "all"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    # The short public number, from a sequence beside the uuid.
    number = models.BigIntegerField(unique=True, db_default=Func(Value("matches_number"), function="nextval"), editable=False)
    game = models.CharField(max_length=40)
    rules = models.CharField(max_length=60)
    options = models.JSONField()
    seat_count = models.PositiveSmallIntegerField()
    hours = models.PositiveIntegerField(help_text="Hours to answer each question.")
    entry = models.CharField(max_length=10, choices=Entry.choices)
    watch = models.CharField(max_length=10, choices=Watch.choices)
    link_token = models.CharField(max_length=43, unique=True)
    creator = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.OPEN)
    created_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    version = models.IntegerField(default=0)
    head_hash = models.BinaryField(null=True)
    outcome = models.JSONField(null=True)
    # The 32-byte secret behind all draws, sealed with AES-GCM under the key `key_id`; public once the match has ended.
    key_id = models.CharField(max_length=40)
    sealed_secret = models.BinaryField()

    class Meta:
        indexes = [
            models.Index(fields=["creator", "-created_at"]),
            models.Index(fields=["status", "-created_at"]),
        ]

    def __str__(self) -> str:
        return f"{self.game} {self.number}"


class Seat(models.Model):
    """A place in a match, held by a user, a bot or nobody."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="seats")
    index = models.PositiveSmallIntegerField()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="seats")
    bot = models.CharField(max_length=40, blank=True)
    # What the events know of the holder: a random id, another in each match.
    holder = models.UUIDField(null=True)
    contribution = models.CharField(max_length=64, blank=True)
    seen_version = models.IntegerField(default=0)
    joined_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["match", "index"], name="seat_once"),
            models.UniqueConstraint(fields=["match", "user"], name="one_seat_per_user", condition=models.Q(user__isnull=False)),
        ]


class Question(models.Model):
    """An awaited seat with what it is asked and until when: one row per match, seat and question."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="questions")
    seat = models.PositiveSmallIntegerField()
    question = models.CharField(max_length=100)
    prompt = models.CharField(max_length=60)
    kind = models.CharField(max_length=20)
    bot = models.BooleanField(default=False)
    asked_at = models.DateTimeField()
    due_at = models.DateTimeField()
    claimed_until = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["match", "seat", "question"], name="question_once")]
        indexes = [
            models.Index(fields=["due_at"]),
            models.Index(fields=["asked_at"], name="question_bots", condition=models.Q(bot=True)),
        ]


class Invitation(models.Model):
    """A person asked to take a seat, by user or by mail address; the token in the link is kept as a hash."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="invitations")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, related_name="invitations")
    address = models.EmailField(blank=True)
    token_hash = models.CharField(max_length=64, unique=True)
    invited_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    accepted_at = models.DateTimeField(null=True)
    declined_at = models.DateTimeField(null=True)


class Refusal(models.Model):
    """A command that the rules refused: for the audit, and to answer the same command the same way again. Erasable."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="refusals")
    command_id = models.UUIDField()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    seat = models.PositiveSmallIntegerField(null=True)
    channel = models.CharField(max_length=10)
    received_at = models.DateTimeField()
    command = models.JSONField()
    code = models.CharField(max_length=60)
    detail = models.TextField()
    parameter = models.CharField(max_length=200, null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["match", "command_id"], name="refusal_once")]


class Answered(models.Model):
    """The first answer to a request that creates something, kept for a day for whoever repeats it with the same key."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=255)
    fingerprint = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField()
    body = models.JSONField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="answered_once")]
