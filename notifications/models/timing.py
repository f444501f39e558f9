"""Notification settings: times and channels; and rows that keep notices from being sent twice."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone


class Preference(models.Model):
    """A user's notification settings: one row for all notices (`topic` empty), one for each topic with different ones.

    NULL means: as in the wider row, or finally the default in `notifications.wanted.wishes`. The digest, its threshold and the
    channels are the same for all topics. `digest_at` is the time of the next digest.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    topic = models.CharField(max_length=100, blank=True, default="")
    reminders = ArrayField(models.CharField(max_length=8), null=True)
    batch_minutes = models.PositiveSmallIntegerField(null=True)
    receipt_minutes = models.PositiveSmallIntegerField(null=True)
    subject_per_turn = models.BooleanField(null=True)
    immediate_below = models.PositiveSmallIntegerField(null=True)
    digest_hour = models.PositiveSmallIntegerField(null=True)
    digest_at = models.DateTimeField(null=True)
    digested_at = models.DateTimeField(null=True)
    channels = ArrayField(models.CharField(max_length=20), null=True)
    channel_minutes = models.PositiveSmallIntegerField(null=True)

    class Meta:
        db_table = "notifications_preference"
        constraints = [models.UniqueConstraint(fields=["user", "topic"], name="notifications_preference_once")]
        indexes = [models.Index(fields=["digest_at"], condition=Q(digest_at__isnull=False), name="notifications_digest_due")]


class Reminder(models.Model):
    """A point of a deadline that was reached. It keeps a reminder from being sent twice.

    `subject` identifies the deadline within its topic (a seat's question). `notice` is the outbox row; NULL if a later point of
    the same deadline was reached in the same sweep and replaced it.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    topic = models.CharField(max_length=100)
    subject = models.CharField(max_length=120)
    point = models.CharField(max_length=8)
    deadline = models.DateTimeField()
    notice = models.UUIDField(null=True)
    made_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "notifications_reminder"
        constraints = [
            models.UniqueConstraint(fields=["topic", "subject", "user", "point", "deadline"], name="notifications_reminder_once")
        ]
        indexes = [models.Index(fields=["deadline"], name="notifications_reminder_age")]


class Presence(models.Model):
    """The last moment at which a user had a topic's page open and in view."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    topic = models.CharField(max_length=100)
    seen_at = models.DateTimeField()

    class Meta:
        verbose_name = "presence"
        verbose_name_plural = "presence records"
        db_table = "notifications_presence"
        constraints = [models.UniqueConstraint(fields=["user", "topic"], name="notifications_presence_once")]
        indexes = [models.Index(fields=["seen_at"], name="notifications_presence_age")]


class Handover(models.Model):
    """A notice's delivery by one channel other than mail; the outbox row records the mail.

    One before the mail is written when the notice is first looked at, one after it when the mail is settled or waits for its
    server. Each is due when the channels before it have had their time.
    """

    class Status(models.TextChoices):
        WAITING = "waiting", "its time has not come"
        SENT = "sent", "taken by the receiver's side"
        REFUSED = "refused", "refused for good"
        DROPPED = "dropped", "not sent, because it no longer held or was acted upon"
        FAILED = "failed", "not sent, because it could not be"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    notice = models.ForeignKey("notifications.Outbox", on_delete=models.CASCADE, related_name="handovers")
    channel = models.CharField(max_length=20)
    due_at = models.DateTimeField()
    claimed_until = models.DateTimeField(null=True)
    attempts = models.IntegerField(default=0)
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.WAITING)
    done_at = models.DateTimeField(null=True)
    error = models.CharField(max_length=500, blank=True)

    class Meta:
        db_table = "notifications_handover"
        constraints = [models.UniqueConstraint(fields=["notice", "channel"], name="notifications_handover_once")]
        indexes = [
            models.Index(fields=["due_at"], condition=Q(status="waiting"), name="notifications_handover_due"),
            models.Index(
                fields=["claimed_until"],
                condition=Q(status="waiting", claimed_until__isnull=False),
                name="notifications_handover_held",
            ),
        ]


class Rest(models.Model):
    """Until when nothing goes to a user by a channel, after a slow receiver. It outlives the address of that."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    channel = models.CharField(max_length=20)
    until = models.DateTimeField()

    class Meta:
        db_table = "notifications_rest"
        constraints = [models.UniqueConstraint(fields=["user", "channel"], name="notifications_rest_once")]
        indexes = [models.Index(fields=["until"], name="notifications_rest_age")]


class PushSubscription(models.Model):
    """A browser that takes notices of a user by web push (RFC 8030): its push service's address, and its keys (RFC 8291)."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    endpoint = models.URLField(max_length=500, unique=True)
    p256dh = models.CharField(max_length=100)
    auth = models.CharField(max_length=40)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "notifications_push_subscription"
        verbose_name = "push subscription"
        verbose_name_plural = "push subscriptions"


class CalendarFeed(models.Model):
    """A user's calendar address, derived from the row's id. Removing it deletes the row; a new row has another address."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "notifications_calendar_feed"


class LastShown(models.Model):
    """The parts of the mails of a topic to a user that the next one does not repeat, or only if they have changed.

    `picture` is the hash of its picture; `calendar` gives the SEQUENCE at which each subject's entry was last sent;
    `explained` are the things that this mail or one before it has explained.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    topic = models.CharField(max_length=100)
    picture = models.CharField(max_length=64, blank=True, default="")
    calendar = models.JSONField(default=dict)
    explained = models.JSONField(default=list)
    sent_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = "last mail"
        db_table = "notifications_last_shown"
        constraints = [models.UniqueConstraint(fields=["user", "topic"], name="notifications_last_shown_once")]
        indexes = [models.Index(fields=["sent_at"], name="notifications_last_shown_age")]


class CalendarEntry(models.Model):
    """The last published state of one deadline in a user's calendar, so that a change updates the same entry."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    topic = models.CharField(max_length=100)
    subject = models.CharField(max_length=120)
    due_at = models.DateTimeField()
    sequence = models.PositiveIntegerField(default=0)
    cancelled = models.BooleanField(default=False)
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        verbose_name = "calendar entry"
        verbose_name_plural = "calendar entries"
        db_table = "notifications_calendar_entry"
        constraints = [models.UniqueConstraint(fields=["user", "topic", "subject"], name="notifications_calendar_entry_once")]
        indexes = [models.Index(fields=["changed_at"], name="notifications_calendar_age")]
