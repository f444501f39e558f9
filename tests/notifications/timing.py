"""A kind of notice with deadlines and briefs set by a test, for tests of batching."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

import pytest
from django.utils import timezone

from notifications import registry
from notifications.registry import Brief, Message


class Asking:
    """Questions by topic. `deadlines[topic]` is its deadline; without an entry it is closed.

    `withdrawn`: the notices of questions of the topic before it.
    """

    def __init__(self) -> None:
        self.deadlines: dict[str, datetime] = {}
        self.acts: dict = {}
        self.withdrawn: set[UUID] = set()

    def open(self, topic: str, hours: float = 48) -> None:
        self.deadlines[topic] = timezone.now() + timedelta(hours=hours)

    def deadline(self, row):
        return self.deadlines.get(row.topic) if row.pk not in self.withdrawn else None

    def render(self, row):
        return Message(f"Your turn in {row.topic}", "Take stones.\n") if self.deadline(row) is not None else None

    def brief(self, row):
        if self.deadline(row) is None:
            return None
        return Brief(
            key=row.topic,
            title=f"Stones {row.topic}",
            headline="your move",
            link=f"https://games.example/{row.topic}/",
            due_at=self.deadlines[row.topic],
            lines=(f"Something happened in {row.topic}.",),
            orders="take N",
            reply_to=f"turn+{row.topic}@reply.games.example",
        )

    def acted(self, rows, told):
        return {row.pk: self.acts[row.topic] for row in rows if row.topic in self.acts}


@pytest.fixture
def asking(monkeypatch, sink, settings):
    settings.NOTICE_BATCH_MINUTES = 10
    found = Asking()
    monkeypatch.setattr(registry, "_kinds", dict(registry._kinds))
    registry._kinds.pop("your_turn", None)
    registry.register("your_turn", found.render, deadline=found.deadline, brief=found.brief, acted=found.acted)
    registry._kinds.pop("reminder", None)
    registry.register("reminder", found.render, deadline=found.deadline, brief=found.brief, acted=found.acted, again=True)
    registry.register("told", lambda row: Message("Told", "Told.\n"))
    return found
