"""Words that ask for texts and lists by mail: rules, cards, help on a word, order sheets, matches, games. Nothing changes."""

from __future__ import annotations

import difflib
import random

import pytest

from accounts.models import User
from gamesvc.games import catalog
from gamesvc.games.kernel import forms
from gamesvc.games.kernel.game import Caption
from gamesvc.matches.lobby import opening
from gamesvc.matches.mail_orders import order_mail
from gamesvc.matches.mail_orders.words import lines as service_lines
from gamesvc.matches.mail_orders.words import order_sheets
from gamesvc.matches.record import loading
from gamesvc.matches.record.stream import STORE
from tests.mailing import mailing, verify  # noqa: F401
from tests.matches.test_mail_words import flat
from tests.matches.test_replies import reply_to, turn_mail

pytestmark = pytest.mark.django_db


@pytest.fixture
def stars(anna, ben, mailing):  # noqa: F811
    return begun("stratastar", anna, ben, mailing)


def begun(game, anna, ben, mailing):  # noqa: F811
    verify(anna, ben)
    match = opening.create_match(by=anna, game=game)
    if match.seat_count > 1:
        match = opening.join_match(by=ben, match=match)
    mailing.work()
    return match


def asked_of(match):
    """Return the name of a player who must act, and the match's forms for that seat."""
    loaded = loading.load(match.id, match.game)
    seat = loaded.awaited()[0].seat
    legal = loaded.game.legal_commands(loaded.timeline.state, seat)
    return match.seats.get(index=seat).user.username, legal, loaded.game, loaded.game.view(loaded.timeline.state, seat)


def answer(mailing, match, text):  # noqa: F811
    """Return the receipt that answers a text by the player who must act."""
    name = asked_of(match)[0]
    before = len(STORE.read(match.id))
    mailing.write(text, to=reply_to(turn_mail(mailing, name)), sender=f"{name}@players.example")
    mailing.work()
    assert len(STORE.read(match.id)) == before, "nothing changes"
    return mailing.receipt(f"{name}@players.example")


def speak_german():
    User.objects.update(language="de")


@pytest.mark.parametrize("game_id", catalog.OFFERED)
def test_every_game_answers_each_word(game_id, anna, ben, mailing):  # noqa: F811
    match = begun(game_id, anna, ben, mailing)
    _name, legal, game, view = asked_of(match)
    entry = next(one for one in game.reference(view) if one.text)
    verb = game.render(forms.fill(legal[0], random.Random(1))).split()[0]
    receipt = answer(mailing, match, f"rules\ncard {entry.name}\nforms\nlist\ngames\nhelp {verb}")
    told = flat(receipt)
    assert "cannot be read" not in told
    assert " ".join(game.short_rules().split()) in told
    assert f"/games/{game_id}/" in told
    assert " ".join(entry.line.split()) in told
    assert "Copy the lines you want to the top of your answer" in told
    assert f"#{match.number} {game.manifest.title}: your turn, due" in told
    assert all(f"{one.id} ({one.manifest.title}" in told for one in catalog.games())
    assert f"{verb}: " in told
    assert "You can order now:" in told


def test_the_words_in_german(stars, mailing):  # noqa: F811
    speak_german()
    receipt = answer(mailing, stars, "regeln\nkarte Stargate\nformulare\nliste\nspiele\nhilfe home\nhilfe karte")
    told = flat(receipt)
    assert "nicht lesbar" not in told
    assert "Die Regeln von Stratastar:" in told
    assert "Stargate (" in told
    assert "Kopiere die Zeilen, die du willst," in told
    assert "du bist am Zug, Frist" in told
    assert "stratastar (Stratastar, 2-4 Spieler): Baue" in told
    assert "Jetzt kannst du befehlen:" in told
    assert "was eine Karte oder Einheit tut" in told


@pytest.mark.parametrize(
    ("written", "meant"), [("ruels", "rules"), ("crad Stargate", "card"), ("gmaes", "games"), ("hlep", "help")]
)
def test_an_unknown_word_is_answered_with_the_nearest(stars, mailing, written, meant):  # noqa: F811
    told = flat(answer(mailing, stars, written))
    assert f"There is no word “{written.split()[0]}”. Did you mean: {meant}" in told
    assert "Nothing was done" in mailing.receipt(f"{asked_of(stars)[0]}@players.example").subject


def test_an_unknown_card_is_answered_with_the_nearest(stars, mailing):  # noqa: F811
    told = flat(answer(mailing, stars, "card Stargat3\ncard zzzz\nhelp colonise_it"))
    assert "There is no card or unit of this name. Did you mean Stargate?" in told
    assert "For all names write: card" in told
    assert "There is no such word." in told


def test_card_alone_lists_all_names(stars, mailing):  # noqa: F811
    told = flat(answer(mailing, stars, "card"))
    assert "ability: Warfleet, Nebulous Navigation" in told
    assert "For one of them write: card NAME" in told


def test_a_word_of_the_service_is_explained_by_its_lines(stars, mailing):  # noqa: F811
    told = flat(answer(mailing, stars, "help vacation"))
    assert "vacation 2026-12-24..2027-01-02 no deadlines while you are away vacation off" in told
    assert "The rules in short" not in told


@pytest.mark.parametrize(
    "line", ["Games like this one are fun!", "New plan, Ben?", "List of my ideas", "Rules are rules", "Card, anyone?"]
)
def test_words_of_every_day_ask_for_nothing(line):
    assert service_lines.find(line) is None


def test_a_greeting_with_such_a_word_keeps_no_order_back(stars):
    _name, _legal, game, view = asked_of(stars)
    lines = order_mail.read("Games like this one are fun!\n\nhome A1\nEND", game, view)
    assert [line.state for line in lines] == ["ignored", "read"]


@pytest.mark.parametrize("game", ["stratastar", "space_fleet_commander", "star_commander", "space_war"])
def test_a_receipt_says_what_the_player_has_to_do_now(game, anna, ben, mailing):  # noqa: F811
    match = begun(game, anna, ben, mailing)
    told = answer(mailing, match, "status")
    _name, _legal, rules, view = asked_of(match)
    task = rules.glance(view, Caption()).task
    assert task
    assert f"Your move: {task[0].lower()}{task[1:]}" in flat(told)
    assert "<b>Your move: " in told.html


def test_what_can_be_ordered_is_worked_out_once_for_all_lines(stars, mailing, monkeypatch):  # noqa: F811
    """Sixty lines that each made the sheet anew kept a worker from all other mail."""
    _name, legal, game, _view = asked_of(stars)
    verbs = sorted({game.render(forms.fill(form, random.Random(1))).split()[0] for form in legal})
    made = []
    entries = order_sheets.entries
    monkeypatch.setattr(order_sheets, "entries", lambda *of: made.append(of) or entries(*of))
    told = flat(answer(mailing, stars, "\n".join(["forms", "forms", *(f"help {verb}" for verb in verbs), "FORMS", "help zzzz"])))
    assert len(made) == 1
    assert told.count("Copy the lines you want to the top of your answer") == 1
    assert "You can order now:" in told


def test_a_word_that_is_written_often_is_answered_once(stars, mailing):  # noqa: F811
    words = ["help", "hand", "history 20", "rules", "card", "list", "games", "status"]
    once, often = len(flat(answer(mailing, stars, "\n".join(words)))), 7
    told = flat(answer(mailing, stars, "\n".join(words * often)))
    assert "cannot be read" not in told
    assert len(told) < once + often * len(words) * 40


def test_a_word_as_long_as_a_mail_is_compared_with_none(stars, mailing, monkeypatch):  # noqa: F811
    compared = []
    ratio = difflib.SequenceMatcher.ratio
    monkeypatch.setattr(
        difflib.SequenceMatcher, "ratio", lambda pair: compared.append(max(len(pair.a), len(pair.b))) or ratio(pair)
    )
    told = flat(answer(mailing, stars, f"{'@'.join(['hlep'] * 1500)}\nhlep"))
    assert "Did you mean: help" in told
    assert compared
    assert max(compared) < 100
