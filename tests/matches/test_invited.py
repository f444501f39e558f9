"""Invitations answered by mail: with and without an account, forwarded, declined, processed twice."""

from __future__ import annotations

import pytest

from accounts.addresses import user_of_address, verified_addresses
from accounts.models import User
from gamesvc.matches.lobby import invitations, opening
from gamesvc.matches.models import Invitation, Match
from notifications.inbound import pipeline
from notifications.inbound.proving.authentication import NONE, Verdict
from notifications.models import InboundMail, MailStatus, Outbox
from tests.mailing import mailing, verify  # noqa: F401

pytestmark = pytest.mark.django_db
CARA = "cara@players.example"


@pytest.fixture
def match(toy, anna, mailing):  # noqa: F811
    verify(anna)
    return opening.create_match(by=anna, game=toy, entry="invited")


def asked(mailing, address):  # noqa: F811
    mailing.work()
    return next(mail for mail in reversed(mailing.sink.to(address)) if mail.message["X-Game-Reason"] == "invitation")


def flat(caught) -> str:
    return " ".join(caught.text.split())


def to(caught) -> str:
    return str(caught.message["Reply-To"])


def test_a_user_joins_by_one_word(match, anna, ben, mailing):  # noqa: F811
    verify(ben)
    invitations.invite(by=anna, match=match, username="ben")
    invitation = asked(mailing, "ben@players.example")
    assert "To take a seat, answer this mail" in flat(invitation)
    assert "join" in flat(invitation)
    mailing.write("join\n\nBen", to=to(invitation), sender="ben@players.example")
    mailing.work()
    match.refresh_from_db()
    assert match.status == Match.Status.RUNNING
    receipt = mailing.last("ben@players.example", "You have a seat")
    assert "You are ben and hold seat 2." in receipt.text
    assert receipt.message["Auto-Submitted"] == "auto-replied"
    assert "Your move" in flat(receipt) or "has started" in flat(receipt)
    assert receipt.message["Reply-To"]


def test_a_stranger_without_an_account_plays_without_ever_opening_a_page(match, anna, mailing):  # noqa: F811
    invitations.invite(by=anna, match=match, address=CARA)
    invitation = asked(mailing, CARA)
    mailing.write("join", to=to(invitation), sender=CARA)
    mailing.work()
    answer = mailing.last(CARA, "no seat yet")
    assert "join NAME" in answer.text
    for name, fault in (("root", "not"), ("ANNA", "exists"), ("c", "at least 2"), ("a/b", "letters")):
        mailing.write(f"join {name}", to=to(mailing.last(CARA)), sender=CARA)
        mailing.work()
        assert fault in flat(mailing.last(CARA, "no seat yet"))
    assert User.objects.count() == 1
    mailing.write("join cara", to=to(mailing.last(CARA)), sender=CARA)
    mailing.work()
    cara = User.objects.get(username="cara")
    assert verified_addresses(cara) == [CARA]
    assert not cara.has_usable_password()
    match.refresh_from_db()
    assert match.status == Match.Status.RUNNING
    assert "You are cara and hold seat 2." in flat(mailing.last(CARA, "You have a seat"))
    assert "cara@" not in "".join(mail.raw.decode() for mail in mailing.sink.to("anna@players.example"))


def test_a_forwarded_invitation_seats_nobody_else(match, anna, mailing, monkeypatch):  # noqa: F811
    """Dora got it from Cara: Dora's mail is held, and Cara is asked."""
    invitations.invite(by=anna, match=match, address=CARA)
    invitation = asked(mailing, CARA)
    mailing.write("join dora", to=to(invitation), sender="dora@players.example")
    mailing.work()
    assert mailing.newest.status == MailStatus.HELD
    assert mailing.sink.to("dora@players.example") == []
    question = mailing.last(CARA, "Are these orders yours?")
    assert "join dora" in question.text
    mailing.write("yes", to=to(question), sender=CARA)
    mailing.work()
    assert user_of_address(CARA).username == "dora"
    assert user_of_address("dora@players.example") is None


def test_what_is_not_proved_is_held(match, anna, mailing, monkeypatch):  # noqa: F811
    invitations.invite(by=anna, match=match, address=CARA)
    invitation = asked(mailing, CARA)
    monkeypatch.setattr("notifications.inbound.proving.trust.authenticate", lambda *_, **__: Verdict(NONE))
    mailing.write("join cara", to=to(invitation), sender=CARA)
    mailing.work()
    assert User.objects.count() == 1
    assert InboundMail.objects.get().status == MailStatus.HELD


def test_declining_by_mail(match, anna, ben, mailing):  # noqa: F811
    verify(ben)
    invitations.invite(by=anna, match=match, username="ben")
    invitation = asked(mailing, "ben@players.example")
    mailing.write("No.", to=to(invitation), sender="ben@players.example")
    mailing.work()
    assert Invitation.objects.get().declined_at is not None
    assert "You have declined" in mailing.last("ben@players.example").subject
    mailing.write("join", to=to(invitation), sender="ben@players.example")
    mailing.work()
    assert "does not exist or has been used" in flat(mailing.last("ben@players.example"))
    match.refresh_from_db()
    assert match.status == Match.Status.OPEN


def test_anything_else_is_answered_with_the_two_words(match, anna, ben, mailing):  # noqa: F811
    verify(ben)
    invitations.invite(by=anna, match=match, username="ben")
    mailing.write("What is this?", to=to(asked(mailing, "ben@players.example")), sender="ben@players.example")
    mailing.work()
    answer = mailing.last("ben@players.example", "could not be read")
    assert "join or decline" in answer.text
    mailing.write("join", to=to(answer), sender="ben@players.example")
    mailing.work()
    match.refresh_from_db()
    assert match.status == Match.Status.RUNNING


def test_a_worker_that_dies_makes_one_account_and_one_seat(match, anna, mailing, monkeypatch):  # noqa: F811
    invitations.invite(by=anna, match=match, address=CARA)
    invitation = asked(mailing, CARA)
    mailing.write("join cara", to=to(invitation), sender=CARA)
    with monkeypatch.context() as patch:

        def dies(*_a, **_k):
            raise MemoryError

        patch.setattr("notifications.inbound.store.settle", dies)
        pipeline.work()
    assert mailing.newest.status == MailStatus.WAITING
    InboundMail.objects.update(claimed_until=None)
    mailing.work()
    assert User.objects.filter(username="cara").count() == 1
    assert Outbox.objects.filter(kind="joined").count() == 1
    assert "You have a seat" in mailing.last(CARA, "seat").subject


def test_a_full_match_says_so(match, anna, ben, player, mailing):  # noqa: F811
    verify(ben)
    invitations.invite(by=anna, match=match, username="ben")
    invitation = asked(mailing, "ben@players.example")
    opening.join_match(by=player("cara"), match=match, link=match.link_token)
    mailing.write("join", to=to(invitation), sender="ben@players.example")
    mailing.work()
    assert "You have no seat" in mailing.last("ben@players.example", "no seat").subject


@pytest.mark.parametrize(
    "said",
    [
        *("Yes but only if we start next week, otherwise no", "Ja, aber erst im Dezember", "No problem, I will join", "ja nein"),
        *("I'd love to, unfortunately I can't this month", "I would love to play. Unfortunately I have no time at the moment."),
        *(
            "I'd love to, sadly I am travelling all of July.",
            "Happy to play next time!",
            "Sehr gerne, leider fehlt mir die Zeit.",
        ),
        *("Count me in when I'm back from vacation", "Sure, after my exams", "join later", "join when I am back", "yeah right"),
        *(
            "Ok, let me think about it.",
            "I am in hospital right now",
            "No problem, I'm in!",
            "Yes.\n\nSadly I am travelling all of May.",
        ),
        *("yes\n\nOn second thoughts, no.", "Join me for dinner instead?", "Ja\nnein", "join us", "join NAME", "Yes and no"),
    ],
)
def test_an_answer_that_is_neither_yes_nor_no_takes_no_seat_and_refuses_none(match, anna, ben, mailing, said):  # noqa: F811
    verify(ben)
    invitations.invite(by=anna, match=match, username="ben")
    mailing.write(said, to=to(asked(mailing, "ben@players.example")), sender="ben@players.example")
    mailing.work()
    assert "could not be read" in mailing.last("ben@players.example").subject
    match.refresh_from_db()
    assert match.status == Match.Status.OPEN
    assert Invitation.objects.get().declined_at is None


@pytest.mark.parametrize("said", ["No, sorry", "Nein, leider keine Zeit", "no thanks"])
def test_a_polite_no_declines(match, anna, ben, mailing, said):  # noqa: F811
    verify(ben)
    invitations.invite(by=anna, match=match, username="ben")
    mailing.write(said, to=to(asked(mailing, "ben@players.example")), sender="ben@players.example")
    mailing.work()
    assert Invitation.objects.get().declined_at is not None


@pytest.mark.parametrize("said", ["Join!", "yes\n\nBest regards\nBen", "join\nLooking forward to it!", "Ja\nEND"])
def test_a_clear_answer_in_other_words_takes_the_seat(match, anna, ben, mailing, said):  # noqa: F811
    verify(ben)
    invitations.invite(by=anna, match=match, username="ben")
    mailing.write(said, to=to(asked(mailing, "ben@players.example")), sender="ben@players.example")
    mailing.work()
    match.refresh_from_db()
    assert match.status == Match.Status.RUNNING


# --- the name of a new player ---


def invited(match, anna, mailing):  # noqa: F811
    invitations.invite(by=anna, match=match, address=CARA)
    return to(asked(mailing, CARA))


def answer(mailing, said, address):  # noqa: F811
    mailing.write(said, to=address, sender=CARA)
    mailing.work()
    return mailing.last(CARA)


@pytest.mark.parametrize(
    "said",
    [
        *(
            "Yes please",
            "Yes, I would love to play!",
            "Ja, gerne!",
            "join please",
            "Count me in",
            "Hi Anna,\n\nI'd love to join!",
        ),
        *("Ich bin dabei!", "yes", "Sure!\n\nBest\nCara"),
    ],
)
def test_a_polite_yes_of_a_stranger_makes_no_account_and_asks_for_the_name(match, anna, mailing, said):  # noqa: F811
    caught = answer(mailing, said, invited(match, anna, mailing))
    assert "Answer with: join YOURNAME" in flat(caught)
    assert "You have no seat yet" in caught.subject
    assert User.objects.count() == 1
    told = answer(mailing, "join cara", to(caught))
    assert "You are cara and hold seat 2." in flat(told)


@pytest.mark.parametrize("said", ["join NAME", "Join YOURNAME", "join <NAME>", "join (your name)", "join DEINNAME"])
def test_a_copied_placeholder_is_noticed(match, anna, mailing, said):  # noqa: F811
    caught = answer(mailing, said, invited(match, anna, mailing))
    assert "NAME stands for the name that the other players see. Write your own, for example: join cara" in flat(caught)
    assert User.objects.count() == 1


def test_an_unclear_answer_of_a_stranger_is_asked_back(match, anna, mailing):  # noqa: F811
    caught = answer(mailing, "Who are you?", invited(match, anna, mailing))
    assert "To play, write into the first line: join YOURNAME." in flat(caught)


@pytest.mark.parametrize(
    "said", ['join "cara"', "join: cara", "Yes, join cara", "join as cara", "join NAME cara", "join cara, thanks!"]
)
def test_a_name_is_read_in_the_ways_people_write_it(match, anna, mailing, said):  # noqa: F811
    answer(mailing, said, invited(match, anna, mailing))
    assert user_of_address(CARA).username == "cara"


@pytest.mark.parametrize("said", ["Yes, I would love to play!", "Yes please", "Gerne, ich bin dabei!", "I'd love to"])
def test_a_player_with_an_account_accepts_in_a_sentence(match, anna, ben, mailing, said):  # noqa: F811
    verify(ben)
    invitations.invite(by=anna, match=match, username="ben")
    mailing.write(said, to=to(asked(mailing, "ben@players.example")), sender="ben@players.example")
    mailing.work()
    match.refresh_from_db()
    assert match.status == Match.Status.RUNNING


def test_a_new_account_is_renamed_until_its_match_begins(anna, ben, mailing):  # noqa: F811
    verify(anna)
    match = opening.create_match(by=anna, game="stratastar", seats=3, entry="invited")
    address = invited(match, anna, mailing)
    told = answer(mailing, "join crara", address)
    assert "To change your name, answer with another one before the match begins: join OTHERNAME" in flat(told)
    told = answer(mailing, "join Cara", to(told))
    assert "Your name is changed. You are Cara and hold seat 2." in flat(told)
    assert user_of_address(CARA).username == "Cara"
    told = answer(mailing, "join anna", address)
    assert user_of_address(CARA).username == "Cara", "that name is taken"
    opening.join_match(by=ben, match=match, link=match.link_token)
    told = answer(mailing, "join zara", address)
    assert user_of_address(CARA).username == "Cara"
    assert "Your name stays Cara: others know you by it." in flat(told)


def test_a_suspended_player_gets_no_other_account_by_an_invitation_to_their_address(match, anna, ben, mailing):  # noqa: F811
    verify(ben)
    User.objects.filter(pk=ben.pk).update(is_active=False)
    invitations.invite(by=anna, match=match, address="ben@players.example")
    mailing.write("join newben", to=to(asked(mailing, "ben@players.example")), sender="ben@players.example")
    mailing.work()
    assert mailing.newest.status == MailStatus.DONE
    assert "You have no seat" in mailing.last("ben@players.example").subject
    assert "the account of this address is closed" in flat(mailing.last("ben@players.example"))
    assert not User.objects.filter(username="newben").exists()


def test_an_account_of_its_own_is_never_renamed(anna, ben, mailing):  # noqa: F811
    verify(anna, ben)
    User.objects.filter(pk=ben.pk).update(last_login="2026-01-01T00:00:00Z")
    match = opening.create_match(by=anna, game="stratastar", seats=3, entry="invited")
    invitations.invite(by=anna, match=match, username="ben")
    mailing.write("join bernd", to=to(asked(mailing, "ben@players.example")), sender="ben@players.example")
    mailing.work()
    ben.refresh_from_db()
    assert ben.username == "ben"


def test_a_stranger_is_asked_in_german_after_an_invitation_in_german(match, anna, mailing, settings):  # noqa: F811
    settings.LANGUAGE_CODE = "de"
    caught = answer(mailing, "Ja bitte", invited(match, anna, mailing))
    assert "Antworte mit: join YOURNAME" in flat(caught)
