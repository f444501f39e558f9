"""Places in lists that are ordered by a moment and an id: the `cursor` of the next page."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from uuid import UUID

from gamesvc.api.errors import BadQuery
from notifications.models import Outbox, WebhookDelivery

PATTERN = r"^([0-9]{1,18}-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})?$"
_PLACE = re.compile(PATTERN)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TICK = timedelta(microseconds=1)
_LAST = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // _TICK

Place = tuple[datetime, UUID]
"""The moment and the id of the last row of a page."""


def write(place: Place | None) -> str | None:
    """Return the cursor of the page after this place; None if there is no such page."""
    return None if place is None else f"{(place[0] - _EPOCH) // _TICK}-{place[1]}"


def after(row: Outbox | WebhookDelivery | None) -> str | None:
    """Return the cursor of the page after this last row, in the order in which rows were made."""
    return None if row is None else write((row.created_at, row.pk))


def read(cursor: str | None) -> Place | None:
    """Return the place that a cursor names; None for the first page. Raises `BadQuery`."""
    if not cursor:
        return None
    if not _PLACE.fullmatch(cursor):
        raise BadQuery("`cursor` must be the `next` of the page before.", "cursor", code="bad_cursor")
    ticks, _, identity = cursor.partition("-")
    return _EPOCH + min(int(ticks), _LAST) * _TICK, UUID(identity)
