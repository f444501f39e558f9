"""Rebuilt projections equal the live ones, whatever the damage, while the match goes on."""

from __future__ import annotations

import io
import json
import threading
import uuid

import pytest
from django.core.management import CommandError, call_command
from django.db import connections

from gamesvc.matches.lobby import opening, substitutes
from gamesvc.matches.models import Holding, Match, Question, Seat
from gamesvc.matches.proof import audit
from gamesvc.matches.record import loading
from gamesvc.matches.record.append import Actor
from gamesvc.matches.record.rows import projections
from tests.matches.playing import act, duel, of_bots, play_out


def rows(match):
    """Return all projections of a match, except what no event knows (row ids, exact times of writing)."""
    keep = set(Match.objects.filter(pk=match.pk).values().get()) - {"started_at", "ended_at"}
    whole = Match.objects.filter(pk=match.pk).values(*keep).get()
    times = Match.objects.filter(pk=match.pk).values("started_at", "ended_at").get()
    questions = Question.objects.filter(match=match).order_by("seat", "question")
    return (
        whole,
        {name: moment is not None for name, moment in times.items()},
        list(
            questions.values(
                "seat", "question", "prompt", "kind", "bot", "asked_at", "due_at", "grace_from", "break_at", "break_for"
            )
        ),
        list(Seat.objects.filter(match=match).order_by("index").values("index", "user", "bot", "holder", "contribution")),
    )


def same(one, other):
    """Return True if two of these are equal; otherwise fail with the first difference."""
    for old, new in zip(one, other, strict=True):
        if isinstance(old, dict):
            assert {name: (value, new[name]) for name, value in old.items() if value != new[name]} == {}
        assert old == new
    return True


def rebuild(*arguments):
    out = io.StringIO()
    call_command("rebuild", "--json", *arguments, stdout=out)
    return json.loads(out.getvalue())


@pytest.mark.django_db
def test_matches_of_every_kind_need_no_mending(toy, anna, ben):
    play_out(duel(anna, ben))
    duel(anna, ben)
    of_bots(anna, "space_fleet_commander")
    opening.cancel_match(by=anna, match=opening.create_match(by=anna, game=toy))
    opening.create_match(by=anna, game=toy)
    for match in Match.objects.all():
        assert projections.rebuild(match.pk) == projections.Rebuilt()


DAMAGES = {
    "row": lambda match: Match.objects.filter(pk=match.pk).update(
        version=3, status="finished", options={}, rules="toy/0", outcome={"reason": "charm"}, started_at=None, seat_count=3
    ),
    "manners": lambda match: Match.objects.filter(pk=match.pk).update(anonymous=True, press="none"),
    "questions": lambda match: Question.objects.filter(match=match).delete(),
    "prompt": lambda match: Question.objects.filter(match=match).update(prompt="sing", kind="choice"),
    "bot": lambda match: Question.objects.filter(match=match).update(bot=True),
    "deadline": lambda match: Question.objects.filter(match=match).update(due_at="2031-01-01T00:00:00Z"),
    "another question": lambda match: Question.objects.filter(match=match).update(question="turn99"),
    "seats": lambda match: Seat.objects.filter(match=match).update(holder=None, user=None, contribution=""),
    "holder": lambda match: Seat.objects.filter(match=match, index=1).update(holder=uuid.uuid4(), user=None),
}


@pytest.mark.django_db
@pytest.mark.parametrize("damage", DAMAGES)
def test_what_was_damaged_is_as_before(toy, anna, ben, damage):
    match = opening.create_match(by=anna, game=toy, contribution_text="tea", press="public")
    match = opening.join_match(by=ben, match=match)
    act(match, 0, {"name": "draw"})
    before = rows(match)
    DAMAGES[damage](match)
    assert rows(match) != before
    told = rebuild("--match", str(match.number))
    assert told["ok"]
    assert told["differences"]
    assert all(one["mended"] for one in told["differences"])
    assert same(rows(match), before)
    assert audit.check_match(match.pk) == []
    act(match, 1, {"name": "draw"})
    assert rebuild()["differences"] == []


@pytest.mark.django_db
def test_a_question_is_a_bots_as_long_as_a_bot_holds_the_seat(toy, anna, ben):
    match = duel(anna, ben)
    host = {"match": match, "seat": 0, "actor": Actor("host")}
    for change, bot in ((substitutes.vacate, False), (substitutes.seat_bot, True), (substitutes.vacate, False)):
        change(**host)
        assert audit.check_match(match.pk) == []
        assert projections.rebuild(match.pk) == projections.Rebuilt()
        Question.objects.filter(match=match).update(bot=not bot)
        [found] = audit.check_match(match.pk)
        assert found.code == "questions"
        assert projections.rebuild(match.pk) == projections.Rebuilt((found,))
        assert Question.objects.get(match=match).bot is bot


@pytest.mark.django_db
def test_a_match_that_is_over_is_so_again(toy, anna, ben):
    match = duel(anna, ben)
    play_out(match)
    before = rows(match)
    Match.objects.filter(pk=match.pk).update(status="open", outcome=None, ended_at=None, started_at=None, version=0)
    assert rebuild()["ok"]
    assert same(rows(match), before)


@pytest.mark.django_db
def test_the_text_names_each_difference_and_its_repair(toy, anna, ben):
    match = duel(anna, ben)
    DAMAGES["holder"](match)
    out = io.StringIO()
    call_command("rebuild", stdout=out)
    *differences, summary = out.getvalue().splitlines()
    assert differences
    assert all(line.endswith(". repaired") for line in differences), differences
    assert summary.endswith(f", {len(differences)} repaired.")


@pytest.mark.django_db
def test_what_cannot_be_mended_is_said(toy, anna, ben):
    match = duel(anna, ben)
    Holding.objects.filter(match=match).delete()
    Match.objects.filter(pk=match.pk).delete()
    out = io.StringIO()
    with pytest.raises(CommandError, match="1 difference could not be repaired"):
        call_command("rebuild", stdout=out)
    assert "no match row" in out.getvalue()
    assert "NOT REPAIRED" in out.getvalue()


@pytest.mark.django_db(transaction=True)
def test_a_rebuild_beside_a_writer_leaves_everything_right(toy, anna, ben):
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))
    done, failed = threading.Event(), []

    def write():
        try:
            for number in range(40):
                act(match, number % 2, {"name": "set_orders", "text": f"order {number}"})
        except Exception as error:
            failed.append(error)
        finally:
            done.set()
            connections.close_all()

    writer = threading.Thread(target=write)
    writer.start()
    found = []
    while not done.is_set():
        found += projections.rebuild(match.pk).found
    writer.join()
    assert failed == []
    assert found == [], "what is on its way is no difference"
    loading.forget_all()
    assert projections.rebuild(match.pk) == projections.Rebuilt()
    assert Match.objects.get(pk=match.pk).version == loading.load(match.pk, toy).version > 40


@pytest.mark.django_db
def test_a_seat_that_was_taken_away_is_free_again(toy, anna, ben):
    match = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))
    substitutes.vacate(match=match, seat=1, actor=Actor("host"))
    before = rows(match)
    free = Seat.objects.get(match=match, index=1).vacated_at
    assert free is not None
    Seat.objects.filter(match=match, index=1).update(vacated_at=None, holder=uuid.uuid4(), user=ben)
    assert rebuild("--match", str(match.number))["ok"]
    assert same(rows(match), before)
    assert Seat.objects.get(match=match, index=1).vacated_at is not None
