"""Several sweepers at the same questions, over connections of their own."""

from __future__ import annotations

import threading
import uuid
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from accounts.models import User
from gamesvc.matches import reminding
from gamesvc.matches.models import Match, Question, Seat
from notifications.models import Outbox, Reminder


@pytest.fixture
def committed_duel(django_db_setup, django_db_blocker):
    """Questions that other connections see; the event log cannot be emptied, so these have no events."""
    with django_db_blocker.unblock():
        users = [User.objects.create_user(f"r{number}{uuid.uuid4().hex[:6]}") for number in range(3)]
        match = Match.objects.create(
            game="toy", rules="toy/1.0.0", options={}, seat_count=3, hours=48, entry="public", watch="all",
            link_token=uuid.uuid4().hex, key_id="k", sealed_secret=b"", status="running",
        )  # fmt: skip
        Seat.objects.bulk_create(Seat(match=match, index=at, user=user) for at, user in enumerate(users))
        now = timezone.now()
        Question.objects.bulk_create(
            Question(
                match=match, seat=seat, question=f"q{number}", prompt="turn", kind="turn",
                asked_at=now - timedelta(hours=9), due_at=now + timedelta(hours=1, seconds=number),
            )
            for seat in range(3) for number in range(20)
        )  # fmt: skip
        yield match
        Outbox.objects.filter(topic=str(match.id)).delete()
        Reminder.objects.filter(topic=str(match.id)).delete()
        match.delete()
        for user in users:
            user.delete()


def test_sweepers_that_race_remind_once(committed_duel, django_db_blocker):
    start = threading.Barrier(3)
    counts = []

    def sweeper():
        with django_db_blocker.unblock():
            try:
                start.wait()
                counts.append(reminding.sweep_all())
            finally:
                connection.close()

    threads = [threading.Thread(target=sweeper) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with django_db_blocker.unblock():
        queued = Outbox.objects.filter(topic=str(committed_duel.id), kind="reminder")
        assert sum(counts) == queued.count() == 60
        assert len({(row.payload["seat"], row.payload["question"]) for row in queued}) == 60
