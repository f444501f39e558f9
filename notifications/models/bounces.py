"""Mails that did not arrive or were not wanted, and the addresses that get no more of them."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone


class Report(models.TextChoices):
    """The meaning of a report for an address."""

    HARD = "hard", "there is no such mailbox"
    SOFT = "soft", "the mailbox did not take it this time"
    COMPLAINT = "complaint", "its owner called it unwanted"


class Source(models.TextChoices):
    """The source of a report."""

    SMTP = "smtp", "the mail server, while taking the mail"
    DSN = "dsn", "a delivery report by mail"
    PROVIDER = "provider", "the mail provider"


class Bounce(models.Model):
    """One report about one mail. The address is stored as a keyed hash only, and is blanked out of `detail`.

    `key` is the same for a report that comes twice. `delivery` is the id of the notice, which may be deleted earlier; `topic` is
    the notice's.
    """

    key = models.CharField(max_length=64, unique=True)
    delivery = models.UUIDField(null=True, db_index=True)
    kind = models.CharField(max_length=60, blank=True)
    topic = models.CharField(max_length=100, blank=True, db_default="")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="+")
    address_hash = models.CharField(max_length=64)
    report = models.CharField(max_length=10, choices=Report.choices)
    source = models.CharField(max_length=10, choices=Source.choices)
    status = models.CharField(max_length=12, blank=True)
    detail = models.CharField(max_length=300, blank=True)
    happened_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "notifications_bounce"
        indexes = [
            models.Index(fields=["address_hash", "happened_at"], name="notifications_bounce_address"),
            models.Index(fields=["happened_at"], name="notifications_bounce_age"),
        ]

    def __str__(self) -> str:
        return f"{self.report} {self.status} {self.delivery}"


class Suppression(models.Model):
    """An address that gets no more mail, or none of one `kind`, until its owner asks for it again (`lifted_at`)."""

    address_hash = models.CharField(max_length=64)
    kind = models.CharField(max_length=60, blank=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="+")
    report = models.CharField(max_length=10, choices=Report.choices)
    status = models.CharField(max_length=12, blank=True)
    detail = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    lifted_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "notifications_suppression"
        constraints = [
            models.UniqueConstraint(fields=["address_hash", "kind"], name="notifications_suppression_once"),
        ]

    def __str__(self) -> str:
        return f"{self.kind or 'everything'} after {self.report}"
