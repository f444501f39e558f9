"""Tables for lists, access checks and sweeps. The event stream is the source of truth.

`Match.version`, `status`, `outcome` and all `Question` rows follow from the events and are written in the
append's own statement. Personal data (seat holders, refused inputs) lives here and not in the events.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Case, F, Func, Value, When
from django.db.models.functions import Now
from django.utils import timezone

from gamesvc.json_types import JsonObject

AT_ONCE = datetime(1970, 1, 1, tzinfo=UTC)
PACE_ENDS = (24, 96)
"""The longest hours of all classes of pace but the last."""
PACE = Func(
    F("hours"),
    template=f"CASE WHEN %(expressions)s <= {PACE_ENDS[0]} THEN 0 WHEN %(expressions)s <= {PACE_ENDS[1]} THEN 1 ELSE 2 END",
    output_field=models.SmallIntegerField(),
)
"""The class of a match's pace: up to a day for each answer, up to four, or more. It has no parameters, so indexes can hold it."""
ARCHIVED = models.Q(status="finished", watch="all")
"""Matches in the archive."""
DEADLINE = Case(When(grace_from__gt=Now(), then="grace_from"), default="due_at")
"""`Question.deadline` for queries."""
NO_SPANS = Value([], ArrayField(models.FloatField()))


class Match(models.Model):
    """A match of one game: open, running or over."""

    class Status(models.TextChoices):
        OPEN = "open"
        RUNNING = "running"
        FINISHED = "finished"
        CANCELLED = "cancelled"
        LAPSED = "lapsed"

        @classmethod
        def after(cls, reason: str) -> Match.Status:
            """Return the status after `match.ended` with this reason. Every reason given by a game itself means FINISHED."""
            return {"cancelled": cls.CANCELLED, "aborted": cls.CANCELLED, "lapsed": cls.LAPSED}.get(reason, cls.FINISHED)

    UNFINISHED = (Status.OPEN, Status.RUNNING)
    """The statuses of a match that is not over."""

    class Entry(models.TextChoices):
        PUBLIC = "public"
        INVITED = "invited"

    class Watch(models.TextChoices):
        NOBODY = "nobody"
        LINK = "link"
        ALL = "all"

    class PressKind(models.TextChoices):
        """The messages that players may send: none, to everyone only, or to chosen seats as well."""

        NONE = "none"
        PUBLIC = "public"
        PRIVATE = "private"

    class Undo(models.TextChoices):
        """The condition for an undo. FREE: allowed until someone else acts or learns something; later it needs consent."""

        FREE = "free"
        CONSENT = "consent"
        NEVER = "never"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    # Short public number, from a sequence of its own.
    number = models.BigIntegerField(unique=True, db_default=Func(Value("matches_number"), function="nextval"), editable=False)
    game = models.CharField(max_length=40)
    rules = models.CharField(max_length=60)
    options = models.JSONField()
    seat_count = models.PositiveSmallIntegerField()
    hours = models.PositiveIntegerField(help_text="Hours to answer each question.")
    # The whole clock policy as in `match.opened` (see `matches.clock.notation`). If the two differ, the event is right.
    clock = models.JSONField(default=dict, db_default=Value({}, models.JSONField()))
    # The moment at which all clocks of the match were stopped.
    paused_at = models.DateTimeField(null=True)
    entry = models.CharField(max_length=10, choices=Entry.choices)
    watch = models.CharField(max_length=10, choices=Watch.choices)
    # Hours by which spectators see the running match later than its players; 0 for none (see `access.selectors.Access`).
    watch_delay = models.PositiveSmallIntegerField(default=0, db_default=0)
    press = models.CharField(max_length=10, choices=PressKind.choices, default=PressKind.PRIVATE, db_default=PressKind.PRIVATE)
    undo = models.CharField(max_length=10, choices=Undo.choices, default=Undo.FREE, db_default=Undo.FREE)
    # Player names are hidden from everyone until the match is over.
    anonymous = models.BooleanField(default=False, db_default=False)
    # Reliability that players need to join (see `matches.statistics.reliability`). None: no requirement.
    reliability = models.JSONField(null=True)
    # A private analysis board. Its owner, the creator, acts for every seat without a bot. It has no deadlines and no notices.
    board = models.BooleanField(default=False, db_default=False)
    link_token = models.CharField(max_length=43, unique=True)
    creator = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    # Others sat down or were invited to play with the creator, who then left the seat: not theirs to rule (`access.authority`).
    creator_sat = models.BooleanField(default=False, db_default=False)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.OPEN)
    created_at = models.DateTimeField(default=timezone.now)
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    version = models.IntegerField(default=0)
    outcome = models.JSONField(null=True)
    # The 32-byte secret behind all draws, sealed with AES-GCM under the key `key_id`. It becomes public when the match ends.
    key_id = models.CharField(max_length=40)
    sealed_secret = models.BinaryField()

    class Meta:
        verbose_name = "match"
        verbose_name_plural = "matches"
        indexes = [
            models.Index(fields=["creator", "-created_at"]),
            models.Index(fields=["status", "-created_at"]),
            # The lobby, newest first.
            models.Index(fields=["-number"], name="match_open", condition=models.Q(status="open")),
            # The matches that everyone may watch, and the archive; each of all games and of one.
            models.Index(fields=["-number"], name="match_watched", condition=models.Q(status="running", watch="all")),
            models.Index(
                fields=["game", "-number"], name="match_watched_game", condition=models.Q(status="running", watch="all")
            ),
            models.Index(fields=["-number"], name="match_archived", condition=ARCHIVED),
            models.Index(fields=["game", "-number"], name="match_archived_game", condition=ARCHIVED),
            # The archive by each further choice of filters: a rare one would otherwise be looked for in all of it.
            models.Index(F("seat_count"), F("number").desc(), name="archived_seats", condition=ARCHIVED),
            models.Index(PACE, F("number").desc(), name="archived_pace", condition=ARCHIVED),
            models.Index(F("game"), F("seat_count"), F("number").desc(), name="archived_game_seats", condition=ARCHIVED),
            models.Index(F("game"), PACE, F("number").desc(), name="archived_game_pace", condition=ARCHIVED),
            models.Index(F("seat_count"), PACE, F("number").desc(), name="archived_seats_pace", condition=ARCHIVED),
            models.Index(F("game"), F("seat_count"), PACE, F("number").desc(), name="archived_all", condition=ARCHIVED),
            # The archive in the order of ends, for the bulk export; of all games and of one.
            models.Index(fields=["ended_at", "number"], name="match_ended", condition=ARCHIVED),
            models.Index(fields=["game", "ended_at", "number"], name="match_ended_game", condition=ARCHIVED),
        ]

    def __str__(self) -> str:
        return f"{self.game} {self.number}"

    @property
    def over(self) -> bool:
        return self.status in (Match.Status.FINISHED, Match.Status.CANCELLED, Match.Status.LAPSED)

    @property
    def hides_names(self) -> bool:
        """Return True while the names of players and host are hidden."""
        return self.anonymous and not self.over


class Seat(models.Model):
    """A place in a match, held by a user, a bot or nobody."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="seats")
    index = models.PositiveSmallIntegerField()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="seats")
    bot = models.CharField(max_length=40, blank=True)
    # The holder's name in the events: a random id, different in each match.
    holder = models.UUIDField(null=True)
    contribution = models.CharField(max_length=64, blank=True)
    seen_version = models.IntegerField(default=0)
    # Up to this moment the holder has seen the messages of the match.
    press_seen_at = models.DateTimeField(default=timezone.now, db_default=Now())
    joined_at = models.DateTimeField(null=True)
    # The moment at which this seat of a running match lost its holder.
    vacated_at = models.DateTimeField(null=True)
    # No substitute is sought: the vacant seat has resigned, or cannot.
    given_over = models.BooleanField(default=False, db_default=False)

    class Meta:
        indexes = [
            models.Index(
                fields=["vacated_at", "id"],
                name="seat_sought",
                condition=models.Q(vacated_at__isnull=False, given_over=False),
            ),
        ]
        constraints = [
            models.UniqueConstraint(fields=["match", "index"], name="seat_once"),
            models.UniqueConstraint(fields=["match", "user"], name="one_seat_per_user", condition=models.Q(user__isnull=False)),
        ]

    @property
    def waits(self) -> bool:
        """Return True if a substitute may take this seat of a running match."""
        return self.vacated_at is not None and not self.given_over


class Question(models.Model):
    """A pending decision with its deadline: one row per match, seat and question."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="questions")
    seat = models.PositiveSmallIntegerField()
    question = models.CharField(max_length=100)
    prompt = models.CharField(max_length=60)
    kind = models.CharField(max_length=20)
    bot = models.BooleanField(default=False)
    # Start of the clock in its present run. Without pauses this is the moment of asking.
    asked_at = models.DateTimeField()
    # Time since then that does not count: for each break the seconds counted before it, and its length (`clock.compute.breaks`).
    break_at = ArrayField(models.FloatField(), default=list, db_default=NO_SPANS)
    break_for = ArrayField(models.FloatField(), default=list, db_default=NO_SPANS)
    # None while the clock is stopped, as in a paused match.
    due_at = models.DateTimeField(null=True)
    # Start of the grace period: answers are late from here on, and still count until `due_at`.
    grace_from = models.DateTimeField(null=True)
    claimed_until = models.DateTimeField(null=True)
    # Next look of the reminder sweep; None for never. A trigger sets `AT_ONCE` when the clock changes.
    look_at = models.DateTimeField(null=True, default=AT_ONCE, db_default=AT_ONCE)

    class Meta:
        verbose_name = "pending decision"
        verbose_name_plural = "pending decisions"
        constraints = [models.UniqueConstraint(fields=["match", "seat", "question"], name="question_once")]
        indexes = [
            models.Index(fields=["look_at"], name="question_looks", condition=models.Q(bot=False)),
            models.Index(fields=["due_at"]),
            models.Index(fields=["asked_at"], name="question_bots", condition=models.Q(bot=True)),
        ]

    def soonest(self) -> tuple[bool, datetime]:
        """Return the key that sorts questions by their deadlines, those without one last."""
        return self.due_at is None, self.due_at or self.asked_at

    @property
    def deadline(self) -> datetime | None:
        """Return the moment until which an answer is in time: the start of grace, or its end once grace has begun.

        None while the clock is stopped.
        """
        return self.due_at if self.grace_from is None or self.late else self.grace_from

    @property
    def late(self) -> bool:
        """Return True if grace has begun."""
        return self.grace_from is not None and self.grace_from <= timezone.now()

    def stands_until(self, moment: datetime) -> datetime | None:
        """Return the end of the break (night, day off, vacation) in which the clock is stopped at `moment`; None while it runs.

        Only breaks before grace are known here; `reading.board.stands_until` reads those of grace from the clock itself.
        """
        passed = 0.0
        for counted, length in zip(self.break_at, self.break_for, strict=True):
            begins = self.asked_at + timedelta(seconds=counted + passed)
            if begins <= moment < (ends := begins + timedelta(seconds=length)):
                return ends
            passed += length
        return None


class Invitation(models.Model):
    """An invitation to take a seat, by user or by mail address. Only a hash of the link's token is kept."""

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
    """A command that the rules refused, kept for the audit and for replaying the answer to a repeated command. Erasable."""

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
    """The largest command that is stored whole, in bytes of JSON."""
    LONGEST_DETAIL = 800

    @classmethod
    def kept(cls, command: JsonObject) -> JsonObject:
        """Return what is stored of a refused command: the whole command, or the name, size and digest of a large one."""
        text = json.dumps(command, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()
        if len(text) <= cls.LARGEST_COMMAND:
            return command
        left_out = {"bytes": len(text), "sha256": hashlib.sha256(text).hexdigest()}
        return {"name": str(command.get("name", ""))[:200], "left_out": left_out}

    def is_of(self, command: JsonObject) -> bool:
        """Return True if this command was refused here. The stored form of a large command counts as well."""
        return bool(self.command == self.kept(command))


class Answered(models.Model):
    """The stored response to a request that creates something. It is replayed for one day when the same key comes again."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=255)
    fingerprint = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField()
    body = models.JSONField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = "stored answer"
        verbose_name_plural = "stored answers"
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="answered_once")]
        indexes = [models.Index(fields=["created_at"], name="answered_age")]
