"""One mail per question; mutes and broken matches in the digest; notices that were acted on."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from gamesvc.matches.lobby import opening, substitutes
from gamesvc.matches.models import Question
from gamesvc.matches.notices import reminding
from gamesvc.matches.play import turns
from gamesvc.matches.record.append import Actor
from notifications import channels, ledger, outbox
from notifications.models import Outbox, Preference, Scope, Status, Webhook
from notifications.other_channels import handovers
from notifications.sending import digests
from notifications.tasks import send_due
from notifications.wanted import preferences, reminders, wishes
from tests.mailing import mailing, verify  # noqa: F401
from tests.matches.playing import sends
from tests.matches.test_reminding import act, duel  # noqa: F401

pytestmark = pytest.mark.django_db


def reasons(mailing, name="anna"):  # noqa: F811
    told = [mail.message["X-Game-Reason"] for mail in mailing.sink.to(f"{name}@players.example")]
    return [reason for reason in told if reason != "match-started"]


@pytest.fixture
def held(toy, anna, ben, mailing):  # noqa: F811
    """A turn of twenty hours whose mails wait until two are left: the moment of asking, and a way to later moments."""
    verify(anna, ben)
    wishes.set_wishes(anna, {"digest_hour": 7, "immediate_below": 2})
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, hours=20))
    Preference.objects.update(digest_at=timezone.now() + timedelta(days=3))
    send_due()
    asked = Question.objects.get(match=match).asked_at
    return match, lambda hours: time_machine.travel(asked + timedelta(hours=hours), tick=True)


@pytest.fixture
def handed(anna, monkeypatch):
    """The kinds of the notices handed to anna's program, half an hour after a mail."""
    taken = []
    Webhook.objects.create(user=anna, url="https://example.org/")
    known = channels._channels["webhook"]
    taking = channels.Channel("webhook", lambda notice, _: taken.append(notice.kind), known.has)
    monkeypatch.setitem(channels._channels, "webhook", taking)
    wishes.set_wishes(anna, {"channels": ["mail", "webhook"], "channel_minutes": 30})
    return taken


@pytest.mark.parametrize("reminded_first", [True, False])
def test_what_waited_about_one_question_goes_as_one_mail(held, mailing, reminded_first):  # noqa: F811
    match, after = held
    for hours in (16.1, 17):
        with after(hours):
            reminding.sweep()
            assert send_due() == 0
    with after(18.01):
        steps = [reminding.sweep, send_due]
        counts = [step() for step in (steps if reminded_first else reversed(steps))]
        assert counts == [1, 1]
        assert send_due() == 0, "a reminder of what a mail has told just now says nothing"
    assert reasons(mailing) == ["reminder"]
    rows = {row.kind: row for row in Outbox.objects.exclude(kind__in=["match_started", "reminder"])}
    assert rows["your_turn"].status == Status.MERGED
    about = reminding.subject(rows["your_turn"])
    points = {one["point"]: one["status"] for one in reminders.sent(topic=str(match.id), subject=about)}
    assert points == {"80%": "sent", "2h": "sent"}
    [entry] = ledger.entries([rows["your_turn"]])
    assert [step["state"] for step in entry["steps"]] == ["queued", "sent"]


def test_what_one_question_waited_with_goes_with_other_matches_too(held, toy, anna, ben, mailing):  # noqa: F811
    _match, after = held
    wishes.set_wishes(anna, {"batch_minutes": 10})
    with after(16.1):
        reminding.sweep()
        opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, hours=3))
    with after(18.05):
        reminding.sweep()
        send_due()
    assert reasons(mailing) == ["summary"]
    [mail] = Outbox.objects.filter(kind="summary")
    merged = Outbox.objects.filter(status=Status.MERGED)
    assert {(row.kind, row.merged_into) for row in merged} == {
        (kind, mail.pk) for kind in ("match_started", "your_turn", "reminder")
    }


def test_a_reminder_that_falls_away_gives_back_what_it_was_to_tell(held, mailing):  # noqa: F811
    _match, after = held
    with after(18.05):
        assert reminding.sweep() == 1
        row = Outbox.objects.get(kind="your_turn")
        Outbox.objects.filter(pk=row.pk).update(status=Status.MERGED, merged_into=Outbox.objects.get(kind="reminder").pk)
        Question.objects.update(due_at=timezone.now() + timedelta(hours=1))
        send_due()
        send_due()
    assert reasons(mailing) == ["your-turn"]


def test_one_mail_about_one_question_is_followed_by_one_webhook(held, handed, mailing):  # noqa: F811
    _match, after = held
    with after(18.01):
        reminding.sweep()
        send_due()
    assert reasons(mailing) == ["reminder"]
    assert Outbox.objects.get(kind="your_turn").status == Status.MERGED
    with after(18.6):
        handovers.sweep()
    assert handed == ["reminder"]


def test_of_two_notices_that_came_together_the_newest_is_handed_over(toy, anna, ben, handed, mailing):  # noqa: F811
    verify(anna, ben)
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))
    payload = Outbox.objects.get(kind="your_turn").payload
    outbox.notify(outbox.Notice("last_one", anna.pk, topic=str(match.id), payload=payload))
    send_due()
    assert reasons(mailing) == ["last-one"]
    with time_machine.travel(timezone.now() + timedelta(minutes=31), tick=True):
        handovers.sweep()
    assert handed == ["last_one"]


def test_of_a_mail_about_two_questions_each_is_handed_over_once(held, handed, toy, anna, ben, mailing):  # noqa: F811
    _match, after = held
    wishes.set_wishes(anna, {"batch_minutes": 10})
    with after(18.01):
        opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy, hours=2))
    with after(18.05):
        reminding.sweep()
        send_due()
    assert reasons(mailing) == ["summary"]
    with after(18.6):
        handovers.sweep()
    assert sorted(handed) == ["reminder", "your_turn"]


def test_later_notices_about_a_question_go_as_ever(duel, mailing):  # noqa: F811
    start = timezone.now()
    for hours in (38.5, 46.1):
        with time_machine.travel(start + timedelta(hours=hours), tick=True):
            reminding.sweep()
            send_due()
    assert reasons(mailing).count("reminder") == 2


def digest(user, mailing):  # noqa: F811
    wishes.set_wishes(user, {"digest_hour": 7})
    Preference.objects.update(digest_at=timezone.now())
    digests.sweep()
    send_due()
    return [mail for mail in mailing.sink.to(f"{user.username}@players.example") if mail.message["X-Game-Reason"] == "digest"]


def test_a_muted_match_is_not_in_the_digest(duel, toy, anna, ben, mailing):  # noqa: F811
    other = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))
    preferences.mute(preferences.Receiver(user_id=anna.pk), Scope.TOPIC, str(duel.id))
    [mail] = digest(anna, mailing)
    assert f"#{other.number}" in mail.text
    assert f"#{duel.number}" not in mail.text


def test_a_match_that_cannot_be_read_keeps_no_other_out_of_the_digest(duel, toy, anna, ben, mailing, monkeypatch):  # noqa: F811
    other = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))
    load = reminding.load

    def faulty(match_id, game):
        if match_id == duel.id:
            raise RuntimeError("a fault in the rules")
        return load(match_id, game)

    monkeypatch.setattr(reminding, "load", faulty)
    wishes.set_wishes(anna, {"batch_minutes": 10})
    Outbox.objects.filter(kind="your_turn").update(status=Status.QUEUED, message_id="", sent_at=None, attempts=0)
    send_due()
    [of_turns] = [mail for mail in mailing.sink.to("anna@players.example") if mail.message["X-Game-Reason"] == "summary"]
    for mail in (of_turns, *digest(anna, mailing)):
        assert mail.subject.startswith("2 matches wait for you")
        assert f"toy #{duel.number}: your move" in mail.text
        assert f"#{other.number}" in mail.text


# --- acted on ---


def status(user, kind="your_turn"):
    [row] = [row for row in ledger.notices(user) if row.kind == kind]
    return [(step["channel"], step["state"]) for step in ledger.entries([row])[0]["steps"]]


def test_a_notice_told_by_another_channel_first_is_acted_upon(toy, anna, ben, mailing, monkeypatch):  # noqa: F811
    verify(anna, ben)
    Webhook.objects.create(user=anna, url="https://example.org/")
    known = channels._channels["webhook"]
    monkeypatch.setitem(channels._channels, "webhook", channels.Channel("webhook", lambda *_: None, known.has))
    wishes.set_wishes(anna, {"channels": ["webhook", "mail"]})
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))
    send_due()
    handovers.sweep()
    act(match, 0, {"name": "draw"})
    with time_machine.travel(timezone.now() + timedelta(minutes=61), tick=True):
        send_due()
    assert status(anna) == [("", "queued"), ("webhook", "sent"), ("", "acted upon")]


def test_what_a_substitute_does_is_no_answer_of_the_one_before(toy, anna, ben, player, mailing):  # noqa: F811
    cleo = player("cleo")
    verify(anna, ben, cleo)
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))
    send_due()
    substitutes.vacate(match=match, seat=0, actor=Actor("seat", 0))
    substitutes.take_over(by=cleo, match=match)
    Outbox.objects.create(kind="reminder", user=cleo, topic=str(match.id), sent_at=timezone.now(), status=Status.SENT,
                          payload={"match": str(match.id), "seat": 0, "question": "turn1", "point": "80%"})  # fmt: skip
    act(match, 0, {"name": "draw"})
    assert status(anna) == [("", "queued"), ("mail", "sent")]
    assert ("", "acted upon") in status(cleo, "reminder")


def test_what_was_laid_by_is_no_act_of_its_player(duel, anna, mailing):  # noqa: F811
    turns.submit(
        match=duel,
        sender=sends(duel, 0, timezone.now(), channel="standing"),
        command={"name": "draw"},
        expected_version=6,
        command_id=uuid.uuid4(),
    )
    assert status(anna) == [("", "queued"), ("mail", "sent")]
