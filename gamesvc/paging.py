"""Pages of lists: their sizes, and the cut of one page from a queryset."""

from __future__ import annotations

from typing import TypeVar

from django.db.models import Model, QuerySet

LOBBY = 40
OWN_MATCHES = 300
CARDS = 12
FINISHED = 6
INBOX = 50
MATCHES = 50
MESSAGES = 50
REFUSALS = 50
EVENTS = 500
EVENTS_IN_ADMIN = 100
NOTICES = 50
DELIVERIES = 50
CHECKPOINTS = 50
FREE_SEATS = 100
LEADERS = 50
LEADERS_AT_A_GLANCE = 5
PLAYED = 20
CHALLENGES = 100
EXPORTED = 50
EXPORTED_EVENTS = 2_500
RESULTS = 500
FORMS_BYTES = 1_000_000
"""The forms of a page of turns, after which it ends: those of a strange position may have 11 MB, and a user 50 such matches."""

M = TypeVar("M", bound=Model)


def cut(found: QuerySet[M], size: int) -> tuple[list[M], M | None]:
    """Return the first page, and its last row if further rows follow: the next page begins after it."""
    rows = list(found[: size + 1])
    return rows[:size], rows[size - 1] if len(rows) > size else None
