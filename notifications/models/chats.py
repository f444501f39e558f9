"""Addresses of chat services."""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.utils import timezone


class ChatAddress(models.Model):
    """An address where a user takes notices in a chat service. It holds a key, so nothing shows it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    service = models.CharField(max_length=20)
    address = models.CharField(max_length=500)
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "notifications_chat_address"
        verbose_name = "chat address"
        verbose_name_plural = "chat addresses"
        constraints = [models.UniqueConstraint(fields=["user", "service"], name="notifications_chat_address_once")]
