"""Play by mail: turn mails answered over real SMTP, receipts caught, whole matches played to their end."""

from __future__ import annotations

import random
import smtplib
import time
import uuid
from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import User
from gamesvc import request_limits
from gamesvc.games import catalog
from gamesvc.games.kernel.dice import seeded
from gamesvc.games.kernel.game import Refused
from gamesvc.games.stratastar.data import RANK
from gamesvc.matches.lobby import opening
from gamesvc.matches.mail_orders import replies
from gamesvc.matches.models import Match, Question
from gamesvc.matches.notices import wording
from gamesvc.matches.play import turns
from gamesvc.matches.reading import board
from gamesvc.matches.record import loading
from gamesvc.matches.record.stream import STORE
from gamesvc.matches.timekeeping import timeout_sweep
from notifications.inbound import addresses, pipeline, waiting
from notifications.models import InboundMail, MailStatus, Outbox, ReplyAddress
from notifications.parsing import limits
from notifications.parsing.text import MARK
from tests.games.toy import GAME as TOY
from tests.mailing import fresh_id, mailing, verify  # noqa: F401

pytestmark = pytest.mark.django_db


def read_toy(text, seen):
    """Parse the toy's notation, and refuse what cannot be read as real games do."""
    name, *rest = text.lower().split()
    if name not in TOY.commands or any(not one.isdecimal() for one in rest):
        raise Refused("unreadable", f"{name!r} is no order. There are: {', '.join(TOY.commands)}.")
    return {"name": name, **({"item" if name == "counter" else "card": int(rest[0])} if rest else {})}


@pytest.fixture
def duel(toy, anna, ben, mailing, monkeypatch):  # noqa: F811
    reading = replace(TOY, parse=read_toy)
    offered = catalog.game
    monkeypatch.setattr(catalog, "game", lambda game_id: reading if game_id == "toy" else offered(game_id))
    verify(anna, ben)
    match = opening.create_match(by=anna, game=toy, contribution_text="tea")
    match = opening.join_match(by=ben, match=match, contribution_text="coffee")
    mailing.work()
    return match


def turn_mail(mailing, name="anna"):  # noqa: F811
    return next(
        mail for mail in reversed(mailing.sink.to(f"{name}@players.example")) if mail.message["X-Game-Reason"] == "your-turn"
    )


def reply_to(caught):
    return str(caught.message["Reply-To"])


def hand(match, seat):
    return loading.load(match.id, match.game).timeline.state.hands[seat]


def test_a_turn_mail_may_be_answered_and_says_so(duel, mailing):  # noqa: F811
    caught = turn_mail(mailing)
    assert caught.text.startswith(MARK)
    assert "You may answer this mail" in caught.text
    assert "You may answer this mail" in caught.html
    assert reply_to(caught).startswith("turn+")
    assert reply_to(caught).endswith("@reply.games.example")


def test_without_a_reply_domain_nothing_is_said_of_answering(duel, mailing, settings):  # noqa: F811
    settings.REPLY_DOMAIN = ""
    message = wording.your_turn(Outbox.objects.get(kind="your_turn"))
    assert message.reply_to == ""
    assert "answer this mail" not in message.text
    assert MARK not in message.text


def test_an_answer_is_carried_out_and_gets_a_receipt(duel, mailing):  # noqa: F811
    mailing.write("draw\nEND\nplay 9", to=reply_to(turn_mail(mailing)), message_id="<one@players.example>")
    mailing.work()
    assert STORE.read(duel.id)[6].meta["channel"] == "mail"
    receipt = mailing.receipt()
    assert "1 order done" in receipt.subject
    assert "1. draw: done" in receipt.text
    assert receipt.message["Auto-Submitted"] == "auto-replied"
    assert receipt.message["In-Reply-To"] == "<one@players.example>"
    assert "ben, until" in receipt.text
    assert receipt.message.get_content_type() == "multipart/mixed"
    assert mailing.newest.status == MailStatus.DONE


def test_one_unreadable_line_changes_nothing(duel, mailing):  # noqa: F811
    mailing.write("draw\nplya 1", to=reply_to(turn_mail(mailing)))
    mailing.work()
    assert len(STORE.read(duel.id)) == 6
    receipt = mailing.receipt()
    assert "Nothing was done" in receipt.subject
    assert "2. plya 1: cannot be read" in receipt.text
    assert "'plya' is no order" in receipt.text
    assert "1. draw: not done" in receipt.text
    # and the corrected mail, in answer to the receipt
    mailing.write("draw", to=reply_to(receipt))
    mailing.work()
    assert len(STORE.read(duel.id)) == 8


def test_an_illegal_order_in_the_middle_stops_there(duel, mailing):  # noqa: F811
    mailing.write("set_orders\ndraw", to=reply_to(turn_mail(mailing)))
    mailing.work()
    assert "cannot be read" in mailing.receipt().text  # a parameter is missing
    mailing.write("draw\ndraw\ncounter 6", to=reply_to(turn_mail(mailing)))
    mailing.work()
    receipt = mailing.receipt()
    assert "1 of 3 orders done" in receipt.subject
    assert "1. draw: done" in receipt.text
    assert "2. draw: refused\n   It is the other seat's turn." in receipt.text.replace("\r\n", "\n")
    assert "3. counter 6: not done" in receipt.text
    assert len(STORE.read(duel.id)) == 8


def test_orders_of_mails_count_as_what_is_played_in_a_day(duel, mailing, settings, monkeypatch):  # noqa: F811
    """300 mails an hour of 60 lines would be half a gigabyte a day, which stays in the record for ever."""
    mine, key = uuid.uuid4().hex, request_limits._key
    monkeypatch.setattr(request_limits, "_key", lambda *about: f"{mine}:{key(*about)}")
    settings.RATE_LIMIT_ACTS = 1
    mailing.write("draw\nundo\ndraw", to=reply_to(turn_mail(mailing)))
    mailing.work()
    text = mailing.receipt().text.replace("\r\n", "\n")
    assert "1. draw: done" in text
    assert "2. undo: refused\n   1 commands, undos and steps on boards a day are allowed" in text
    assert "3. draw: not done" in text
    assert len(STORE.read(duel.id)) == 8


def test_a_refusal_by_the_limit_of_a_day_is_told_in_german_too(duel, anna, ben, mailing, settings, monkeypatch):  # noqa: F811
    mine, key = uuid.uuid4().hex, request_limits._key
    monkeypatch.setattr(request_limits, "_key", lambda *about: f"{mine}:{key(*about)}")
    settings.RATE_LIMIT_ACTS = 1
    User.objects.update(language="de")
    mailing.write("draw\nundo", to=reply_to(turn_mail(mailing)))
    mailing.work()
    text = " ".join(mailing.receipt().text.split())
    assert "Erlaubt sind einem Benutzer mit seinen Bots am Tag 1 Befehle" in text
    assert "Versuch es später wieder, in:" in text


def test_a_mail_worked_on_again_counts_its_orders_once(duel, mailing, settings, monkeypatch):  # noqa: F811
    """At the limit its receipt would say that an order was refused which is done."""
    mine, key = uuid.uuid4().hex, request_limits._key
    monkeypatch.setattr(request_limits, "_key", lambda *about: f"{mine}:{key(*about)}")
    settings.RATE_LIMIT_ACTS = 1
    mailing.write("draw", to=reply_to(turn_mail(mailing)))
    submit = turns.submit

    def dying(**asked):
        submit(**asked)
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(turns, "submit", dying)
        pipeline.work()
    InboundMail.objects.update(claimed_until=None)
    mailing.work()
    assert "1. draw: done" in mailing.receipt().text
    assert len(STORE.read(duel.id)) == 8


def test_the_same_mail_twice_counts_once(duel, mailing):  # noqa: F811
    to = reply_to(turn_mail(mailing))
    for _ in range(2):
        mailing.write("draw", to=to, message_id="<same@players.example>")
        mailing.work()
    assert InboundMail.objects.count() == 1
    assert Outbox.objects.filter(kind="receipt").count() == 1
    assert len(STORE.read(duel.id)) == 8


def test_a_worker_that_dies_in_between_repeats_nothing(duel, mailing, monkeypatch):  # noqa: F811
    mailing.write("draw\ndraw", to=reply_to(turn_mail(mailing)))
    submit, calls = turns.submit, []

    def dying(**asked):
        receipt = submit(**asked)
        calls.append(receipt)
        raise MemoryError

    monkeypatch.setattr(turns, "submit", dying)
    pipeline.work()
    assert mailing.newest.status == MailStatus.WAITING
    assert len(STORE.read(duel.id)) == 8
    monkeypatch.setattr(turns, "submit", submit)
    InboundMail.objects.update(claimed_until=None)
    mailing.work()
    assert len(STORE.read(duel.id)) == 8
    receipt = mailing.receipt()
    assert "1. draw: done" in receipt.text
    assert "2. draw: refused" in receipt.text


def test_an_answer_to_a_turn_that_is_over_is_answered_in_words(duel, mailing):  # noqa: F811
    to = reply_to(turn_mail(mailing))
    mailing.write("draw", to=to)
    mailing.work()
    mailing.write("draw", to=to)
    mailing.work()
    assert len(STORE.read(duel.id)) == 8
    assert "that turn is over" in mailing.receipt().subject


def test_mail_taken_before_the_deadline_and_read_after_it_counts(duel, mailing):  # noqa: F811
    mailing.write("draw", to=reply_to(turn_mail(mailing)))
    due = timezone.now() - timedelta(seconds=1)
    Question.objects.filter(match=duel).update(due_at=due)
    InboundMail.objects.update(received_at=due - timedelta(seconds=1), counts_at=due - timedelta(seconds=1))
    assert timeout_sweep.sweep() == 0  # the deadline waits for the mail
    mailing.work()
    [drawn, *_] = STORE.read(duel.id)[6:]
    assert drawn.meta["actor"] == {"kind": "seat", "seat": 0}


def test_mail_taken_after_the_deadline_does_not_count_and_holds_nothing_back(duel, mailing):  # noqa: F811
    mailing.write("draw", to=reply_to(turn_mail(mailing)))
    Question.objects.filter(match=duel).update(due_at=timezone.now() - timedelta(minutes=1))
    pipeline.work()
    assert len(STORE.read(duel.id)) == 6
    assert "too late" in str(mailing.newest.report) or "The deadline for this answer was" in str(mailing.newest.report)
    assert timeout_sweep.sweep() == 1


def test_a_poisoned_mail_holds_a_deadline_for_ten_minutes_only(duel, mailing):  # noqa: F811
    mailing.write("draw", to=reply_to(turn_mail(mailing)))
    due = timezone.now() - timedelta(minutes=11)
    Question.objects.filter(match=duel).update(due_at=due)
    InboundMail.objects.update(counts_at=due - timedelta(seconds=1), attempts=1)
    assert timeout_sweep.sweep() == 1
    assert mailing.newest.status == MailStatus.FAILED
    mailing.work()
    told = {mail.message["X-Game-Reason"] for mail in mailing.sink.to("anna@players.example") if "could not" in mail.subject}
    assert told == {"mail-failed", "mail-set-aside"}  # she wrote it, and she opened the match


def test_workers_that_were_away_for_long_take_nobody_the_order_they_mailed_in_time(duel, mailing):  # noqa: F811
    mailing.write("draw", to=reply_to(turn_mail(mailing)))
    due = timezone.now() - timedelta(hours=3)
    Question.objects.filter(match=duel).update(due_at=due)
    InboundMail.objects.update(counts_at=due - timedelta(seconds=1))
    assert timeout_sweep.sweep() == 0, "the worker for deadlines is back before the one for mail"
    pipeline.work()
    assert mailing.newest.status == MailStatus.DONE
    acts = [one.meta["actor"]["kind"] for one in STORE.read(duel.id) if "command" in one.meta]
    assert acts == ["seat"]
    Question.objects.update(claimed_until=None)
    assert timeout_sweep.sweep() == 0


def test_the_sender_of_a_mail_set_aside_is_told_in_their_language(duel, mailing, ben):  # noqa: F811
    mailing.write("draw", to=reply_to(turn_mail(mailing)))
    mailing.work()
    ben.language = "de"
    ben.save()
    Match.objects.update(creator=None)
    mailing.write("draw", to=reply_to(turn_mail(mailing, "ben")), sender="ben@players.example")
    due = timezone.now() - timedelta(minutes=11)
    Question.objects.filter(match=duel).update(due_at=due)
    InboundMail.objects.filter(status=MailStatus.WAITING).update(counts_at=due - timedelta(seconds=1), attempts=1)
    assert timeout_sweep.sweep() == 1
    mailing.work()
    told = mailing.last("ben@players.example", subject="Mail")
    assert told.subject == "Deine Mail war nicht lesbar"
    assert told.message["In-Reply-To"] == mailing.newest.message_id


def test_giving_up_is_asked_back_once(duel, mailing):  # noqa: F811
    match = stratastar(duel, mailing)
    name = ("anna", "ben")[loading.load(match.id, match.game).awaited()[0].seat]
    address = f"{name}@players.example"
    mailing.write("resign", to=reply_to(turn_mail(mailing, name)), sender=address)
    mailing.work()
    match.refresh_from_db()
    assert match.status == Match.Status.RUNNING
    assert "answer with the line: resign yes" in mailing.receipt(address).text
    mailing.write("resign yes", to=reply_to(mailing.receipt(address)), sender=address)
    mailing.work()
    match.refresh_from_db()
    assert match.status == Match.Status.FINISHED


def stratastar(duel, mailing, **options):  # noqa: F811
    anna, ben = (seat.user for seat in duel.seats.order_by("index"))
    match = opening.create_match(by=anna, game="stratastar", options={"homeworld_choice": "random", **options})
    match = opening.join_match(by=ben, match=match)
    mailing.work()
    return match


def test_a_game_without_giving_up_says_so(duel, mailing):  # noqa: F811
    mailing.write("resign", to=reply_to(turn_mail(mailing)))
    mailing.work()
    assert "'resign' is no order" in mailing.receipt().text


def test_service_words_are_answered_and_change_nothing(duel, mailing):  # noqa: F811
    match = stratastar(duel, mailing)
    mover = loading.load(match.id, match.game).awaited()[0].seat
    name = ("anna", "ben")[mover]
    before = len(STORE.read(match.id))
    words = "help\nboard\nhand\nstatus\nhistory 3\npreview retool none"
    mailing.write(words, to=reply_to(turn_mail(mailing, name)), sender=f"{name}@players.example")
    mailing.work()
    assert len(STORE.read(match.id)) == before
    text = mailing.receipt(f"{name}@players.example").text
    assert "retool 1A 2M" in text
    assert "preview ORDER" in text
    assert "Your hand:" in text
    assert "What happened:" in text
    assert "6. retool none: would do" in text


def test_the_hand_is_told_alone(duel, mailing):  # noqa: F811
    match = stratastar(duel, mailing)
    loaded = loading.load(match.id, match.game)
    mover = loaded.awaited()[0].seat
    name = ("anna", "ben")[mover]
    view = loaded.game.view(loaded.timeline.state, mover)
    home, cards = view["players"][mover]["home"], view["hand"]
    words = f"hand\nhelp {home}\nhelp Build"
    mailing.write(words, to=reply_to(turn_mail(mailing, name)), sender=f"{name}@players.example")
    mailing.work()
    told, corner, build = mailing.newest.report["sections"]
    assert told["title"] == "Your hand"
    kinds = sorted({*cards}, key=RANK.__getitem__)
    assert [line.split()[0] for line in told["text"].splitlines()] == [str(cards.count(card)) for card in kinds]
    assert corner["title"] == home
    assert "Homeworld" in corner["text"]
    assert build["title"] == "Build"
    assert "colonizing (1)" in build["text"]


def test_a_preview_never_tells_what_chance_decides(duel, mailing):  # noqa: F811
    match = stratastar(duel, mailing)
    mover = loading.load(match.id, match.game).awaited()[0].seat
    name = ("anna", "ben")[mover]
    mailing.write("preview\nretool none\nend turn", to=reply_to(turn_mail(mailing, name)), sender=f"{name}@players.example")
    mailing.work()
    report = mailing.newest.report
    first, *others = [line["state"] for line in report["lines"]]
    assert first == "answered"
    assert set(others) <= {"previewed", "not_done", "refused"}


@pytest.mark.parametrize("game", ["toy", "stratastar"])
@pytest.mark.long
def test_a_whole_match_by_mail_only(duel, mailing, game):  # noqa: F811
    match = duel if game == "toy" else stratastar(duel, mailing, max_rounds=1)
    rng = random.Random(5)
    sent = 0
    while True:
        loaded = loading.load(match.id, match.game)
        if loaded.ended:
            break
        seat = loaded.awaited()[0].seat
        address = f"{('anna', 'ben')[seat]}@players.example"
        about = f"#{match.number}]"
        last = next(mail for mail in reversed(mailing.sink.to(address)) if mail.message["Reply-To"] and about in mail.subject)
        state = loaded.timeline.state
        command = loaded.game.bots["greedy"](loaded.game.view(state, seat), loaded.game.legal_commands(state, seat), rng)
        mailing.write(loaded.game.render(command), to=reply_to(last), sender=address)
        mailing.work()
        sent += 1
        assert mailing.newest.report["lines"][0]["state"] == "done", mailing.newest.report
    match.refresh_from_db()
    assert match.status == Match.Status.FINISHED
    commands = [one for one in STORE.read(match.id) if "command" in one.meta]
    assert len(commands) == sent
    assert {one.meta["channel"] for one in commands} == {"mail"}
    assert "The match is over" in mailing.last("ben@players.example", "over").subject


def test_a_second_answer_to_the_same_turn_mail_goes_on_where_the_first_stopped(duel, mailing):  # noqa: F811
    match = stratastar(duel, mailing)
    mover = loading.load(match.id, match.game).awaited()[0].seat
    name = ("anna", "ben")[mover]
    to = reply_to(turn_mail(mailing, name))
    for text in ("retool none", "end"):
        mailing.write(text, to=to, sender=f"{name}@players.example")
        mailing.work()
        assert mailing.newest.report["lines"][0]["state"] == "done", mailing.newest.report


def test_a_player_who_lost_the_seat_is_told_so_and_sees_nothing(duel, mailing, player):  # noqa: F811
    to = reply_to(turn_mail(mailing))
    cara = player("cara")
    duel.seats.filter(index=0).update(user=cara)
    mailing.write("draw", to=to)
    mailing.work()
    receipt = mailing.receipt()
    assert "you no longer hold that seat" in receipt.subject
    assert receipt.message["Reply-To"] is None
    assert len(STORE.read(duel.id)) == 6


def test_a_revoked_or_invented_address_is_refused_at_the_door(duel, mailing):  # noqa: F811
    to = reply_to(turn_mail(mailing))
    ReplyAddress.objects.update(expires_at=timezone.now())
    for address in (to, "turn+" + "a" * 26 + "@reply.games.example", "someone@reply.games.example"):
        with pytest.raises(smtplib.SMTPRecipientsRefused) as refused:
            mailing.write("draw", to=address)
        assert refused.value.recipients[address][0] == 550


def test_answers_are_capped_per_day(duel, mailing, settings):  # noqa: F811
    settings.INBOUND_ANSWERS_PER_DAY = 2
    to = reply_to(turn_mail(mailing))
    for _ in range(4):
        mailing.write("help", to=to, message_id=fresh_id())
    mailing.work()
    assert Outbox.objects.filter(kind="receipt").count() == 2
    assert InboundMail.objects.filter(status=MailStatus.DONE).count() == 4


def test_an_empty_mail_is_answered_with_advice(duel, mailing):  # noqa: F811
    mailing.write("> draw\n> play 1", to=reply_to(turn_mail(mailing)))
    mailing.work()
    assert "No orders found" in mailing.receipt().subject
    assert "above the mark" in mailing.receipt().text


def test_courtesy_is_no_order(duel, mailing):  # noqa: F811
    mailing.write("Hello,\n\n- draw\n\nThanks,", to=reply_to(turn_mail(mailing)))
    mailing.work()
    assert len(STORE.read(duel.id)) == 8


def test_status_tells_the_end(duel, mailing):  # noqa: F811
    loaded = loading.load(duel.id, duel.game)
    loaded.ended = True
    assert replies.status(duel, loaded, ("anna", "ben")) == "The match is over."
    assert waiting.waits_before(topic=str(duel.id), user_id=0, moment=timezone.now()) is False


def test_what_a_player_writes_is_shown_as_text(duel, mailing):  # noqa: F811
    body = "<script>alert(1)</script>\x00 \u202edraw\n<img src=http://evil.example/x.png>"
    mailing.write(body, to=reply_to(turn_mail(mailing)))
    mailing.work()
    receipt = mailing.receipt()
    assert "&lt;script&gt;" in receipt.html
    assert "<script" not in receipt.html
    assert "evil.example/x.png&gt;" in receipt.html
    assert "\u202e" not in receipt.text


def test_seats_never_see_each_others_cards_by_mail(duel, mailing):  # noqa: F811
    match = stratastar(duel, mailing)
    names = ("anna", "ben")
    mover = loading.load(match.id, match.game).awaited()[0].seat
    other = names[1 - mover]
    mailing.write(
        "hand\nhistory 200\nretool none", to=reply_to(turn_mail(mailing, names[mover])), sender=f"{names[mover]}@players.example"
    )
    mailing.work()
    loaded = loading.load(match.id, match.game)
    own = loaded.game.view(loaded.timeline.state, mover)["hand"]
    shown = mailing.receipt(f"{names[mover]}@players.example").text
    hidden = replace_hand(loaded, mover)
    assert loaded.game.board_text(loaded.game.view(hidden, mover), board.caption_of(match, names)) in shown.replace("\r\n", "\n")
    assert own == loaded.game.view(hidden, mover)["hand"]
    assert mailing.sink.to(f"{other}@players.example")


def replace_hand(loaded, seat):
    """Return the same position with everything hidden from the seat dealt again."""
    return loaded.game.redeal(loaded.timeline.state, seat, seeded("other"))


def test_an_order_that_did_not_see_what_happened_is_not_carried_out(duel, mailing):  # noqa: F811
    to = reply_to(turn_mail(mailing))
    address = addresses.resolve(to)
    address.payload["version"] = 3  # as if the cards had been dealt after the mail was written
    address.save()
    mailing.write("draw", to=to)
    mailing.work()
    assert len(STORE.read(duel.id)) == 6
    receipt = mailing.receipt()
    assert "an order was refused" in receipt.subject
    assert "Something happened that you had not seen" in receipt.text
    mailing.write("draw", to=reply_to(receipt))
    mailing.work()
    assert len(STORE.read(duel.id)) == 8


def test_orders_that_cost_too_much_to_read_are_refused_and_keep_back_no_others(duel, mailing, monkeypatch):  # noqa: F811
    monkeypatch.setattr(limits, "CPU_SECONDS", 0.2)
    offered = catalog.game

    def spin(text, seen):
        if text == "draw slowly":
            until = time.thread_time() + 5
            while time.thread_time() < until:
                pass
        return read_toy(text, seen)

    monkeypatch.setattr(catalog, "game", lambda game_id: replace(TOY, parse=spin) if game_id == "toy" else offered(game_id))
    loading.forget_all()  # a match in memory keeps its rules
    before = loading.load(duel.id, "toy").version
    mailing.write("draw slowly", to=reply_to(turn_mail(mailing)))
    mailing.work()
    assert (mailing.newest.status, mailing.newest.error.partition(":")[0]) == (MailStatus.REFUSED, "too_slow")
    assert "Send your orders alone" in " ".join(mailing.last().text.split())
    assert loading.load(duel.id, "toy").version == before
    mailing.write("draw", to=reply_to(turn_mail(mailing)))
    mailing.work()
    assert "1. draw: done" in mailing.receipt().text
