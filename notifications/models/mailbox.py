"""Mailboxes that are read by IMAP: progress, and time of the last poll."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models


class Mailbox(models.Model):
    """One folder of one mailbox. `last_uid` is the newest message looked at, under `uid_validity` (RFC 3501, 2.3.1.1).

    `tries` counts the polls that stopped at the message after it. `polled_at` is when the last complete poll began: all mail from
    before it is stored here. `failed_at` is when the last one began that failed.
    """

    name = models.CharField(max_length=300, unique=True)
    uid_validity = models.BigIntegerField(default=0)
    last_uid = models.BigIntegerField(default=0)
    tries = models.IntegerField(default=0)
    # Older messages that were over a limit when they were looked at (`inbound.doors.rates`), or could not be read: they are tried
    # again.
    waiting = ArrayField(models.BigIntegerField(), default=list)
    # Waiting messages that could not be read: by UID, how often they were put aside, and the end of their rest (POSIX time).
    failing = models.JSONField(default=dict)
    polled_at = models.DateTimeField(null=True)
    failed_at = models.DateTimeField(null=True)
    claimed_until = models.DateTimeField(null=True)

    class Meta:
        verbose_name = "mailbox"
        verbose_name_plural = "mailboxes"
        db_table = "notifications_mailbox"
