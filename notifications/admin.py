"""What operators see of notices: the ledger of what was queued, sent, refused and acted upon.

Neither words nor topics: they would tell who plays where.
"""

from __future__ import annotations

from django.contrib import admin

from accounts.operators import ReadOnly, operators
from notifications.models import Outbox


@admin.register(Outbox, site=operators)
class OutboxAdmin(ReadOnly):
    list_display = ("created_at", "kind", "user", "status", "due_at", "attempts", "sent_at", "acted_at")
    list_filter = ("status", "kind")
    search_fields = ("user__username", "=message_id")
    date_hierarchy = "created_at"
    ordering = ("-created_at", "-pk")
    fields = ("created_at", "kind", "user", "status", "due_at", "attempts", "sent_at", "acted_at", "message_id", "error")
    list_select_related = ("user",)
