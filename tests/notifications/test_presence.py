"""A page in view delays a notice by minutes and never drops it."""

from datetime import UTC, datetime, timedelta

import time_machine
from django.utils import timezone

from gamesvc.matches.retention import forget
from notifications.models import Outbox, Presence, Status
from notifications.outbox import Notice, notify
from notifications.tasks import send_due
from notifications.wanted import presence
from tests.notifications.timing import asking  # noqa: F401


def queue(user, topic):
    notify(Notice("your_turn", user_id=user.pk, topic=topic))


def test_a_page_in_view_delays_and_a_user_who_acts_gets_no_mail(sink, asking, ann):  # noqa: F811
    asking.open("m1")
    presence.note(ann, "m1")
    queue(ann, "m1")
    assert send_due() == 0
    row = Outbox.objects.get()
    assert (row.status, row.attempts) == (Status.QUEUED, 0)
    assert timedelta(0) < row.due_at - timezone.now() <= presence.LOOK_AGAIN
    del asking.deadlines["m1"]
    with time_machine.travel(datetime.now(UTC) + timedelta(minutes=2), tick=True):
        assert send_due() == 0
    assert Outbox.objects.get().status == Status.DROPPED


def test_a_page_left_open_holds_a_notice_five_minutes_at_most(sink, asking, ann):  # noqa: F811
    asking.open("m1")
    start = datetime.now(UTC)
    with time_machine.travel(start, tick=False) as clock:
        queue(ann, "m1")
        for minute in range(5):
            clock.move_to(start + timedelta(minutes=minute))
            presence.note(ann, "m1")
            assert send_due() == 0
        clock.move_to(start + timedelta(minutes=5))
        presence.note(ann, "m1")
        assert send_due() == 1


def test_a_page_that_is_gone_or_of_another_match_holds_nothing(sink, asking, ann):  # noqa: F811
    asking.open("m1")
    presence.note(ann, "m2")
    presence.note(ann, "m1")
    Presence.objects.filter(topic="m1").update(seen_at=timezone.now() - timedelta(minutes=2))
    queue(ann, "m1")
    assert send_due() == 1


def test_a_page_that_was_closed_holds_nothing(sink, asking, ann):  # noqa: F811
    asking.open("m1")
    presence.note(ann, "m1")
    presence.leave(ann, "m1")
    queue(ann, "m1")
    assert send_due() == 1


def test_what_is_old_is_forgotten(ann):
    for topic in ("m1", "m1", "m2"):
        presence.note(ann, topic)
    Presence.objects.filter(topic="m1").update(seen_at=timezone.now() - timedelta(days=2))
    forget()
    assert list(Presence.objects.values_list("topic", flat=True)) == ["m2"]
