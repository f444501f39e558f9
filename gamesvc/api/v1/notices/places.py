"""Places in lists that are ordered by time and id, newest first: the cursor of the next page."""

from __future__ import annotations

import base64
import binascii
from datetime import datetime
from uuid import UUID

from django.utils.dateparse import parse_datetime

from gamesvc.api.errors import BadRequest
from notifications.models import Outbox, WebhookDelivery


def after(row: Outbox | WebhookDelivery | None) -> str | None:
    """Return the cursor of the page after this last row; None if there is no such page."""
    if row is None:
        return None
    return base64.urlsafe_b64encode(f"{row.created_at.isoformat()} {row.pk}".encode()).decode().rstrip("=")


def read(cursor: str | None) -> tuple[datetime, UUID] | None:
    """Return the place that a cursor names; None for the first page. Raises `BadRequest`."""
    if not cursor:
        return None
    try:
        moment, _, identity = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode().partition(" ")
        found = parse_datetime(moment)
        if found is None or found.tzinfo is None:
            raise ValueError(cursor)
        return found, UUID(identity)
    except (ValueError, binascii.Error):
        detail = "`cursor` must be the `next` of the page before."
        raise BadRequest(detail, code="bad_cursor") from None
