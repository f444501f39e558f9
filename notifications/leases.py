"""Leases: a claimed row belongs to its worker for some seconds, and for longer while the worker goes on.

A lease is short, so that a killed worker's rows are free soon; a thread renews it, so that slow work keeps them. `claimed_until`
is also the proof of a claim: a row may be settled only with the moment that was last set, so both are changed under one lock.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, Protocol

from django.db import DatabaseError, InterfaceError, connection, connections, models
from django.utils import timezone

# Held while claims are changed or compared, never while waiting for a row.
CHANGING = threading.RLock()

# Rows locked by our own transaction are skipped: waiting for them could be a deadlock with ourselves.
_RENEW = """
WITH ours AS (
  SELECT t.id FROM {table} t JOIN unnest(%s::uuid[], %s::timestamptz[]) AS c(id, until) ON c.id = t.id
  WHERE t.claimed_until = c.until FOR UPDATE OF t SKIP LOCKED)
UPDATE {table} t SET claimed_until = %s::timestamptz FROM ours WHERE t.id = ours.id RETURNING t.id
"""


class Claimed(Protocol):
    """A row with a lease."""

    pk: Any
    claimed_until: datetime | None


@contextmanager
def repeating(renew: Callable[[], None], every_seconds: float) -> Iterator[None]:
    """Call `renew` in a thread every `every_seconds` until the block ends."""
    done = threading.Event()

    def run() -> None:
        while not done.wait(every_seconds):
            try:
                renew()
            except (DatabaseError, InterfaceError):
                connections.close_all()  # the lease may expire; the worker notices when it settles
        connections.close_all()

    thread = threading.Thread(target=run, name="lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


@contextmanager
def kept(rows: Sequence[Claimed], model: type[models.Model], seconds: float) -> Iterator[None]:
    """Renew the leases of claimed rows while the block runs. Rows that are settled or another worker's stay as they are."""

    def renew() -> None:
        until = timezone.now() + timedelta(seconds=seconds)
        with CHANGING, connection.cursor() as cursor:
            held = [(row.pk, row.claimed_until) for row in rows if row.claimed_until is not None]
            sql = _RENEW.format(table=connection.ops.quote_name(model._meta.db_table))
            cursor.execute(sql, [[pk for pk, _ in held], [moment for _, moment in held], until])
            renewed = {pk for (pk,) in cursor.fetchall()}
            for row in rows:
                if row.pk in renewed:
                    row.claimed_until = until

    with repeating(renew, seconds / 3):
        yield
