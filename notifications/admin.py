"""Operators' pages about notices: queued, sent by which channel, refused, bounced and acted on; and notification settings.

They show neither texts nor topics nor deadlines, which would reveal who plays where. Of matches closed to the operator they show
nothing, since even the times would reveal something. They show no addresses, and nothing that grants access.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from django.contrib import admin

from accounts.operators import ReadOnly, operators
from notifications.models import Bounce, Handover, Outbox, Preference, PushSubscription, Reminder, Suppression, Webhook
from notifications.wanted.wishes import GENERAL


@admin.register(Outbox, site=operators)
class OutboxAdmin(ReadOnly):
    list_display = ("created_at", "kind", "user", "status", "due_at", "attempts", "sent_at", "acted_at")
    list_filter = ("status", "kind")
    search_fields = ("user__username", "=message_id")
    date_hierarchy = "created_at"
    ordering = ("-created_at", "-pk")
    fields = ("created_at", "kind", "user", "status", "due_at", "attempts", "sent_at", "acted_at", "message_id", "error")
    list_select_related = ("user",)
    of_match, of_player = "topic", "user"


@admin.register(Handover, site=operators)
class HandoverAdmin(ReadOnly):
    """The channels beside mail."""

    list_display = ("due_at", "channel", "user", "kind", "status", "attempts", "done_at")
    list_filter = ("status", "channel")
    search_fields = ("notice__user__username",)
    date_hierarchy = "due_at"
    ordering = ("-due_at", "-pk")
    fields = ("due_at", "channel", "user", "kind", "status", "attempts", "claimed_until", "done_at", "error")
    list_select_related = ("notice__user",)
    of_match, of_player = "notice__topic", "notice__user"

    @admin.display(description="user")
    def user(self, handover: Handover) -> str:
        return str(handover.notice.user)

    @admin.display(description="kind")
    def kind(self, handover: Handover) -> str:
        return handover.notice.kind


@admin.register(Bounce, site=operators)
class BounceAdmin(ReadOnly):
    list_display = ("happened_at", "user", "kind", "report", "source", "status")
    list_filter = ("report", "source", "kind")
    search_fields = ("user__username", "status")
    date_hierarchy = "happened_at"
    ordering = ("-happened_at", "-pk")
    fields = ("happened_at", "user", "kind", "delivery", "report", "source", "status", "detail")
    list_select_related = ("user",)
    of_match, of_player = "topic", "user"


@admin.register(Suppression, site=operators)
class SuppressionAdmin(ReadOnly):
    list_display = ("created_at", "user", "kind", "report", "status", "lifted_at")
    list_filter = ("report", "kind")
    search_fields = ("user__username", "status")
    ordering = ("-created_at", "-pk")
    fields = ("created_at", "user", "kind", "report", "status", "detail", "lifted_at")
    list_select_related = ("user",)


@admin.register(Reminder, site=operators)
class ReminderAdmin(ReadOnly):
    """The points of deadlines that were reached. A point has no notice if a later one replaced it."""

    list_display = ("made_at", "user", "point", "notice")
    list_filter = ("point",)
    search_fields = ("user__username", "=notice")
    ordering = ("-made_at", "-pk")
    fields = ("made_at", "user", "point", "notice")
    list_select_related = ("user",)
    of_match, of_player = "topic", "user"


@admin.register(Preference, site=operators)
class PreferenceAdmin(ReadOnly):
    _wishes = GENERAL
    list_display = ("user", "for_one_match", *_wishes)
    search_fields = ("user__username",)
    ordering = ("user__username", "pk")
    fields = ("user", "for_one_match", *_wishes, "digest_at", "digested_at")
    list_select_related = ("user",)
    of_match, of_player = "topic", "user"

    @admin.display(description="for one match", boolean=True)
    def for_one_match(self, preference: Preference) -> bool:
        return bool(preference.topic)


@admin.register(PushSubscription, site=operators)
class PushSubscriptionAdmin(ReadOnly):
    """Only the host of a push service: the rest of the address lets its holder send."""

    list_display = ("user", "host", "created_at")
    search_fields = ("user__username",)
    ordering = ("user__username", "pk")
    fields = ("user", "host", "created_at")
    list_select_related = ("user",)

    @admin.display(description="host")
    def host(self, row: PushSubscription) -> str:
        return urlsplit(row.endpoint).hostname or ""


@admin.register(Webhook, site=operators)
class WebhookAdmin(ReadOnly):
    """Only the host of a webhook: the rest of its address is often a secret."""

    list_display = ("user", "host", "channel", "rotated_at", "failing_since", "disabled_at")
    search_fields = ("user__username",)
    ordering = ("user__username", "pk")
    fields = ("user", "host", "channel", "rotated_at", "failing_since", "disabled_at")
    list_select_related = ("user",)
    of_match, of_player = "topic", "user"

    @admin.display(description="host")
    def host(self, hook: Webhook) -> str:
        return urlsplit(hook.url).hostname or ""
