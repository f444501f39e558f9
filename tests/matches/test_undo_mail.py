"""Undo and its mails: players who were told of a turn are told that it is gone, and an answer to it changes nothing."""

from __future__ import annotations

import re
import uuid
from dataclasses import replace

import pytest
from django.utils import timezone

from gamesvc.games import catalog
from gamesvc.matches.lobby import opening
from gamesvc.matches.mail_orders import headlines, receipts
from gamesvc.matches.record import loading
from gamesvc.matches.undo import undoing
from notifications.models import Outbox, Status
from notifications.sending import delivery
from tests.games.toy import GAME as TOY
from tests.mailing import mailing, verify  # noqa: F401
from tests.matches.playing import act, log_of, sends

pytestmark = pytest.mark.django_db


@pytest.fixture
def duel(toy, anna, ben, mailing, monkeypatch):  # noqa: F811
    monkeypatch.setattr(catalog, "game", lambda game_id: replace(TOY, parse=lambda text, seen: {"name": text.split()[0]}))
    verify(anna, ben)
    match = opening.create_match(by=anna, game=toy, options={"points": 9})
    match = opening.join_match(by=ben, match=match)
    work(mailing)
    return match


def work(mailing):  # noqa: F811
    """Send what is due, even what is held back for a batch."""
    mailing.work()
    Outbox.objects.filter(status=Status.QUEUED).update(due_at=timezone.now(), claimed_until=None)
    delivery.sweep()


def undo(match, seat):
    version = loading.load(match.id, match.game).viewer_version(seat)
    sender = sends(match, seat)
    return undoing.undo(match=match, sender=sender, expected_version=version, command_id=uuid.uuid4())


def play(match, seat):
    hand = loading.load(match.id, match.game).timeline.state.hands[seat]
    act(match, seat, {"name": "play", "card": hand[0]})


def mails(mailing, name, reason):  # noqa: F811
    return [mail for mail in mailing.sink.to(f"{name}@players.example") if mail.message["X-Game-Reason"] == reason]


@pytest.mark.parametrize("problem", ["undone", "taken_back"])
def test_reports_stored_with_the_former_code_are_still_read(problem):
    report = {"problem": problem, "lines": [], "sections": []}
    assert "that turn was undone" in headlines.headline(report)
    assert receipts.advice(report)


def test_who_was_told_of_the_turn_is_told_that_it_is_gone(duel, mailing):  # noqa: F811
    play(duel, 0)
    work(mailing)
    [turn] = mails(mailing, "ben", "your-turn")
    undo(duel, 0)
    work(mailing)
    [gone] = mails(mailing, "ben", "taken-back")
    assert "anna has undone a move" in gone.subject
    mailing.write("draw\nEND\n", to=str(turn.message["Reply-To"]), sender="ben@players.example")
    work(mailing)
    receipt = mailing.receipt("ben@players.example")
    assert "that turn was undone" in receipt.subject
    play(duel, 0)
    mailing.write("draw\nEND\n", to=str(turn.message["Reply-To"]), sender="ben@players.example")
    work(mailing)
    assert "that turn was undone" in mailing.receipt("ben@players.example").subject, "also when he is asked again"
    assert loading.load(duel.id, duel.game).awaited()[0].seat == 1
    assert log_of(duel)[-1].type == "turn_ended"


def test_who_was_not_told_yet_hears_nothing(duel, mailing):  # noqa: F811
    play(duel, 0)
    undo(duel, 0)
    work(mailing)
    assert mails(mailing, "ben", "your-turn") == []
    assert mails(mailing, "ben", "taken-back") == []


def test_a_request_is_sent_and_answered_by_mail(duel, mailing):  # noqa: F811
    act(duel, 0, {"name": "draw"})
    undo(duel, 0)
    work(mailing)
    [asked] = mails(mailing, "ben", "undo-asked")
    assert "anna asks for an undo" in asked.subject
    assert "undo yes" in asked.text
    # The deadline of ben's own turn is another one.
    assert asked.text.count("Due ") == 1
    for part in (asked.text, asked.html):
        assert "Time left" not in part
        assert "If you do nothing" not in part
    mailing.write("undo yes\nEND\n", to=str(asked.message["Reply-To"]), sender="ben@players.example")
    work(mailing)
    assert len(loading.load(duel.id, duel.game).timeline.state.hands[0]) == 2
    [told] = mails(mailing, "anna", "undo-answered")
    assert "Your move is undone" in told.subject
    assert "anna asks ben for an undo." in told.text
    assert "anna has undone a move." in told.text
    assert not re.search(r"version \d", asked.text + told.text)


def test_a_move_is_undone_by_mail(duel, mailing):  # noqa: F811
    [turn] = mails(mailing, "anna", "your-turn")
    play(duel, 0)
    mailing.write("undo\nEND\n", to=str(turn.message["Reply-To"]))
    work(mailing)
    assert loading.load(duel.id, duel.game).awaited()[0].seat == 0


@pytest.mark.parametrize("word", ["yes", "no"])
def test_an_answer_is_to_the_request_that_its_mail_is_about(duel, mailing, word):  # noqa: F811
    """A request that was withdrawn is not answered in place of a later one, about something else."""
    act(duel, 0, {"name": "draw"})
    undo(duel, 0)
    work(mailing)
    [first] = mails(mailing, "ben", "undo-asked")
    undoing.answer(match=duel, sender=sends(duel, 0), accept=False)
    act(duel, 1, {"name": "draw"})
    act(duel, 0, {"name": "draw"})
    undo(duel, 0)
    work(mailing)
    before = loading.load(duel.id, duel.game).version
    mailing.write(f"undo {word}\nEND\n", to=str(first.message["Reply-To"]), sender="ben@players.example")
    work(mailing)
    assert loading.load(duel.id, duel.game).version == before
    assert "There is no open undo request." in " ".join(mailing.receipt("ben@players.example").text.split())
    second = mails(mailing, "ben", "undo-asked")[-1]
    mailing.write(f"undo {word}\nEND\n", to=str(second.message["Reply-To"]), sender="ben@players.example")
    work(mailing)
    assert loading.load(duel.id, duel.game).version > before
