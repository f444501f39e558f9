"""A notice whose seat has moved on is dropped with its reason, or shows the present state: no fault, no traceback, no retry."""

from __future__ import annotations

import logging

import pytest
from django.utils import timezone

from gamesvc.matches.lobby import opening, substitutes
from gamesvc.matches.notices import reminding, tables
from gamesvc.matches.record import loading
from gamesvc.matches.record.append import Actor
from notifications import outbox
from notifications.models import Handover, Outbox, Status, Webhook
from notifications.other_channels import handovers
from notifications.outbox import Notice
from notifications.sending import delivery
from tests.mailing import mailing, verify  # noqa: F401
from tests.matches.playing import act

pytestmark = pytest.mark.django_db
GAMES = ("toy", "stratastar", "space_fleet_commander", "star_commander", "space_war")


@pytest.fixture
def match(request, toy, anna, ben):
    verify(anna, ben)
    made = opening.create_match(by=anna, game=request.param)
    return opening.join_match(by=ben, match=made) if made.seat_count > 1 else made


def answer(match, question):
    """Give the default answer for the seat, until it is asked something else."""
    loaded = loading.load(match.id, match.game)
    act(match, question.seat, dict(loaded.game.default_command(loaded.timeline.state, question.seat)))


def leave(match, question):
    substitutes.vacate(match=match, seat=question.seat, actor=Actor("system"), channel="web")


MOVES = [answer, leave]


def turn_notice(match):
    """Queue a turn notice again. Return its question, and the row."""
    Outbox.objects.all().delete()
    question = match.questions.order_by("due_at", "seat").first()
    payload = {"match": str(match.pk), "seat": question.seat, "question": question.question}
    user = match.seats.get(index=question.seat).user_id
    notice = Notice(kind="your_turn", user_id=user, topic=str(match.pk), payload=payload)
    outbox.notify(notice)
    return question, notice.id


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize("match", GAMES, indirect=True)
def test_a_seat_that_moved_on_before_the_mail_was_worded(match, move, mailing, caplog):  # noqa: F811
    question, pk = turn_notice(match)
    move(match, question)
    delivery.sweep()
    row = Outbox.objects.get(pk=pk)
    assert (row.status, row.attempts, row.error) == (Status.DROPPED, 1, "it no longer held")
    assert not [record for record in caplog.records if record.exc_info]


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize("match", GAMES, indirect=True)
def test_a_seat_that_moves_on_while_the_mail_is_worded(match, move, mailing, caplog, monkeypatch):  # noqa: F811
    question, pk = turn_notice(match)
    position_of, moved = tables.position_of, []

    def moving(match):
        if not moved:
            moved.append(True)
            move(match, question)
        return position_of(match)

    monkeypatch.setattr(tables, "position_of", moving)
    delivery.sweep()
    assert moved
    row = Outbox.objects.get(pk=pk)
    assert (row.status, row.attempts, row.error) in [(Status.DROPPED, 1, "it no longer held"), (Status.SENT, 1, "")]
    assert not [record for record in caplog.records if record.exc_info]


@pytest.mark.parametrize("match", [game for game in GAMES if game != "space_fleet_commander"], indirect=True)
def test_a_seat_that_is_asked_while_its_mail_is_worded(match, mailing, caplog, monkeypatch, anna, ben):  # noqa: F811
    """The position was read before the others answered, the question after that."""
    Outbox.objects.all().delete()
    first = match.questions.order_by("due_at", "seat").first()
    waiting = match.seats.exclude(index__in=match.questions.values("seat")).exclude(user=None).first()
    if waiting is None:  # simultaneous: one seat answers first
        answer(match, first)
        waiting = match.seats.get(index=first.seat)
    assert not match.questions.filter(seat=waiting.index).exists()
    notice = Notice(
        kind="match_started",
        user_id=waiting.user_id,
        topic=str(match.pk),
        payload={"match": str(match.pk), "seat": waiting.index},
    )
    Outbox.objects.all().delete()
    outbox.notify(notice)
    position_of, moved = tables.position_of, []

    def moving(match):
        loaded = position_of(match)
        if not moved:
            moved.append(True)
            for _step in range(100):
                if match.questions.filter(seat=waiting.index).exists():
                    break
                answer(match, match.questions.order_by("due_at", "seat").first())
        return loaded

    monkeypatch.setattr(tables, "position_of", moving)
    delivery.sweep()
    assert moved
    assert match.questions.filter(seat=waiting.index).exists()
    row = Outbox.objects.get(pk=notice.id)
    assert (row.status, row.attempts, row.error) == (Status.SENT, 1, "")
    assert not [record for record in caplog.records if record.exc_info]


def failing_once(monkeypatch, match, question):
    """Let the match go on in the middle of writing a notice, which fails because of it."""
    moved = []

    def moving(read):
        def once(*args):
            if not moved:
                moved.append(True)
                answer(match, question)
                raise ValueError("the position and the question are of two moments")
            return read(*args)

        return once

    monkeypatch.setattr(tables, "position_of", moving(tables.position_of))
    monkeypatch.setattr(reminding, "load", moving(reminding.load))
    return moved


@pytest.mark.parametrize("match", ["toy"], indirect=True)
def test_a_wording_that_fails_because_the_seat_moves_on_is_no_fault(match, mailing, caplog, monkeypatch):  # noqa: F811
    question, pk = turn_notice(match)
    moved = failing_once(monkeypatch, match, question)
    delivery.sweep()
    row = Outbox.objects.get(pk=pk)
    assert moved
    assert (row.status, row.attempts, row.error) == (Status.DROPPED, 1, "it no longer held")
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


@pytest.mark.parametrize("match", ["toy"], indirect=True)
def test_the_webhook_of_a_seat_that_moves_on_is_dropped(match, mailing, caplog, monkeypatch):  # noqa: F811
    question, pk = turn_notice(match)
    notice = Outbox.objects.get(pk=pk)
    Webhook.objects.create(user=notice.user, url="https://hook.example/")
    handover = Handover.objects.create(notice=notice, channel="webhook", due_at=timezone.now())
    moved = failing_once(monkeypatch, match, question)
    handovers.sweep()
    handover.refresh_from_db()
    assert moved
    assert (handover.status, handover.error) == (Handover.Status.DROPPED, "acted upon, or no longer so")
    assert not [record for record in caplog.records if record.exc_info]


@pytest.mark.parametrize("match", ["toy"], indirect=True)
def test_a_summary_leaves_out_a_seat_that_moves_on(match, mailing, monkeypatch):  # noqa: F811
    question, pk = turn_notice(match)
    moved = failing_once(monkeypatch, match, question)
    assert reminding.brief_of_turn(Outbox.objects.get(pk=pk)) is None
    assert moved


@pytest.mark.parametrize("match", ["toy"], indirect=True)
def test_a_wording_with_a_fault_is_tried_again_and_logged(match, mailing, caplog, monkeypatch):  # noqa: F811
    _question, pk = turn_notice(match)

    def broken(match):
        raise ValueError("a fault of the rules")

    monkeypatch.setattr(tables, "position_of", broken)
    delivery.sweep()
    row = Outbox.objects.get(pk=pk)
    assert (row.status, row.error) == (Status.QUEUED, "ValueError: a fault of the rules")
    assert "could not be worded" in caplog.text
