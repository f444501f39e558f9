"""Webhooks of users, and the log of what was sent to them."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils import timezone

from notifications.models.timing import Handover


class Webhook(models.Model):
    """An address where a user's program takes notices. Its secret is derived from `id` and `generation`, and stored nowhere.

    `channel`: the one webhook that stands in the order of the user's channels. The others are subscriptions: they get every
    notice of their `kinds` at once (NULL: of all kinds), or, with a `topic`, the news of one match that the user organises.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    url = models.URLField(max_length=500)
    channel = models.BooleanField(default=True, db_default=True)
    topic = models.CharField(max_length=100, blank=True, default="", db_default="")
    kinds = ArrayField(models.CharField(max_length=60), null=True)
    created_at = models.DateTimeField(default=timezone.now)
    # Up to when the notices of its user were looked at; of a match, the newest version that was looked at.
    looked_at = models.DateTimeField(default=timezone.now)
    looked_version = models.PositiveIntegerField(default=0, db_default=0)
    told_version = models.PositiveIntegerField(default=0, db_default=0)
    generation = models.PositiveIntegerField(default=1)
    rotated_at = models.DateTimeField(default=timezone.now)
    # Since when every delivery has failed; after a week of that it is switched off.
    failing_since = models.DateTimeField(null=True)
    disabled_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "notifications_webhook"
        constraints = [
            models.UniqueConstraint(fields=["user"], condition=Q(channel=True), name="notifications_webhook_one_channel"),
            models.CheckConstraint(condition=Q(channel=False) | Q(topic=""), name="notifications_webhook_channel_topic"),
        ]
        indexes = [models.Index(fields=["topic"], condition=~Q(topic=""), name="notifications_webhook_topic")]


class WebhookDelivery(models.Model):
    """A delivery to a webhook, sent or waiting. Its `id` is the `webhook-id` of every try.

    The body is written when it is first sent, and kept for another delivery. Of the webhook in the order of channels this is only
    the log: a `Handover` with the same id decides when it is tried.
    """

    Status = Handover.Status

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    hook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    notice = models.ForeignKey("notifications.Outbox", null=True, on_delete=models.SET_NULL, related_name="+")
    kind = models.CharField(max_length=60)
    body = models.TextField(blank=True, default="", db_default="")
    created_at = models.DateTimeField(default=timezone.now)
    due_at = models.DateTimeField(default=timezone.now)
    claimed_until = models.DateTimeField(null=True)
    attempts = models.IntegerField(default=0, db_default=0)
    status = models.CharField(max_length=10, choices=Handover.Status.choices, default=Handover.Status.WAITING)
    tried_at = models.DateTimeField(null=True)
    response_status = models.PositiveSmallIntegerField(null=True)
    error = models.CharField(max_length=500, blank=True, default="", db_default="")

    class Meta:
        db_table = "notifications_webhook_delivery"
        verbose_name = "webhook delivery"
        verbose_name_plural = "webhook deliveries"
        constraints = [
            models.UniqueConstraint(
                fields=["hook", "notice"], condition=Q(notice__isnull=False), name="notifications_webhook_delivery_once"
            )
        ]
        indexes = [
            models.Index(fields=["hook", "due_at", "id"], condition=Q(status="waiting"), name="notifications_delivery_next"),
            models.Index(
                fields=["hook", "claimed_until"],
                condition=Q(status="waiting", claimed_until__isnull=False),
                name="notifications_delivery_held",
            ),
            models.Index(fields=["hook", "-created_at", "-id"], name="notifications_delivery_log"),
            models.Index(fields=["created_at"], name="notifications_delivery_age"),
        ]
