"""Mails say what happens to a player who does nothing, and that is what the clock then does."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
import time_machine

from gamesvc.games import catalog
from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Match, Question
from gamesvc.matches.record import loading
from gamesvc.matches.timekeeping import inaction, last_orders, timeout_sweep
from tests.mailing import mailing, verify  # noqa: F401
from tests.matches.test_mail_texts import play

pytestmark = pytest.mark.django_db(transaction=True)


def opened(game, anna, ben, **clock) -> Match:
    match = opening.create_match(by=anna, game=game, clock={"hours": 24, **clock})
    if match.seat_count > 1:
        opening.join_match(by=ben, match=match)
    match.refresh_from_db()
    return match


def told(match: Match) -> tuple[str, Question]:
    """Return the sentence for the seat whose time runs out next, and its question."""
    question = Question.objects.filter(match=match).order_by("due_at", "seat")[0]
    held = (match.id, question.seat) in last_orders.waiting([match.id])
    loaded = loading.load(match.id, match.game)
    return inaction.sentence(loaded, question.seat, question.question, held=held), question


def let_run_out(question: Question) -> None:
    with time_machine.travel(question.due_at + timedelta(seconds=1), tick=False):
        timeout_sweep.availability.keep_alive()
        timeout_sweep.sweep()


@pytest.fixture
def clock_gave(monkeypatch):
    """The orders that the clock gives, in the game's notation."""
    given = []
    submit = timeout_sweep.turns.submit

    def noted(*, match, sender, command, **more):
        if sender.channel == "clock":
            given.append(catalog.game(match.game).render_default(command))
        return submit(match=match, sender=sender, command=command, **more)

    monkeypatch.setattr(timeout_sweep.turns, "submit", noted)
    return given


def expanded(sentence: str) -> tuple[list[str], bool]:
    """Return the orders that a sentence names, and True if it names all."""
    steps = re.fullmatch(r"If you do nothing, this is played for you: (.+?)(, and so on .+)?\.", sentence)
    assert steps, sentence
    orders = []
    for part in re.split(r", (?!\d+ \w+ [\d-]+)", steps[1]):
        order, count = re.fullmatch(r"(.+?)(?: \((\d+) times\))?", part).groups()
        orders += [order] * int(count or 1)
    return orders, steps[2] is None


@pytest.mark.parametrize("game", catalog.OFFERED)
def test_the_clock_does_what_the_mail_says(game, anna, ben, clock_gave):
    match = opened(game, anna, ben)
    whole = 0
    for steps in (0, 3, 9, 14, 21):
        play(match, steps)
        if loading.load(match.id, match.game).ended:
            break
        sentence, question = told(match)
        clock_gave.clear()
        let_run_out(question)
        orders, complete = expanded(sentence)
        assert clock_gave[: len(orders)] == orders
        assert not complete or clock_gave == orders
        whole += complete
        match.refresh_from_db()
    assert whole or game == "space_fleet_commander"


@pytest.mark.parametrize(
    ("clock", "sentence"),
    [
        ({"excused": 2}, "If you do nothing, you get the full time again. After that you have 1 more such timeout."),
        ({"excused": 1}, "If you do nothing, you get the full time again. It is the last time."),
        ({"timeout": "bot"}, "If you do nothing, a bot takes over your seat for the rest of the match."),
        ({"timeout": "lose"}, "If you do nothing, you lose the match."),
        ({"after": 1}, "If you do nothing, your seat falls free, and this is played for it: home A1."),
        ({}, "If you do nothing, this is played for you: home A1."),
    ],
)
def test_the_policy_of_the_match_is_told(clock, sentence, anna, ben):
    assert told(opened("stratastar", anna, ben, **clock))[0] == sentence


def test_a_turn_mail_says_it(anna, ben, mailing):  # noqa: F811
    verify(anna, ben)
    match = opened("stratastar", anna, ben)
    play(match, 4)
    mailing.work()
    mail = [one for one in mailing.sink.messages if one.message["X-Game-Reason"] == "your-turn"][-1]
    assert "If you do nothing, this is played for you: " in " ".join(mail.text.split())
    assert "If you do nothing, this is played for you: " in mail.html


@pytest.mark.parametrize("game", catalog.OFFERED)
def test_the_page_says_it_in_its_own_words(game, anna, ben):
    """An id of a card stands only behind its name: nobody on the page writes orders."""
    match = opened(game, anna, ben)
    for steps in (0, 3, 9, 14, 21):
        play(match, steps)
        if loading.load(match.id, match.game).ended:
            break
        _sentence, question = told(match)
        words = inaction.sentence(loading.load(match.id, match.game), question.seat, question.question, held=False, in_words=True)
        assert words.startswith("If you do nothing, this is played for you: ")
        assert not re.search(r"_|[(,:] ?[abcvs]-?\d+\b", words), words
