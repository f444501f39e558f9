"""Notices waiting or sent, mutes, reply addresses, and inbound mail."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone


class Status(models.TextChoices):
    """The status of a notice. All but the first are final."""

    QUEUED = "queued", "waiting or being sent"
    SENT = "sent", "taken by the mail server"
    DROPPED = "dropped", "not sent, because it no longer held or is not wanted"
    FAILED = "failed", "not sent, because it could not be"
    MERGED = "merged", "included in another mail, with other notices"


class Outbox(models.Model):
    """One notice to one receiver, written in the transaction of the event it reports.

    The payload holds ids only: the text is written when the notice is sent, from the state at that time. `due_at` is the mail's
    date and never changes, unless a notice is held back for its receiver's sake before any try to send it. `claimed_until`
    reserves the row, during sending as well as between two tries. `merged_into` is the mail that also contained this notice.
    `acted_at` is when its receiver did what it asked for, as far as that was looked up. Defaults are in the database, for the
    rows the event store writes beside its append.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(max_length=60)
    # Without a constraint: checking it would lock the user's row in every append. Users are blanked, never deleted, and a notice
    # for nobody is dropped.
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
    # The keyed hash of the address it was sent to, for a report that comes back after the user has changed it.
    sent_to = models.CharField(max_length=64, blank=True, db_default="")
    error = models.TextField(blank=True, db_default="")
    merged_into = models.UUIDField(null=True)
    acted_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = "notice"
        verbose_name_plural = "notices"
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
            # Two senders may both believe that theirs is the first mail of a thread: this stops one of them.
            models.UniqueConstraint(fields=["message_id"], condition=~Q(message_id=""), name="notifications_outbox_message_id"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"

    @property
    def receiver(self) -> str:
        """Return the receiver as a key for hashes: the same for all notices to one receiver."""
        return f"user:{self.user_id}" if self.user_id else f"address:{self.address.lower()}"


class Scope(models.TextChoices):
    """The extent of a mute."""

    KIND = "kind", "this kind of notice"
    TOPIC = "match", "all about this match"
    ALL = "all", "everything"


class Mute(models.Model):
    """Something a receiver does not want to get. A stranger's address is stored as a keyed hash only."""

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
    """An address that may be answered: the keyed hash of its token, its owner, and the purpose of answers.

    `topic` is that of the notices (a match), `payload` holds what the purpose's handler needs. After `expires_at` the address is
    unknown; a handler may consider it over before. `used_at` is for addresses that can be used once.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    token_hash = models.CharField(max_length=64, unique=True)
    purpose = models.CharField(max_length=40)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="+")
    # The owner if they have no account yet: a user invited by address.
    email = models.CharField(max_length=254, blank=True, db_default="")
    topic = models.CharField(max_length=100, blank=True)
    payload = models.JSONField(default=dict)
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField(db_index=True)
    used_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = "reply address"
        verbose_name_plural = "reply addresses"
        db_table = "notifications_reply_address"
        indexes = [models.Index(fields=["topic", "user"])]


class MailStatus(models.TextChoices):
    """The status of an inbound mail. All but the first two are final."""

    WAITING = "waiting", "to be worked on"
    HELD = "held", "kept until its owner confirms it"
    DONE = "done", "worked on"
    REFUSED = "refused", "not worked on, because it is not an answer of a person, or not the player's"
    FAILED = "failed", "set aside, because it could not be worked on"


class InboundMail(models.Model):
    """A mail to a reply address: stored as it came before it is accepted, cut once it is settled, and deleted once it is old.

    `received_at` is when the service received it; `counts_at` is the same, or when a held mail was confirmed. `report` is the
    result of the purpose's handler.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    address = models.ForeignKey(ReplyAddress, on_delete=models.CASCADE, related_name="mails")
    # That of the reply address, in short (`inbound.addresses.owner_of`), for counting their mails without those of others.
    owner = models.CharField(max_length=64, blank=True, db_default="")
    envelope_from = models.CharField(max_length=320, blank=True)
    message_id = models.CharField(max_length=250, blank=True)
    body_hash = models.CharField(max_length=64)
    raw = models.BinaryField()
    # Of a mail that was stored without its attachments: what its signatures sign of the whole (`parsing.cutting`).
    body_digests = models.JSONField(null=True)
    # Of a proved mail: what it keeps when it is sent again (`inbound.proving.covering`).
    fingerprint = models.CharField(max_length=64, blank=True, db_default="")
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
        verbose_name = "inbound mail"
        verbose_name_plural = "inbound mails"
        db_table = "notifications_inbound_mail"
        indexes = [
            models.Index(fields=["received_at"], condition=Q(status=MailStatus.WAITING), name="notifications_inbound_waiting"),
            models.Index(fields=["received_at"], name="notifications_inbound_age"),
            models.Index(fields=["owner", "received_at"], name="notifications_inbound_owner"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["address", "message_id"], condition=~Q(message_id=""), name="notifications_inbound_message_once"
            ),
            models.UniqueConstraint(
                fields=["address", "body_hash"], condition=Q(message_id=""), name="notifications_inbound_body_once"
            ),
            models.UniqueConstraint(
                fields=["fingerprint", "address"], condition=~Q(fingerprint=""), name="notifications_inbound_proved_once"
            ),
        ]
