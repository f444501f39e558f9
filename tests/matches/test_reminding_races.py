"""Several sweepers at the same questions, over separate connections."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
from django.utils import timezone

from gamesvc.matches.models import Match, Question, Seat
from gamesvc.matches.notices import reminding
from notifications.models import Outbox
from tests.racing import at_once

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def committed_duel(player):
    """Questions that other connections see. There are too many of them to play a match for each."""
    match = Match.objects.create(
        game="toy", rules="toy/1.0.0", options={}, seat_count=3, hours=48, entry="public", watch="all",
        link_token=uuid.uuid4().hex, key_id="k", sealed_secret=b"", status="running",
    )  # fmt: skip
    Seat.objects.bulk_create(Seat(match=match, index=at, user=player(f"guest{at}")) for at in range(3))
    now = timezone.now()
    Question.objects.bulk_create(
        Question(
            match=match, seat=seat, question=f"q{number}", prompt="turn", kind="turn",
            asked_at=now - timedelta(hours=9), due_at=now + timedelta(hours=1, seconds=number),
        )
        for seat in range(3) for number in range(20)
    )  # fmt: skip
    return match


def test_sweepers_that_race_remind_once(committed_duel):
    counts = at_once(*[reminding.sweep] * 3)
    queued = Outbox.objects.filter(topic=str(committed_duel.id), kind="reminder")
    assert sum(counts) == queued.count() == 60
    assert len({(row.payload["seat"], row.payload["question"]) for row in queued}) == 60
