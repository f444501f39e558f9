"""Answers of machines without marks to turn mails: one plain reply a day, nothing carried out, no orders lost."""

from __future__ import annotations

from email.message import EmailMessage
from email.policy import SMTP

import pytest

from gamesvc.matches.lobby import opening, press
from gamesvc.matches.models import Press, Question
from gamesvc.matches.record.stream import STORE
from notifications.models import InboundMail, MailStatus
from tests.mailing import fresh_id, mailing, verify  # noqa: F401
from tests.matches.test_replies import duel, reply_to, turn_mail  # noqa: F401
from tests.notifications.inbound.away import AWAY, OF_PEOPLE, SUBJECTS, UNDELIVERED

pytestmark = pytest.mark.django_db
ANNA = "anna@players.example"
BOTH = "draw\n\nI am out of the office until 3 January and will answer when I return."
DID_YOU = "Did you write this yourself?"


def unanswered(mailing, told):  # noqa: F811
    """Return the subjects and texts of what was sent since."""
    return [(mail.subject, " ".join(mail.text.split())) for mail in mailing.sink.messages[told:]]


MACHINES = AWAY | {f"undelivered {language}": text for language, text in UNDELIVERED.items()}


@pytest.mark.parametrize("text", MACHINES.values(), ids=MACHINES)
def test_a_machine_is_asked_once_a_day_and_does_nothing(duel, mailing, text):  # noqa: F811
    events, told, to = len(STORE.read(duel.id)), len(mailing.sink.messages), reply_to(turn_mail(mailing))
    for _ in range(3):
        mailing.write(text, to=to)
        mailing.work()
    [(subject, said)] = unanswered(mailing, told)
    assert subject == DID_YOU
    assert "looks like an automatic answer" in said
    assert "the word END alone in a line below it" in said
    assert mailing.sink.messages[-1].message["Auto-Submitted"] == "auto-replied"
    assert len(STORE.read(duel.id)) == events
    assert set(InboundMail.objects.values_list("status", "error")) == {(MailStatus.REFUSED, "automatic")}


@pytest.mark.parametrize("subject", SUBJECTS)
def test_a_subject_that_says_so_is_enough(duel, mailing, subject):  # noqa: F811
    told = len(mailing.sink.messages)
    raw = f"From: {ANNA}\r\nSubject: {subject}\r\nMessage-ID: {fresh_id()}\r\n\r\nBack on Monday, Anna\r\n"
    mailing.deliver(raw.encode(), to=reply_to(turn_mail(mailing)))
    mailing.work()
    assert [subject for subject, _text in unanswered(mailing, told)] == [DID_YOU]


def test_an_answer_of_a_calendar_is_one_of_a_machine(duel, mailing):  # noqa: F811
    told, to = len(mailing.sink.messages), reply_to(turn_mail(mailing))
    for body in ("Anna has accepted this invitation.", ""):
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"], mail["Message-ID"] = ANNA, to, "Your turn", fresh_id()
        mail.set_content(body)
        answer = "BEGIN:VCALENDAR\r\nMETHOD:REPLY\r\nBEGIN:VEVENT\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
        mail.add_alternative(answer, subtype="calendar", params={"method": "REPLY"})
        mailing.deliver(mail.as_bytes(policy=SMTP), to=to)
        mailing.work()
    assert [subject for subject, _text in unanswered(mailing, told)] == [DID_YOU]


def test_machines_of_two_matches_are_asked_about_both(duel, mailing, anna, ben, toy):  # noqa: F811
    other = opening.join_match(by=ben, match=opening.create_match(by=anna, game=toy))
    first = reply_to(turn_mail(mailing))
    mailing.work()
    told = len(mailing.sink.messages)
    for to in (first, reply_to(turn_mail(mailing))):
        mailing.write(AWAY["english"], to=to)
        mailing.work()
    assert len(unanswered(mailing, told)) == 2
    assert other.number != duel.number


@pytest.mark.parametrize(
    ("written", "outcome"),
    [
        ("retool none\n\nI am out of the office until 3 January and will answer when I return.", "1 order done"),
        ("Hi\nI will be away until Monday.\nretool none", "Nothing was done"),
        ("retool none\n\nI am on vacation until Monday. Please don't do this yet.", "Nothing was done"),
        ("retool none\n\nI'm on vacation next week, so:\nend turn", "Nothing was done"),
    ],
)
def test_orders_beside_a_machines_words_are_asked_about_and_then_read_whole(anna, ben, mailing, written, outcome):  # noqa: F811
    verify(anna, ben)
    match = opening.create_match(by=anna, game="stratastar", options={"homeworld_choice": "random"})
    match = opening.join_match(by=ben, match=match)
    mailing.work()
    mover = match.seats.get(index=Question.objects.get(match=match).seat).user.email
    events = len(STORE.read(match.id))
    mailing.write(written, to=reply_to(mailing.last(mover)), sender=mover)
    mailing.work()
    assert len(STORE.read(match.id)) == events
    question = mailing.last(mover, "Are these orders yours?")
    assert "contains phrases of automatic answers" in " ".join(question.text.split())
    assert written.split("\n")[-1] in " ".join(question.text.split())
    mailing.write("yes", to=reply_to(question), sender=mover)
    mailing.work()
    assert outcome in mailing.receipt(mover).subject
    assert (len(STORE.read(match.id)) > events) == (outcome == "1 order done")


def test_a_message_that_sounds_like_a_machine_is_asked_about_and_passed_on_whole(duel, mailing, anna, ben):  # noqa: F811
    press.say(match=duel, by=ben, by_seat=1, to=[0], text="Where are you?", channel="api")
    mailing.work()
    away = "Sorry, I am on vacation until Monday.\nThen I play on."
    for _ in range(2):
        mailing.write(away, to=reply_to(mailing.last(ANNA, "ben writes")))
        mailing.work()
        assert Press.objects.filter(seat=0).count() == 0
    question = mailing.last(ANNA, "Are these orders yours?")
    assert "Then I play on." in question.text
    mailing.write("yes", to=reply_to(question))
    mailing.work()
    assert Press.objects.get(seat=0).text == away


def test_a_machine_that_answers_the_question_confirms_nothing(duel, mailing):  # noqa: F811
    mailing.write(BOTH, to=reply_to(turn_mail(mailing)))
    mailing.work()
    question, told = mailing.last(ANNA, "Are these orders yours?"), len(mailing.sink.messages)
    for _ in range(3):
        mailing.write(BOTH, to=reply_to(question))
        mailing.work()
    assert [subject for subject, _text in unanswered(mailing, told)] == [DID_YOU]
    assert InboundMail.objects.filter(status=MailStatus.HELD).count() == 1


@pytest.mark.parametrize("text", OF_PEOPLE)
def test_what_people_write_is_worked_on(duel, mailing, text):  # noqa: F811
    told = len(mailing.sink.messages)
    mailing.write(text, to=reply_to(turn_mail(mailing)))
    mailing.work()
    assert InboundMail.objects.get().status == MailStatus.DONE
    assert DID_YOU not in [subject for subject, _text in unanswered(mailing, told)]
