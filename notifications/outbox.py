"""Queueing notices, for the apps above: in the transaction of the event they report, so that neither exists without the other.

`notifications.sending.delivery` sends them, started by `notifications.tasks`.
"""

from __future__ import annotations

import json
import re
import threading
import time
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import Model
from django.utils import timezone

from gamesvc.database.asking import ask
from gamesvc.database.rows import insert
from gamesvc.json_types import JsonMapping
from notifications import hints

_TOPIC = re.compile(r"\A[A-Za-z0-9._-]{0,100}\Z")
# More ids than this in one hint save nothing: the sweep takes them in batches anyway.
_HINTED = 100
TOGETHER_SECONDS = 0.5

# `appended` is the CTE in which the event store returns what it appended: without an event, no notice. Everything else about a
# row is a default of the table.
_INSERT = """INSERT INTO notifications_outbox (id, kind, user_id, address, topic, payload, due_at, created_at)
SELECT n.id, n.kind, n.user_id, n.address, n.topic, n.payload::jsonb, coalesce(n.due_at, c.now), c.now
FROM unnest(%s::uuid[], %s::text[], %s::bigint[], %s::text[], %s::text[], %s::text[], %s::timestamptz[])
  AS n(id, kind, user_id, address, topic, payload, due_at), (SELECT %s::timestamptz) AS c(now)
WHERE EXISTS (SELECT FROM appended)"""


class _Gathered(threading.local):
    """The notices of which the sender is notified together, and until when they wait; None outside `waking_together`."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.until: float | None = None


_gathered = _Gathered()


@dataclass(frozen=True)
class Notice:
    """A notice to queue, either for a user or (an invitation) for a stranger's address.

    `topic` groups mails into one thread in mail programs (a match's id). `payload` holds ids and numbers only: the text is
    written when it is sent. Without `due_at` it is due at once.
    """

    kind: str
    user_id: int | None = None
    address: str = ""
    topic: str = ""
    payload: JsonMapping = field(default_factory=dict)
    due_at: datetime | None = None
    id: uuid.UUID = field(default_factory=uuid.uuid4)

    def __post_init__(self) -> None:
        if (self.user_id is None) == (self.address == ""):
            raise ValueError("a notice has one receiver: a user or an address")
        if self.address:
            try:
                validate_email(self.address)
            except ValidationError as fault:
                raise ValueError("this is not a mail address; it should be like name@example.org") from fault
        if not _TOPIC.match(self.topic):
            raise ValueError(
                "a topic has at most 100 letters, digits, dots, hyphens and underscores: it is written into mail headers"
            )
        if self.due_at is not None and timezone.is_naive(self.due_at):
            raise ValueError("due_at needs a time zone")


def insert_sql(rows: Sequence[Notice]) -> tuple[str, list[object]]:
    """Return the statement that queues `rows` if the CTE `appended` beside it returned a row, and its parameters.

    The text is always the same, also without rows, so that it is prepared once.
    """
    return _INSERT, [
        [row.id for row in rows],
        [row.kind for row in rows],
        [row.user_id for row in rows],
        [row.address for row in rows],
        [row.topic for row in rows],
        [json.dumps(dict(row.payload), separators=(",", ":")) for row in rows],
        [row.due_at for row in rows],
        timezone.now(),
    ]


def notify(*notices: Notice, about: Model | None = None) -> None:
    """Queue notices within the caller's transaction, and store the new row that they are `about`.

    The sender is woken after the commit.
    """
    if about is not None:
        insert(about, beside=insert_sql(notices))
    elif notices:
        queue, values = insert_sql(notices)
        ask(f"WITH appended AS (SELECT) {queue}", values)
    now = timezone.now()
    soon = [notice.id for notice in notices if notice.due_at is None or notice.due_at <= now]
    if soon:
        transaction.on_commit(lambda: wake(soon), robust=True)


def wake(ids: Iterable[uuid.UUID]) -> None:
    """Notify the sender of new notices. Call it after the commit; if the broker is away, the next sweep finds them."""
    hinted = [str(identity) for identity in ids][:_HINTED]
    if _gathered.until is None:
        _hint(hinted)
        return
    _gathered.ids += hinted
    if len(_gathered.ids) >= _HINTED or time.monotonic() > _gathered.until:
        _hint_gathered()


@contextmanager
def waking_together() -> Iterator[None]:
    """Notify the sender of the notices of this block each half second and at its end. A hint costs as much as a query."""
    _gathered.until = time.monotonic() + TOGETHER_SECONDS
    try:
        yield
    finally:
        _hint_gathered()
        _gathered.until = None


def _hint_gathered() -> None:
    ids, _gathered.ids = _gathered.ids, []
    _gathered.until = time.monotonic() + TOGETHER_SECONDS
    _hint(ids)


def _hint(ids: Sequence[str]) -> None:
    if ids:
        hints.publish("notifications.tasks.send_soon", ids)
