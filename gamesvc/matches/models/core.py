"""Read models of matches: what lists, access checks and sweeps need. The truth is the stream of events.

`Match.version`, `head_hash`, `status`, `outcome` and all `Question` rows follow from the events and are written in the
append's own statement. Personal data (who holds a seat, refused inputs) lives here and not in the events.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Func, Value
from django.utils import timezone

# The deadline of a question whose clock stands: later than any sweep, within what every library can show.
NEVER = datetime(9000, 1, 1, tzinfo=UTC)
AT_ONCE = datetime(1970, 1, 1, tzinfo=UTC)
NO_SPANS = Value([], ArrayField(models.FloatField()))


class Match(models.Model):
    """One play of a game, open or running or over."""

    class Status(models.TextChoices):
        OPEN = "open"
        RUNNING = "running"
        FINISHED = "finished"
        CANCELLED = "cancelled"
        LAPSED = "lapsed"

        @classmethod
        def after(cls, reason: str) -> Match.Status:
            """What a match is once `match.ended` has given this reason; all reasons of the games themselves are one."""
            return {"cancelled": cls.CANCELLED, "aborted": cls.CANCELLED, "lapsed": cls.LAPSED}.get(reason, cls.FINISHED)

    class Entry(models.TextChoices):
        PUBLIC = "public"
        INVITED = "invited"

    class Watch(models.TextChoices):
        NOBODY = "nobody"
        LINK = "link"
        ALL = "all"

    class PressKind(models.TextChoices):
        """What players may write to each other: nothing, only to all, or to chosen seats as well."""

        NONE = "none"
        PUBLIC = "public"
        PRIVATE = "private"

    class Undo(models.TextChoices):
        """What taking back needs: nothing as long as nobody else has acted or learnt something, always consent, or it is off."""

        FREE = "free"
        CONSENT = "consent"
        NEVER = "never"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    # The short public number, from a sequence beside the uuid.
    number = models.BigIntegerField(unique=True, db_default=Func(Value("matches_number"), function="nextval"), editable=False)
    game = models.CharField(max_length=40)
    rules = models.CharField(max_length=60)
    options = models.JSONField()
    seat_count = models.PositiveSmallIntegerField()
    hours = models.PositiveIntegerField(help_text="Hours to answer each question.")
    # The whole clock policy as `match.opened` tells it (see `matches.clock.policy`); the events are what counts.
    clock = models.JSONField(default=dict, db_default=Value({}, models.JSONField()))
    # Since when all clocks of the match stand.
    paused_at = models.DateTimeField(null=True)
    entry = models.CharField(max_length=10, choices=Entry.choices)
    watch = models.CharField(max_length=10, choices=Watch.choices)
    press = models.CharField(max_length=10, choices=PressKind.choices, default=PressKind.PRIVATE, db_default=PressKind.PRIVATE)
    undo = models.CharField(max_length=10, choices=Undo.choices, default=Undo.FREE, db_default=Undo.FREE)
    # Who plays is told to nobody before the match is over.
    anonymous = models.BooleanField(default=False, db_default=False)
    # What players must have shown elsewhere to sit down (see `matches.reliability`); None: nothing.
    reliability = models.JSONField(null=True)
    # A private what-if board: its owner, the creator, acts for every seat that no bot has. It has no deadlines and no notices.
    board = models.BooleanField(default=False, db_default=False)
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
            # The lobby, the newest first.
            models.Index(fields=["-number"], name="match_open", condition=models.Q(status="open")),
        ]

    def __str__(self) -> str:
        return f"{self.game} {self.number}"

    @property
    def over(self) -> bool:
        return self.status in (Match.Status.FINISHED, Match.Status.CANCELLED, Match.Status.LAPSED)

    @property
    def hides_names(self) -> bool:
        """Whether the players' names, and that of the host, may not be told now."""
        return self.anonymous and not self.over


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
    # Since when nobody holds this seat of a running match; `NEVER` once it has resigned, so that no substitute is sought.
    vacated_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["vacated_at", "id"], name="seat_waits", condition=models.Q(vacated_at__isnull=False)),
        ]
        constraints = [
            models.UniqueConstraint(fields=["match", "index"], name="seat_once"),
            models.UniqueConstraint(fields=["match", "user"], name="one_seat_per_user", condition=models.Q(user__isnull=False)),
        ]

    @property
    def waits(self) -> bool:
        """Whether a substitute may take this seat of a running match."""
        return self.vacated_at is not None and self.vacated_at < NEVER


class Question(models.Model):
    """An awaited seat with what it is asked and until when: one row per match, seat and question."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="questions")
    seat = models.PositiveSmallIntegerField()
    question = models.CharField(max_length=100)
    prompt = models.CharField(max_length=60)
    kind = models.CharField(max_length=20)
    bot = models.BooleanField(default=False)
    # Since when its clock runs as it does now: without pauses the moment of asking.
    asked_at = models.DateTimeField()
    # What of the time since then does not count: the seconds counted before each such span, and its own (`clock.compute.breaks`).
    break_at = ArrayField(models.FloatField(), default=list, db_default=NO_SPANS)
    break_for = ArrayField(models.FloatField(), default=list, db_default=NO_SPANS)
    # While the match is paused: a moment that never comes (see `paused`).
    due_at = models.DateTimeField()
    # From when on an answer is late already and counts all the same; `due_at` is the end of that.
    grace_from = models.DateTimeField(null=True)
    claimed_until = models.DateTimeField(null=True)
    # When the reminders' sweep looks at it next, None for never again. A trigger sets `AT_ONCE` where the clock changes.
    look_at = models.DateTimeField(null=True, default=AT_ONCE, db_default=AT_ONCE)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["match", "seat", "question"], name="question_once")]
        indexes = [
            models.Index(fields=["look_at"], name="question_looks", condition=models.Q(bot=False)),
            models.Index(fields=["due_at"]),
            models.Index(fields=["asked_at"], name="question_bots", condition=models.Q(bot=True)),
        ]

    @property
    def paused(self) -> bool:
        """Whether the clock of this question stands, so that it has no deadline now."""
        return self.due_at >= NEVER

    @property
    def deadline(self) -> datetime:
        """Until when an answer is in time: where grace begins; in grace until it ends."""
        return self.due_at if self.grace_from is None or self.late else self.grace_from

    @property
    def late(self) -> bool:
        """Whether grace has begun."""
        return self.grace_from is not None and self.grace_from <= timezone.now()

    def stands_until(self, moment: datetime) -> datetime | None:
        """Until when its running clock stands still (a night, a day off, a vacation); None while it counts at this moment.

        Up to where grace begins: the row holds no break of grace (`board.stands_until` reads them from the clock itself).
        """
        passed = 0.0
        for counted, length in zip(self.break_at, self.break_for, strict=True):
            begins = self.asked_at + timedelta(seconds=counted + passed)
            if begins <= moment < (ends := begins + timedelta(seconds=length)):
                return ends
            passed += length
        return None


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
        indexes = [models.Index(fields=["received_at"], name="refusal_age")]

    LARGEST_COMMAND = 3 * 1024
    """Of a command that is kept whole, in bytes of JSON."""
    LONGEST_DETAIL = 800

    @classmethod
    def kept(cls, command: dict[str, Any]) -> dict[str, Any]:
        """Return what is kept of a refused command: all of it, or of a large one its name, size and digest."""
        text = json.dumps(command, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()
        if len(text) <= cls.LARGEST_COMMAND:
            return command
        left_out = {"bytes": len(text), "sha256": hashlib.sha256(text).hexdigest()}
        return {"name": str(command.get("name", ""))[:200], "left_out": left_out}

    def is_of(self, command: dict[str, Any]) -> bool:
        """Return True if this command was refused here; also if it is given as it was kept."""
        return bool(self.command == self.kept(command))


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
        indexes = [models.Index(fields=["created_at"], name="answered_age")]
