"""Notices that wait for each other, and combined mails: the summary and the daily digest."""

import re
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from anymail.signals import AnymailTrackingEvent, EventType
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import User
from notifications.models import Outbox, Preference, Scope, Status, Suppression
from notifications.outbox import Notice, notify
from notifications.returned import bounces, suppression
from notifications.sending import delivery, digests
from notifications.tasks import send_due
from notifications.wanted import digest_hour, preferences, timing, wishes
from notifications.wanted.wishes import WishRefused
from tests.notifications.conftest import make_user
from tests.notifications.timing import asking  # noqa: F401
from tests.racing import at_once


def queue(user, topic, kind="your_turn"):
    notice = Notice(kind, user_id=user.pk, topic=topic)
    notify(notice)
    return notice.id


def later(**delta):
    return time_machine.travel(datetime.now(UTC) + timedelta(**delta), tick=True)


def subjects(sink):
    return [caught.subject for caught in sink.messages]


def test_ten_at_once_make_one_mail_sorted_by_urgency(sink, asking, ann):  # noqa: F811
    for number in range(10):
        asking.open(f"m{number}", hours=50 - number)
        queue(ann, f"m{number}")
    send_due()
    [mail] = sink.messages
    assert mail.subject.startswith("10 matches wait for you, the first until ")
    assert [mail.text.index(f"Stones m{number}:") for number in range(10)] == sorted(
        (mail.text.index(f"Stones m{number}:") for number in range(10)), reverse=True
    )
    assert "turn+m3@reply.games.example" in mail.text
    assert "mailto:turn+m3@reply.games.example" in mail.html
    assert mail.message["Reply-To"] is None, "an answer would have no match to go to"
    assert max(len(line) for line in mail.text.splitlines()) <= 72
    assert set(Outbox.objects.filter(kind="your_turn").values_list("status", flat=True)) == {Status.MERGED}
    assert set(Outbox.objects.filter(kind="your_turn").values_list("merged_into", flat=True)) == {
        Outbox.objects.get(kind="summary").pk
    }


def test_of_very_many_at_once_one_mail_tells_some_and_counts_the_rest(sink, asking, ann, monkeypatch):  # noqa: F811
    monkeypatch.setattr(digests, "MOST_BRIEFS", 3)
    for number in range(10):
        asking.open(f"m{number}", hours=50 - number)
        queue(ann, f"m{number}")
    send_due()
    [mail] = sink.messages
    assert mail.subject.startswith("10 matches wait for you, the first until ")
    assert mail.text.count("Stones m") == 3
    assert "More matches: 7 matches wait for you" in mail.text


def test_of_thousands_that_are_due_some_are_looked_at_and_the_others_wait_for_the_next_mail(sink, asking, ann, monkeypatch):  # noqa: F811
    """After a week without a mail server. The mails of all others wait for each look at what one user is to be told."""
    monkeypatch.setattr(timing, "MOST_GATHERED", 3)
    for number in range(8):
        asking.open(f"m{number}", hours=50)
        queue(ann, f"m{number}")
    send_due()
    assert [mail.subject[:24] for mail in sink.messages] == ["3 matches wait for you, "]
    with later(minutes=16):
        send_due()
    with later(minutes=32):
        send_due()
    assert [mail.subject[:24] for mail in sink.messages[:2]] == ["3 matches wait for you, "] * 2
    assert len(sink.messages) == 3
    told = "".join(mail.text for mail in sink.messages)
    assert [number for number in range(8) if f"m{number}" not in told] == []


def test_for_one_mail_the_notices_of_other_matches_are_not_read(sink, asking, ann, monkeypatch):  # noqa: F811
    """Thousands may wait, and each mail to their user would read them all."""
    for number in range(30):
        asking.open(f"m{number}")
        queue(ann, f"m{number}")
    Outbox.objects.exclude(topic="m0").update(due_at=timezone.now() + timedelta(hours=1))
    real, made = Outbox.from_db, []

    def from_db(*given):
        made.append(real(*given))
        return made[-1]

    monkeypatch.setattr(Outbox, "from_db", from_db)
    assert send_due() == 1
    assert {row.topic for row in made} == {"m0"}


def test_what_follows_an_unanswered_mail_gathers_until_the_window_ends(sink, asking, ann):  # noqa: F811
    asking.open("m1")
    queue(ann, "m1")
    send_due()
    for topic in ("m2", "m3"):
        asking.open(topic)
        queue(ann, topic)
        assert send_due() == 0
    assert subjects(sink) == ["Your turn in m1"]
    with later(minutes=9):
        assert send_due() == 0
    with later(minutes=11):
        send_due()
    assert len(sink.messages) == 2
    assert sink.messages[1].subject.startswith("2 matches wait for you")


def test_a_receiver_who_answers_gets_the_next_at_once(sink, asking, ann):  # noqa: F811
    for topic in ("m1", "m2", "m3"):
        asking.open(topic)
        queue(ann, topic)
        assert send_due() == 1
        del asking.deadlines[topic]
    assert subjects(sink) == ["Your turn in m1", "Your turn in m2", "Your turn in m3"]


def test_a_mail_sent_before_the_clock_was_set_back_keeps_no_other_waiting(sink, asking, ann):  # noqa: F811
    with later(days=1):
        asking.open("m1", hours=48)
        queue(ann, "m1")
        assert send_due() == 1
    asking.open("m2", hours=48)
    queue(ann, "m2")
    assert send_due() == 1


def test_the_same_match_never_waits_for_itself_nor_what_is_urgent(sink, asking, ann):  # noqa: F811
    asking.open("m1")
    queue(ann, "m1")
    send_due()
    asking.open("m2", hours=0.1)
    for topic, kind in (("m1", "your_turn"), ("m2", "your_turn"), ("m3", "told")):
        queue(ann, topic, kind)
        assert send_due() == 1
    assert subjects(sink)[1:] == ["Your turn in m1", "Your turn in m2", "Told"]


def ask_and_withdraw(questions, user, *topics):
    for topic in topics:
        questions.open(topic)
    asked = {queue(user, topic) for topic in topics}
    send_due()
    for topic in topics:
        del questions.deadlines[topic]
    questions.withdrawn |= asked
    send_due()


@pytest.mark.parametrize("topics", [["m1"], ["m1", "m2"]])
@pytest.mark.parametrize("window", [0, 10])
def test_questions_that_are_withdrawn_before_anybody_acts_are_not_mailed_without_end(sink, asking, ann, topics, window):  # noqa: F811
    wishes.set_wishes(ann, {"batch_minutes": window})
    for _ in range(6):
        ask_and_withdraw(asking, ann, *topics)
    each = 1 if window else len(topics)
    assert len(sink.messages) == timing.MOST_IN_VAIN * each, "then they wait"
    asking.open("m3")
    queue(ann, "m3")
    assert send_due() == 1, "another match is not concerned"
    asking.open("m1")
    queue(ann, "m1")
    assert send_due() == 0
    with later(hours=1, minutes=1):
        assert send_due() == 1, "a question that stays is mailed"


def test_a_question_that_stays_is_mailed_after_a_tenth_of_its_time_and_its_reminder_at_once(sink, asking, ann):  # noqa: F811
    for _ in range(4):
        ask_and_withdraw(asking, ann, "m1")
    asking.open("m1", hours=1)
    queue(ann, "m1")
    assert send_due() == 0
    with later(minutes=5):
        assert send_due() == 0
    with later(minutes=7):
        assert send_due() == 1
    ask_and_withdraw(asking, ann, "m1")
    asking.open("m1", hours=1)
    queue(ann, "m1", "reminder")
    assert send_due() == 1


def test_a_receiver_who_acts_gets_every_question_of_a_quick_match_at_once(sink, asking, ann):  # noqa: F811
    asking.acts["m1"] = timezone.now()
    for _ in range(6):
        ask_and_withdraw(asking, ann, "m1")
    assert len(sink.messages) == 6


def test_a_batching_window_of_a_user_and_one_for_a_match(sink, asking, ann):  # noqa: F811
    wishes.set_wishes(ann, {"batch_minutes": 60})
    wishes.set_wishes(ann, {"batch_minutes": 0}, topic="quick")
    for topic in ("m1", "m2", "quick"):
        asking.open(topic)
        queue(ann, topic)
        send_due()
    assert subjects(sink) == ["Your turn in m1", "Your turn in quick"]
    with later(minutes=30):
        assert send_due() == 0
    with later(minutes=61):
        assert send_due() == 1


def test_what_was_answered_meanwhile_is_left_out_and_one_that_is_left_can_be_answered(sink, asking, ann):  # noqa: F811
    asking.open("m1")
    queue(ann, "m1")
    send_due()
    for topic in ("m2", "m3"):
        asking.open(topic)
        queue(ann, topic)
        send_due()
    with later(minutes=11):
        # Both are combined at the first look; one is answered before the text is written.
        row = Outbox.objects.get(topic="m2")
        told_by = Outbox.objects.create(kind="summary", user=ann)
        Outbox.objects.filter(topic__in=["m2", "m3"]).update(status=Status.MERGED, merged_into=told_by.pk)
        del asking.deadlines["m3"]
        send_due()
    assert row.status == Status.QUEUED
    [mail] = sink.messages[1:]
    assert mail.message["Reply-To"] == "turn+m2@reply.games.example"
    assert mail.subject.startswith("1 match waits for you, until ")
    assert "m3" not in mail.text
    assert "You may answer this mail" in mail.text


def test_unsubscribed_from_summaries_each_comes_alone(sink, asking, ann):  # noqa: F811
    preferences.mute(preferences.Receiver(user_id=ann.pk), Scope.KIND, "summary")
    for topic in ("m1", "m2"):
        asking.open(topic)
        queue(ann, topic)
    assert send_due() == 2


def test_after_a_complaint_about_summaries_each_comes_alone(sink, asking, ann):  # noqa: F811
    for topic in ("m1", "m2"):
        asking.open(topic)
        queue(ann, topic)
    send_due()
    summary = Outbox.objects.get(kind="summary")
    event = AnymailTrackingEvent(event_type=EventType.COMPLAINED, event_id="1", metadata={"delivery": str(summary.pk)})
    bounces.tracked(None, event, "provider")
    for topic in ("m3", "m4"):
        asking.open(topic)
        queue(ann, topic)
    with later(minutes=11):
        send_due()
    assert sorted(subjects(sink)[1:]) == ["You no longer get these mails", "Your turn in m3", "Your turn in m4"]
    [stopped] = Suppression.objects.all()
    assert suppression.lift(ann, stopped.pk)
    assert not ann.mutes.exists()


def test_wanted_again_while_a_complaint_stops_them_summaries_take_no_notice_along(sink, asking, ann, client):  # noqa: F811
    """The mail that confirms the mute has a link that lifts the mute, and not the stop."""
    for topic in ("m1", "m2"):
        asking.open(topic)
        queue(ann, topic)
    send_due()
    summary = Outbox.objects.get(kind="summary")
    event = AnymailTrackingEvent(event_type=EventType.COMPLAINED, event_id="1", metadata={"delivery": str(summary.pk)})
    bounces.tracked(None, event, "provider")
    send_due()
    assert client.post(re.search(r"https://games.example(/\S*/resume/\S+)", sink.messages[-1].text)[1]).status_code == 200
    assert not ann.mutes.exists()
    for topic in ("m3", "m4"):
        asking.open(topic)
        queue(ann, topic)
    with later(minutes=11):
        send_due()
    assert sorted(subjects(sink)[2:]) == ["Your turn in m3", "Your turn in m4"]


@pytest.mark.parametrize(("kind", "mails"), [("summary", 2), ("digest", 1)])
def test_what_a_mail_was_to_include_is_told_without_it_if_it_is_muted_meanwhile(sink, asking, ann, kind, mails):  # noqa: F811
    for topic in ("m1", "m2"):
        asking.open(topic)
        queue(ann, topic)
    told_by = Outbox.objects.create(kind=kind, user=ann)
    Outbox.objects.filter(topic__in=["m1", "m2"]).update(status=Status.MERGED, merged_into=told_by.pk)
    preferences.mute(preferences.Receiver(user_id=ann.pk), Scope.KIND, kind)
    send_due()
    assert len(sink.messages) == mails
    told = "".join(mail.subject + mail.text for mail in sink.messages)
    assert [topic for topic in ("m1", "m2") if topic not in told] == []


def test_two_senders_gather_each_notice_once(committed, sink, asking, monkeypatch):  # noqa: F811
    monkeypatch.setattr(delivery, "BATCH", 2)
    users = [make_user(f"user{number}") for number in range(4)]
    for number in range(40):
        asking.open(f"m{number}")
        queue(users[number % 4], f"m{number}")
    at_once(*[delivery.sweep] * 2)
    with later(minutes=11):
        delivery.sweep()
    told = [
        number
        for mail in sink.messages
        for number in range(40)
        if f"/m{number}/" in mail.text or mail.subject.endswith(f" m{number}")
    ]
    assert sorted(told) == list(range(40)), "each is told once"
    assert len(sink.messages) < 40
    assert not Outbox.objects.filter(status=Status.QUEUED).exists()


# --- the digest ---


@pytest.fixture
def open_things(monkeypatch, asking):  # noqa: F811
    """Stand-in for the app above, with its summary of a user's matches."""
    rows = []
    monkeypatch.setattr(
        digests, "_sources", [lambda row, user: rows and [asking.brief(one) for one in rows if asking.brief(one)]]
    )
    return rows


def test_with_a_digest_mail_waits_for_its_hour(sink, asking, ann, open_things):  # noqa: F811
    User.objects.filter(pk=ann.pk).update(timezone="Europe/Berlin")
    ann.refresh_from_db()
    with time_machine.travel(datetime(2026, 11, 21, 12, 0, tzinfo=UTC), tick=True) as clock:
        wishes.set_wishes(ann, {"digest_hour": 7, "immediate_below": 6})
        for topic, hours in (("m1", 90), ("m2", 40)):
            asking.open(topic, hours=hours)
            queue(ann, topic)
        open_things += Outbox.objects.filter(kind="your_turn")
        assert send_due() == 0
        clock.move_to(datetime(2026, 11, 22, 5, 59, tzinfo=UTC))
        assert (digests.sweep(), send_due()) == (0, 0)
        clock.move_to(datetime(2026, 11, 22, 6, 1, tzinfo=UTC))
        assert (digests.sweep(), digests.sweep()) == (1, 0)
        assert send_due() == 1
        [mail] = sink.messages
        assert mail.subject.startswith("2 matches wait for you, the first until Mon 23 Nov 05:00 CET")
        assert mail.text.index("m2") < mail.text.index("m1")
        assert "Something happened in m1." in mail.text
        assert mail.message["X-Game-Reason"] == "digest"
        clock.move_to(datetime(2026, 11, 23, 6, 1, tzinfo=UTC))
        asking.deadlines.clear()
        assert digests.sweep() == 1
        assert send_due() == 0, "nothing to tell, so no mail"
    assert set(Outbox.objects.filter(kind="your_turn").values_list("status", flat=True)) == {Status.MERGED}


def test_below_the_threshold_mail_goes_at_once(sink, asking, ann):  # noqa: F811
    wishes.set_wishes(ann, {"digest_hour": (timezone.now().hour + 12) % 24, "immediate_below": 6})
    asking.open("soon", hours=5)
    asking.open("far", hours=8)
    queue(ann, "soon")
    queue(ann, "far")
    send_due()
    assert subjects(sink) == ["Your turn in soon"]
    del asking.deadlines["soon"]
    with later(hours=1, minutes=50):
        assert send_due() == 0
    with later(hours=2, minutes=1):
        assert send_due() == 1
    assert Outbox.objects.get(topic="far").attempts == 1


def test_a_deadline_that_moves_near_is_noticed_while_the_mail_waits(sink, asking, ann):  # noqa: F811
    wishes.set_wishes(ann, {"digest_hour": (timezone.now().hour + 12) % 24, "immediate_below": 6})
    asking.open("m1", hours=100)
    queue(ann, "m1")
    assert send_due() == 0
    asking.open("m1", hours=5)
    with later(minutes=16):
        assert send_due() == 1


def test_racing_sweeps_queue_one_digest(committed, sink, asking):  # noqa: F811
    users = [make_user(f"user{number}") for number in range(6)]
    for user in users:
        wishes.set_wishes(user, {"digest_hour": 8})
    Preference.objects.update(digest_at=timezone.now() - timedelta(minutes=1))
    counts = at_once(*[digests.sweep] * 3)
    assert sum(counts) == 6
    assert Outbox.objects.filter(kind="digest").count() == 6
    Preference.objects.all().delete()


def test_one_whose_digest_cannot_be_planned_keeps_it_from_nobody(sink, asking, db):  # noqa: F811
    bad, good = make_user("bad"), make_user("good")
    for user in (bad, good):
        # Far from now, whatever the hour: a user who gets their digest now has no other within the hours of this test.
        wishes.set_wishes(user, {"digest_hour": (timezone.now().hour + 12) % 24})
    Preference.objects.filter(user=bad).update(digest_at=timezone.now() - timedelta(minutes=2))
    Preference.objects.filter(user=good).update(digest_at=timezone.now() - timedelta(minutes=1))
    User.objects.filter(pk=bad.pk).update(timezone="Mars/Olympus")  # like one that a newer list of zones has dropped
    assert digests.sweep() == 1
    assert Outbox.objects.get(kind="digest").user == good
    assert Preference.objects.get(user=bad).digest_at > timezone.now(), "it comes behind the others"
    User.objects.filter(pk=bad.pk).update(timezone="Europe/Berlin")
    with later(hours=2):
        assert digests.sweep() == 1


def test_without_a_digest_mails_cannot_be_held_back(ann):
    with pytest.raises(WishRefused) as refused:
        wishes.set_wishes(ann, {"immediate_below": 6})
    assert (refused.value.code, refused.value.parameter) == ("no_digest", "immediate_below")
    assert not Preference.objects.exists()


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"reminders": ["0%"]}, "bad_points"),
        ({"reminders": ["100%"]}, "bad_points"),
        ({"reminders": ["2 weeks"]}, "bad_points"),
        ({"reminders": "80%"}, "bad_points"),
        ({"reminders": ["80%"] * 7}, "bad_points"),
        ({"batch_minutes": -1}, "bad_number"),
        ({"batch_minutes": True}, "bad_number"),
        ({"digest_hour": 24}, "bad_number"),
        ({"channels": ["webhook"]}, "bad_channels"),
        ({"channels": ["mail", "pigeon"]}, "bad_channels"),
        ({"colour": "red"}, "unknown_wish"),
    ],
)
def test_wishes_that_cannot_be(ann, changes, code):
    with pytest.raises(WishRefused) as refused:
        wishes.set_wishes(ann, changes)
    assert refused.value.code == code
    assert wishes.wishes_of(ann.pk).as_json() == wishes.Wishes().as_json()


ZONES = st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Apia"])


@given(zone=ZONES, hour=st.integers(0, 23), after=st.datetimes(datetime(2011, 1, 1), datetime(2030, 1, 1)))  # noqa: DTZ001
def test_the_next_digest_is_the_first_such_hour_after_now(zone, hour, after):
    user = User(timezone=zone)
    moment = after.replace(tzinfo=UTC)
    found = digest_hour.next_digest(user, hour, moment)
    local = found.astimezone(user.zone)
    assert moment < found <= moment + timedelta(hours=50)
    wall = found.astimezone(user.zone).replace(hour=hour, minute=0)
    left_out = wall.astimezone(UTC).astimezone(user.zone).hour != hour
    assert local.hour == hour or left_out
