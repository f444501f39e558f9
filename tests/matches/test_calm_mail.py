"""One mail for one thing: what a receipt replaces, which receipts gather, what a mail repeats, and how mails form threads."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from gamesvc.games.kernel import forms
from gamesvc.matches.lobby import invitations, opening, press
from gamesvc.matches.models import Question
from gamesvc.matches.record import loading
from notifications import channels, registry
from notifications.inbound import pipeline
from notifications.models import InboundMail, MailStatus, Outbox, Status
from notifications.sending import delivery
from notifications.wanted import carrying, shared_reads, wishes
from tests.mailing import mailing, verify  # noqa: F401
from tests.matches.playing import act
from tests.matches.test_invited import CARA, to
from tests.matches.test_mail_words import cards, windowed  # noqa: F401
from tests.matches.test_replies import duel, reply_to, turn_mail  # noqa: F401

pytestmark = pytest.mark.django_db
ANNA = "anna@players.example"


def reasons(mailing, address=ANNA):  # noqa: F811
    return [str(mail.message["X-Game-Reason"]) for mail in mailing.sink.to(address)]


def parts(mail):
    return [part.get_content_type() for part in mail.message.walk()]


# --- one mail for one thing ---


@pytest.fixture
def solo(anna, ben, mailing):  # noqa: F811
    """A match in which an order of one seat asks the same seat again."""
    verify(anna, ben)
    match = opening.create_match(by=anna, game="stratastar", options={"homeworld_choice": "random"})
    match = opening.join_match(by=ben, match=match)
    mailing.work()
    return match


def mover(match):
    seat = Question.objects.filter(match=match).get().seat
    return match.seats.get(index=seat).user.email


def test_the_mail_of_the_first_turn_tells_that_the_match_began(solo, mailing):  # noqa: F811
    first = mover(solo)
    other = ({"anna@players.example", "ben@players.example"} - {first}).pop()
    assert reasons(mailing, first) == ["your-turn"]
    assert "Seat 1: anna" in mailing.last(first).text
    assert reasons(mailing, other) == ["match-started"]


def test_a_turn_mail_waits_for_the_receipt_of_a_mail_being_read(duel, mailing, monkeypatch):  # noqa: F811
    """Nothing is lost if that takes too long: then the turn mail goes alone."""
    mailing.write("draw\nEND", to=reply_to(turn_mail(mailing)))
    act(duel, 0)
    act(duel, 1)
    delivery.sweep()
    assert InboundMail.objects.get().status == MailStatus.WAITING
    assert reasons(mailing) == ["your-turn"]
    with time_machine.travel(timezone.now() + timedelta(seconds=40), tick=True):
        delivery.sweep()
        assert reasons(mailing) == ["your-turn", "your-turn"]


def test_a_receipt_takes_along_a_turn_that_came_meanwhile(duel, mailing):  # noqa: F811
    mailing.write("status\nEND", to=reply_to(turn_mail(mailing)))
    act(duel, 0)
    act(duel, 1)
    delivery.sweep()
    mailing.work()
    assert reasons(mailing) == ["your-turn", "receipt"]
    assert "Due" in mailing.receipt().text
    assert mailing.receipt().message["Reply-To"]


@pytest.mark.parametrize("receipt_first", [True, False])
def test_channels_before_mail_hear_of_a_turn_that_a_receipt_tells(duel, mailing, anna, monkeypatch, receipt_first):  # noqa: F811
    program = channels.Channel("webhook", lambda _notice, _handover: None, lambda user: user == anna.pk)
    monkeypatch.setattr(channels, "_channels", {"webhook": program})
    wishes.set_wishes(anna, {"channels": ["webhook", "mail"]})
    mailing.write("status\nEND", to=reply_to(turn_mail(mailing)))
    if receipt_first:
        pipeline.work()
    act(duel, 0)
    act(duel, 1)
    mailing.work()
    assert reasons(mailing)[-1] == "receipt"
    turn = Outbox.objects.filter(user=anna, kind="your_turn").latest("created_at")
    assert turn.status == Status.MERGED
    assert [one.channel for one in turn.handovers.all()] == ["webhook"]


def test_a_receipt_that_a_turn_comes_to_while_it_is_written_is_written_again(duel, mailing, monkeypatch):  # noqa: F811
    mailing.write("status\nEND", to=reply_to(turn_mail(mailing)))
    pipeline.work()
    kind = registry.find("receipt")
    written = []

    def write(row):
        written.append(row.pk)
        message = kind.renderer(row)
        if len(written) == 1:
            act(duel, 0)
            act(duel, 1)
            [turn] = Outbox.objects.filter(kind="your_turn", user=row.user, status=Status.QUEUED)
            assert carrying.carrier(turn, timezone.now()) == row.pk
        return message

    monkeypatch.setitem(registry._kinds, "receipt", replace(kind, renderer=write))
    mailing.work()
    assert len(written) == 2
    assert reasons(mailing) == ["your-turn", "receipt"]


def test_a_turn_that_came_after_the_batch_read_its_match_is_told(duel, mailing, anna, monkeypatch):  # noqa: F811
    """A receipt takes the turn along, so it is written from a state in which the turn is there."""
    monkeypatch.setattr(shared_reads, "LASTS", 3600.0)
    press.say(match=duel, by=anna, by_seat=0, to=[1], text="Your turn next", channel="api")
    mailing.write("draw\nEND", to=reply_to(turn_mail(mailing)))
    pipeline.work()
    kind = registry.find("press")

    def write(row):
        message = kind.renderer(row)
        act(duel, 1)
        return message

    monkeypatch.setitem(registry._kinds, "press", replace(kind, renderer=write))
    mailing.work()
    assert reasons(mailing) == ["your-turn", "receipt"]
    turn = Outbox.objects.filter(user=anna, kind="your_turn").latest("created_at")
    assert turn.status == Status.MERGED
    assert "Due" in mailing.receipt().text


def test_who_joins_gets_one_mail(toy, anna, mailing):  # noqa: F811
    verify(anna)
    match = opening.create_match(by=anna, game=toy)
    invitations.invite(by=anna, match=match, address=CARA)
    mailing.work()
    mailing.write("join cara", to=to(mailing.last(CARA)), sender=CARA)
    mailing.work()
    assert reasons(mailing, CARA) == ["invitation", "joined"]
    told = mailing.last(CARA).text
    assert "You are cara and hold seat 2." in told
    assert "Seat 1: anna" in told
    assert mailing.last(CARA).message["Reply-To"]


# --- receipts that gather ---


@pytest.fixture
def gathering(windowed, mailing, settings):  # noqa: F811
    """One seat that may act as often as it likes."""
    settings.NOTICE_RECEIPT_MINUTES = 10
    return windowed


def send(mailing, text, to):  # noqa: F811
    mailing.write(f"{text}\nEND", to=to)
    mailing.work()


def test_receipts_gather_after_the_first(gathering, mailing):  # noqa: F811
    asked = reply_to(turn_mail(mailing))
    for count in range(4):
        send(mailing, f"press ben hello {count}", asked)
    assert reasons(mailing).count("receipt") == 1
    with time_machine.travel(timezone.now() + timedelta(minutes=11), tick=True):
        delivery.sweep()
    assert reasons(mailing).count("receipt") == 2
    gathered = mailing.receipt()
    assert gathered.subject.endswith("3 messages sent")
    assert gathered.text.count("Your mail arrived") == 3
    assert "hello 1" in gathered.text
    assert "hello 3" in gathered.text


@pytest.mark.parametrize("text", ["fly to the moon", "counter 77", "help", "vacation", "press nobody hello"])
def test_a_refusal_and_an_answer_go_at_once_and_take_the_others_along(gathering, mailing, text):  # noqa: F811
    asked = reply_to(turn_mail(mailing))
    send(mailing, "press ben one", asked)
    send(mailing, "press ben two", asked)
    assert reasons(mailing).count("receipt") == 1
    send(mailing, text, asked)
    assert reasons(mailing).count("receipt") == 2
    assert "press ben two" in mailing.receipt().text
    with time_machine.travel(timezone.now() + timedelta(minutes=11), tick=True):
        delivery.sweep()
    assert reasons(mailing).count("receipt") == 2


def test_the_end_of_a_turn_and_what_is_revealed_go_at_once(duel, mailing, settings):  # noqa: F811
    settings.NOTICE_RECEIPT_MINUTES = 10
    asked = reply_to(turn_mail(mailing))
    send(mailing, "press ben one", asked)
    send(mailing, "press ben two", asked)
    send(mailing, "draw", asked)
    assert reasons(mailing).count("receipt") == 2
    assert mailing.receipt().subject.endswith("1 order done, message sent")


def test_a_turn_that_comes_meanwhile_takes_waiting_receipts_along(duel, mailing, settings):  # noqa: F811
    settings.NOTICE_RECEIPT_MINUTES = 10
    send(mailing, "draw\npress ben one", reply_to(turn_mail(mailing)))
    send(mailing, "press ben two", reply_to(mailing.receipt()))
    assert reasons(mailing).count("receipt") == 1
    act(duel, 1)
    delivery.sweep()
    assert reasons(mailing) == ["your-turn", "receipt", "receipt"]
    assert "press ben two" in mailing.receipt().text
    assert "Due" in mailing.receipt().text


def test_orders_without_news_gather_where_others_may_answer_each_of_them(anna, ben, mailing, settings):  # noqa: F811
    """In Star Commander every order may be answered. That nobody has an answer is no news; what a ship explores is."""
    settings.NOTICE_RECEIPT_MINUTES = 10
    verify(anna, ben)
    match = opening.create_match(by=anna, game="star_commander")
    match = opening.join_match(by=ben, match=match)
    mailing.work()
    address = mover(match)
    asked = reply_to(turn_mail(mailing, address.partition("@")[0]))
    receipts = []
    for name in ("develop", "build_ship", "move_ships"):
        loaded = loading.load(match.id, match.game)
        [one] = loaded.awaited()
        form = next(one for one in loaded.game.legal_commands(loaded.timeline.state, one.seat) if one.name == name)
        order = loaded.game.render(forms.fill(form, random.Random(1)))
        mailing.write(f"{order}\nEND", to=asked, sender=address)
        mailing.work()
        receipts.append(reasons(mailing, address).count("receipt"))
    assert receipts == [1, 1, 2]


def test_a_player_chooses_that_every_receipt_comes_at_once(gathering, mailing, anna):  # noqa: F811
    wishes.set_wishes(anna, {"receipt_minutes": 0})
    for count in range(3):
        send(mailing, f"press ben hello {count}", reply_to(turn_mail(mailing)))
    assert reasons(mailing).count("receipt") == 3


def test_a_waiting_receipt_survives_its_worker(gathering, mailing):  # noqa: F811
    """It is a row with a time like every notice: whoever sweeps next sends it."""
    asked = reply_to(turn_mail(mailing))
    send(mailing, "press ben one", asked)
    mailing.write("press ben two\nEND", to=asked)
    pipeline.work()
    [row] = Outbox.objects.filter(kind="receipt", status="queued")
    delivery.sweep()
    row.refresh_from_db()
    assert (row.status, row.claimed_until) == ("queued", None)
    assert timezone.now() < row.due_at <= timezone.now() + timedelta(minutes=10)


# --- what is repeated ---


def test_picture_and_calendar_come_only_when_they_have_changed(duel, mailing):  # noqa: F811
    first = turn_mail(mailing)
    assert {"image/png", "text/calendar"} <= set(parts(first))
    send(mailing, "status", reply_to(first))
    same = mailing.receipt()
    assert not {"image/png", "text/calendar"} & set(parts(same))
    assert "The board is as in your last mail." in same.html
    assert "cid:board" not in same.html
    send(mailing, "board", reply_to(same))
    assert "image/png" in parts(mailing.receipt()), "it was asked for"
    send(mailing, "draw", reply_to(same))
    assert "text/calendar" in parts(mailing.receipt())


def test_a_picture_that_has_changed_comes(solo, mailing):  # noqa: F811
    first = mover(solo)
    mailing.write("retool none\nend turn\nEND", to=str(mailing.last(first).message["Reply-To"]), sender=first)
    mailing.work()
    assert "2 orders done" in mailing.receipt(first).subject
    assert "image/png" in parts(mailing.receipt(first))


def test_a_map_on_which_nothing_moved_comes_once(anna, mailing):  # noqa: F811
    """In Space Fleet Commander, dice are rolled again several times before the fleet flies on."""
    verify(anna)
    match = opening.create_match(by=anna, game="space_fleet_commander", options={})
    mailing.work()
    rolled = flown = 0
    for _ in range(20):
        view = loading.load(match.id, match.game)
        seen = view.game.view(view.timeline.state, 0)
        token, phase = seen["sheet"]["token"], seen["sheet"]["phase"]
        chosen = view.game.bots["greedy"](seen, view.game.legal_commands(view.timeline.state, 0), random.Random(1))
        if phase.startswith("reroll"):
            chosen = view.game.parse("reroll all", seen)
        send(mailing, view.game.render(chosen), reply_to(mailing.sink.to(ANNA)[-1]))
        now = loading.load(match.id, match.game)
        after = now.game.view(now.timeline.state, 0)["sheet"]
        told = mailing.receipt()
        if phase == "reroll_1" and after["phase"] == "reroll_2":
            rolled += 1
            assert "image/png" not in parts(told)
            assert "Anything else that has changed is in the position in words below." in told.html
            live = [die for die in after["dice"] if die["status"] == "live"]
            assert all(f"{die['id']}={die['value']}" in told.text for die in live)
            assert all(f"{die['id']}={die['value']}" in told.html for die in live)
        elif after["token"] != token:
            flown += 1
            assert "image/png" in parts(told)
    assert rolled
    assert flown


def test_a_mail_that_was_not_sent_has_shown_nothing(duel, mailing):  # noqa: F811
    send(mailing, "draw", reply_to(turn_mail(mailing)))
    mailing.sink.refuse_mail = lambda raw: "451 later"
    act(duel, 1)
    delivery.sweep()
    mailing.sink.refuse_mail = lambda raw: None
    Outbox.objects.filter(status="queued").update(claimed_until=None)
    delivery.sweep()
    assert "text/calendar" in parts(turn_mail(mailing))


# --- threads ---


def test_all_mails_of_a_match_have_one_subject(duel, mailing, settings, ben):  # noqa: F811
    settings.NOTICE_SUBJECT_PER_TURN = False
    send(mailing, "draw\npress ben hello", reply_to(turn_mail(mailing)))
    before = len(mailing.sink.messages)
    mailing.write("draw\nEND", to=reply_to(turn_mail(mailing, "ben")), sender="ben@players.example")
    mailing.work()
    told = mailing.sink.messages[before:]
    assert len({mail.message["X-Game-Reason"] for mail in told}) == 2
    assert {mail.subject for mail in told} == {f"Toy #{duel.number}"}
    asked = turn_mail(mailing)
    due = Question.objects.get(match=duel, seat=0)
    before_headline = " ".join(asked.html.partition("<h1")[0].split())
    told = f"Your turn 2, due {timezone.localtime(due.deadline, anna_zone(duel)):%a}"
    assert told in before_headline
    assert told in asked.text.partition("Your move")[0]
    wishes.set_wishes(ben, {"subject_per_turn": True})
    act(duel, 0)
    delivery.sweep()
    assert "Your turn" in turn_mail(mailing, "ben").subject


def anna_zone(match):
    return match.seats.get(index=0).user.zone


def test_the_settings_stand_on_the_page(anna, client):
    client.force_login(anna)
    fields = {"reminders": "80%", "batch_minutes": "5", "receipt_minutes": "30", "subject_per_turn": "yes"}
    assert client.post("/profile/timing", fields).status_code == 302
    found = wishes.wishes_of(anna.pk)
    assert (found.receipt_minutes, found.subject_per_turn) == (30, True)
    page = client.get("/profile/").content.decode()
    assert 'name="receipt_minutes"' in page
    assert 'value="yes" checked' in page
    client.post("/profile/timing", {**fields, "subject_per_turn": ""})
    assert wishes.wishes_of(anna.pk).subject_per_turn is False
    with pytest.raises(wishes.WishRefused):
        wishes.set_wishes(anna, {"subject_per_turn": "maybe"})
