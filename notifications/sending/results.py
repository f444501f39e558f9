"""Recording the mails that the mail server has taken: several in one transaction, a second after the first at the latest.

A worker that dies in between sends these mails again, with the same ids. So few of them wait, and none to a user who gets
another: what a mail showed decides what the next one shows.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from uuid import UUID

from django.db import DatabaseError, InterfaceError, transaction
from django.utils import timezone

from gamesvc.database.asking import drop_interrupted
from notifications.models import Outbox, Status
from notifications.registry import Shows
from notifications.sending import claims, shown
from notifications.wanted import timing

log = logging.getLogger(__name__)

MOST = 10
LONGEST = 1.0
# Each may have waited long for a lock: the others may be as well.
MOST_FAULTS = 2
# Sent mails by their ids, each with the moment at which the mail server took it.
Taken = Mapping[UUID, tuple[Outbox, datetime]]


class Results:
    """The mails of a batch that were taken and are not yet recorded as sent."""

    def __init__(self) -> None:
        self.lost: set[UUID] = set()
        """The notices that were no longer ours when they were to be recorded."""
        self._taken: dict[UUID, tuple[Outbox, datetime]] = {}
        self._shows: dict[UUID, Shows | None] = {}
        self._since = 0.0

    def add(self, row: Outbox, shows: Shows | None) -> None:
        """Note that the mail server has just taken a mail."""
        if not self._taken:
            self._since = time.monotonic()
        self._taken[row.pk], self._shows[row.pk] = (row, timezone.now()), shows

    def before(self, row: Outbox) -> None:
        """Record what was sent, if it is time or if this notice has the same receiver."""
        if not self._taken:
            return
        receivers = {one.receiver for one, _sent_at in self._taken.values()}
        if row.receiver in receivers or len(self._taken) >= MOST or time.monotonic() - self._since > LONGEST:
            self.record()

    def record(self) -> None:
        """Record all that was sent."""
        if not self._taken:
            return
        taken, self._taken = self._taken, {}
        try:
            rows = self._settled(taken)
        except (DatabaseError, InterfaceError):
            log.exception("the mails of a batch could not be recorded together")
            rows = self._one_by_one(taken)
        self.lost |= taken.keys() - {row.pk for row in rows}
        timing.sent_more(rows)

    def _one_by_one(self, taken: Taken) -> list[Outbox]:
        """Record each mail by itself: what holds up that of one receiver would have those of the others sent twice."""
        rows: list[Outbox] = []
        faults = 0
        for pk, mail in taken.items():
            drop_interrupted()
            try:
                rows += self._settled({pk: mail})
            except (DatabaseError, InterfaceError):
                log.exception("the mail of the notice %s could not be recorded", pk)
                if (faults := faults + 1) == MOST_FAULTS:
                    break
        return rows

    def _settled(self, taken: Taken) -> list[Outbox]:
        """Record in one transaction that mails were sent, with what follows. Return the notices that were still ours."""
        with transaction.atomic():
            ours = claims.settle_sent(taken)
            rows = [row for row, _sent_at in taken.values() if row.pk in ours]
            for row in rows:
                row.status, row.sent_at = Status.SENT, taken[row.pk][1]
            shown.note_all([(row, self._shows[row.pk]) for row in rows])
            for row in rows:
                timing.settled(row, Status.SENT)
        return rows


@contextmanager
def recorded(results: Results) -> Iterator[None]:
    """Record what was sent when the block ends, also by a fault."""
    try:
        yield
    finally:
        results.record()
