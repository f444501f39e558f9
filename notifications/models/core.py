"""Notices waiting to be sent or sent, and what people do not want to get."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone


class Status(models.TextChoices):
    """Where a notice stands. All but the first are final."""

    QUEUED = "queued", "waiting or being sent"
    SENT = "sent", "taken by the mail server"
    DROPPED = "dropped", "not sent, because it no longer held or is not wanted"
    FAILED = "failed", "not sent, because it could not be"
    MERGED = "merged", "told in another mail, with other notices"


class Outbox(models.Model):
    """One notice to one person, written in the transaction of what it tells of.

    The payload holds ids only: the text is made when the notice is sent, from what then holds. `due_at` never changes and is
    the mail's date, but for a notice that is held back for its receiver's sake before any try to send it; `claimed_until` keeps
    others off the row, while it is being sent as well as between two tries. `merged_into` is the mail that told it with others;
    `acted_at` is when its receiver did what it asked for, as far as that was looked up.
    Defaults stand in the database, for the rows the event store writes beside its append.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(max_length=60)
    # Without a constraint: checking it would lock the user's row in every append. Users are blanked, never deleted, and
    # a notice for nobody is dropped.
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, db_constraint=False, related_name="+")
    address = models.CharField(max_length=254, blank=True, db_default="")
    topic = models.CharField(max_length=100, blank=True, db_default="")
    payload = models.JSONField(default=dict, db_default=models.Value({}, models.JSONField()))
    created_at = models.DateTimeField(db_default=Now())
    due_at = models.DateTimeField(db_default=Now())
    claimed_until = models.DateTimeField(null=True)
    attempts = models.IntegerField(db_default=0)
    status = models.CharField(max_length=10, choices=Status.choices, db_default=Status.QUEUED)
    sent_at = models.DateTimeField(null=True)
    message_id = models.CharField(max_length=200, blank=True, db_default="")
    # The keyed hash of the address it was sent to, for the report that may come back when that is no longer his address.
    sent_to = models.CharField(max_length=64, blank=True, db_default="")
    error = models.TextField(blank=True, db_default="")
    merged_into = models.UUIDField(null=True)
    acted_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "notifications_outbox"
        indexes = [
            models.Index(fields=["due_at"], condition=Q(status=Status.QUEUED), name="notifications_outbox_due"),
            models.Index(fields=["due_at"], condition=~Q(status=Status.QUEUED), name="notifications_outbox_age"),
            models.Index(fields=["merged_into"], condition=Q(merged_into__isnull=False), name="notifications_outbox_merged"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(user__isnull=False, address="") | Q(user__isnull=True) & ~Q(address=""),
                name="notifications_outbox_one_receiver",
            ),
            # Two senders may both believe that theirs is the first mail of a thread: one of them is told here.
            models.UniqueConstraint(fields=["message_id"], condition=~Q(message_id=""), name="notifications_outbox_message_id"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"

    @property
    def receiver(self) -> str:
        """For whom the notice is, as a key for hashes: the same for all notices to one person."""
        return f"user:{self.user_id}" if self.user_id else f"address:{self.address.lower()}"


class Scope(models.TextChoices):
    """How much a person does not want to get."""

    KIND = "kind", "this kind of notice"
    TOPIC = "match", "all about this match"
    ALL = "all", "everything"


class Mute(models.Model):
    """What a person does not want to get. A stranger's address is kept as a keyed hash only."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="mutes")
    address_hash = models.CharField(max_length=64, blank=True)
    scope = models.CharField(max_length=10, choices=Scope.choices)
    value = models.CharField(max_length=100, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user", "scope", "value"], condition=Q(user__isnull=False), name="notifications_mute_user"
            ),
            models.UniqueConstraint(
                fields=["address_hash", "scope", "value"], condition=Q(user__isnull=True), name="notifications_mute_address"
            ),
        ]


class ReplyAddress(models.Model):
    """An address that may be answered: the keyed hash of its token, whose it is, and what an answer is for.

    `topic` is that of the notices (a match), `payload` says what the purpose's handler needs. Past `expires_at` the address is
    unknown; a handler may find it over before. `used_at` is of addresses that can be used once.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    token_hash = models.CharField(max_length=64, unique=True)
    purpose = models.CharField(max_length=40)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="+")
    # Whose it is who has no account yet: somebody invited by his address.
    email = models.CharField(max_length=254, blank=True, db_default="")
    topic = models.CharField(max_length=100, blank=True)
    payload = models.JSONField(default=dict)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField(db_index=True)
    used_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "notifications_reply_address"
        indexes = [models.Index(fields=["topic", "user"])]


class MailStatus(models.TextChoices):
    """Where an inbound mail stands. All but the first two are final."""

    WAITING = "waiting", "to be worked on"
    HELD = "held", "kept until its owner confirms it"
    DONE = "done", "worked on"
    REFUSED = "refused", "not worked on, because it is no answer of a person or not the player's"
    FAILED = "failed", "set aside, because it could not be worked on"


class InboundMail(models.Model):
    """A mail to a reply address, as it came: stored before its sender is told that it was taken. Deleted once it is old.

    `received_at` is the moment our border took it; `counts_at` is the same, or the moment a held mail was confirmed. `report`
    is what the purpose's handler made of it.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    address = models.ForeignKey(ReplyAddress, on_delete=models.CASCADE, related_name="mails")
    envelope_from = models.CharField(max_length=320, blank=True)
    message_id = models.CharField(max_length=250, blank=True)
    body_hash = models.CharField(max_length=64)
    raw = models.BinaryField()
    received_at = models.DateTimeField()
    counts_at = models.DateTimeField()
    confirmed_at = models.DateTimeField(null=True)
    status = models.CharField(max_length=10, choices=MailStatus.choices, default=MailStatus.WAITING)
    error = models.CharField(max_length=500, blank=True)
    report = models.JSONField(null=True)
    attempts = models.IntegerField(default=0)
    claimed_until = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "notifications_inbound_mail"
        indexes = [
            models.Index(fields=["received_at"], condition=Q(status=MailStatus.WAITING), name="notifications_inbound_waiting"),
            models.Index(fields=["received_at"], name="notifications_inbound_age"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["address", "message_id"], condition=~Q(message_id=""), name="notifications_inbound_message_once"
            ),
            models.UniqueConstraint(
                fields=["address", "body_hash"], condition=Q(message_id=""), name="notifications_inbound_body_once"
            ),
        ]
