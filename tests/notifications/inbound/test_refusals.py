"""The table of refusals: one mail through the pipeline for each row, and its report to the player."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest

from notifications import outbox
from notifications.inbound import pipeline, purposes, standing
from notifications.inbound.doors.imap import MOST_TRIES
from notifications.inbound.held import QUESTIONS_A_DAY
from notifications.inbound.proving.authentication import FAIL, NONE, Verdict
from notifications.inbound.purposes import Handled
from notifications.models import Bounce, InboundMail, MailStatus, Outbox, Status
from notifications.outbox import Notice
from notifications.parsing.refusals import REFUSALS, SILENCES, Hears, MailRefused
from notifications.returned import return_paths
from tests.mailing import mailing  # noqa: F401
from tests.notifications.inbound import test_imap, test_webhooks
from tests.notifications.inbound.test_pipeline import held, letters, said, to  # noqa: F401

pytestmark = pytest.mark.django_db

DOCUMENT = Path(__file__).parents[3] / "deploy" / "mail-in.md"
REPORTS = Path(__file__).parents[2] / "fixtures" / "bounces"
ANNA = "anna@players.example"
STRANGER = "x@elsewhere.example"
PLAIN = "From: anna@players.example\r\n"


def nested(depth: int) -> str:
    parts = (f'Content-Type: multipart/mixed; boundary="b{at}"\r\n\r\n--b{at}\r\n' for at in range(depth))
    return PLAIN + "".join(parts) + "\r\nmove A1"


def _spin(_message):
    while True:
        pass


def _too_often(_mail):
    raise MailRefused("too_often")


def _hesitate(_letter):
    raise MailRefused("half_automatic")


ELSEWHERE = {
    "passed over": test_imap.test_a_message_that_its_server_never_gives_keeps_nothing_back_for_ever,
    "no address of ours in the mailbox": test_imap.test_other_peoples_mail_is_left_alone,
    "no address of ours in a post": test_webhooks.test_mail_for_nobody_is_taken_and_forgotten,
}
"""The silences of other doors than SMTP, and their tests."""

# Mails refused by a row, in the form received. Those that need more than a mail are in `prepared`.
RAW = {
    "null_return_path": PLAIN + "\r\nmove A1",
    "auto_submitted": PLAIN + "Auto-Submitted: auto-replied\r\n\r\nmove A1",
    "bulk": PLAIN + "Precedence: bulk\r\n\r\nmove A1",
    "mailing_list": PLAIN + "List-Id: <a.b>\r\n\r\nmove A1",
    "delivery_report": PLAIN + "Content-Type: multipart/report; boundary=b\r\n\r\n--b\r\n\r\nmove A1",
    "mailer_daemon": "From: mailer-daemon@players.example\r\n\r\nmove A1",
    "our_own": "From: play@games.example\r\n\r\nmove A1",
    "automatic": PLAIN + "\r\nI am out of the office until Monday.",
    "half_automatic": PLAIN + "\r\nmove A1\r\n\r\nI am out of the office until Monday.",
    "too_large": PLAIN + "Cc: " + "a@b.example,\r\n " * 5000 + "\r\n\r\nmove A1",
    "too_many_headers": PLAIN + "X: y\r\n" * 200 + "\r\nmove A1",
    "too_many_parts": PLAIN + "Content-Type: multipart/mixed; boundary=b\r\n\r\n" + "--b\r\n\r\nx\r\n" * 101,
    "too_deep": nested(5),
    "broken": PLAIN + "no field\r\n\r\nmove A1",
    "too_slow": PLAIN + "\r\nmove A1",
    "no_single_sender": "From: =?utf-8?Q?a@evil.example?= <anna@players.example>\r\n\r\nmove A1",
    "spoofed": PLAIN + "\r\nmove A1",
    "unproved": PLAIN + "\r\nmove A1",
    "stranger": "From: x@elsewhere.example\r\n\r\nmove A1",
    "misdirected": PLAIN + "To: friend@elsewhere.example\r\n\r\nmove A1",
    "inactive": PLAIN + "\r\nmove A1",
    "no_such_purpose": PLAIN + "\r\nmove A1",
    "not_confirmed": PLAIN + "\r\nyes, but only the first one",
    "used": PLAIN + "\r\nyes",
    "no_player": f"From: {STRANGER}\r\n\r\nlist",
    "too_often": PLAIN + "\r\nlist",
    "empty": PLAIN + "\r\n> move A1",
    "too_long": PLAIN + "\r\n" + "move A1\r\n" * 4000,
    "repeated": PLAIN + "Message-ID: <a@b>\r\n\r\nmove A1",
}


@pytest.fixture
def prepared(to, mailing, letters, anna, monkeypatch):  # noqa: F811
    """Set up what a row needs beside its mail. Return the address to write to."""

    def prepare(code: str) -> str:
        match code:
            case "too_slow":
                monkeypatch.setattr("notifications.parsing.limits.CPU_SECONDS", 0.05)
                monkeypatch.setattr("notifications.parsing.text.written", _spin)
            case "automatic":
                monkeypatch.setattr(purposes, "_weighing", set())
            case "half_automatic":
                monkeypatch.setitem(purposes._handlers, "turn", _hesitate)
            case "spoofed":
                said(monkeypatch, Verdict(FAIL, strict=True))
            case "unproved":
                said(monkeypatch, Verdict(NONE))
            case "inactive":
                anna.is_active = False
                anna.save()
            case "no_such_purpose":
                purposes._handlers.clear()
            case "no_player":
                return standing.address()
            case "too_often":
                monkeypatch.setattr(standing, "check_rate", _too_often)
                return standing.address()
            case "repeated":
                mailing.deliver(RAW[code].encode(), to=to)
            case "not_confirmed" | "used":
                question = str(held(mailing, to, monkeypatch).message["Reply-To"])
                if code == "used":
                    mailing.write("yes", to=question)
                    mailing.work()
                return question
        return to

    return prepare


@pytest.mark.parametrize("code", [code for code, row in REFUSALS.items() if row.hears is not Hears.REPLY])
def test_each_row_does_what_it_says(code, prepared, mailing, letters):  # noqa: F811
    address, before = prepared(code), InboundMail.objects.count()
    mailing.deliver(RAW[code].encode(), to=address, sender="" if code == "null_return_path" else ANNA)
    if code == "repeated":
        assert InboundMail.objects.count() == before
        return
    read, told = len(letters), len(mailing.sink.messages)
    mailing.work()
    mail = mailing.newest
    assert mail.error.partition(":")[0] == code
    status = {Hears.QUESTION: MailStatus.HELD, Hears.WORDS: MailStatus.DONE}.get(REFUSALS[code].hears, MailStatus.REFUSED)
    assert mail.status == status
    assert mail.attempts == 1
    reasons = [letter.refusal for letter in letters[read:]]
    assert reasons == ([code] if REFUSALS[code].hears is Hears.WORDS else [])
    heard = [(mail.recipients, mail.subject) for mail in mailing.sink.messages[told:]]
    subjects = {"used": "Your orders are already confirmed", "automatic": "Did you write this yourself?"}
    reason = subjects.get(code, "Your mail could not be read")
    expected = {Hears.QUESTION: "Are these orders yours?", Hears.REASON: reason, Hears.ONCE: reason}.get(REFUSALS[code].hears)
    if REFUSALS[code].hears is Hears.SENDER:
        assert heard == [((STRANGER,), "How to play here")]
    else:
        assert heard == ([((ANNA,), expected)] if expected else [])


@pytest.mark.parametrize("code", [code for code, row in REFUSALS.items() if row.hears in (Hears.REASON, Hears.ONCE)])
@pytest.mark.parametrize("language", ["en", "de"])
def test_a_reason_says_what_to_do_next(code, language, prepared, mailing, anna):  # noqa: F811
    address = prepared(code)
    anna.language = language
    anna.save()
    mailing.deliver(RAW[code].encode(), to=address)
    mailing.work()
    text = " ".join(mailing.last(ANNA).text.split())
    assert "http" in text
    does = {
        "en": ("Send your", "send your", "Correct your", "Answer the", "send them again"),
        "de": ("Sende ", "sende ", "Berichtige", "Antworte"),
    }
    assert any(word in text for word in does[language])


def test_reasons_are_capped(to, mailing, letters, monkeypatch):  # noqa: F811
    monkeypatch.setattr("notifications.inbound.held.QUESTIONS_A_DAY", 2)
    for _ in range(4):
        mailing.deliver(f"{PLAIN}Message-ID: <{uuid4()}@x>\r\nno field\r\n\r\nmove A1".encode(), to=to)
    mailing.work()
    assert InboundMail.objects.filter(status=MailStatus.REFUSED).count() == 4
    assert len(mailing.sink.messages) == 2


def test_a_slow_mail_keeps_back_no_other_and_is_not_tried_again(to, mailing, letters, monkeypatch):  # noqa: F811
    from notifications.parsing import text

    written = text.written
    monkeypatch.setattr("notifications.parsing.limits.CPU_SECONDS", 0.05)
    monkeypatch.setattr(text, "written", lambda message: _spin(message) if message["X-Slow"] else written(message))
    mailing.write("slow", to=to, X_Slow="yes")
    mailing.write("move A1", to=to)
    mailing.work()
    assert [letter.text for letter in letters] == ["move A1"]
    assert pipeline.work() == 0


def test_operators_read_the_same_silences():
    rows = [f"| {name} | {what} | {why} |" for name, (what, why) in SILENCES.items()]
    assert "\n".join(["| silence | what | why |", "| --- | --- | --- |", *rows]) in DOCUMENT.read_text()
    assert f"beyond {QUESTIONS_A_DAY} a day" in SILENCES["questions over the cap"][0]
    assert MOST_TRIES == 10


def silent(name, *, to, mailing, settings, monkeypatch, anna):  # noqa: F811
    """Cause a silence. Return the results of the mails that came in, and the number of outgoing mails."""
    match name:
        case "receipts over the cap":
            settings.INBOUND_ANSWERS_PER_DAY = 1

            def answer(letter):
                return Handled({}, Notice("mail_failed", letter.user.pk, payload={"mail": str(letter.id)}))

            monkeypatch.setitem(purposes._handlers, "turn", answer)
            for _ in range(2):
                mailing.write("move A1", to=to)
            return [MailStatus.DONE, MailStatus.DONE], 1
        case "questions over the cap":
            monkeypatch.setattr("notifications.inbound.held.QUESTIONS_A_DAY", 1)
            for _ in range(4):
                mailing.write("move A1", to=to, sender="x@elsewhere.example")
            return [MailStatus.HELD] * 4, 2
        case "no report":
            notice = Notice(kind="receipt", user_id=anna.pk)
            outbox.notify(notice)
            Outbox.objects.filter(pk=notice.id).update(status=Status.SENT, sent_to="x")
            mailing.write("I am away", to=return_paths.address(return_paths.BOUNCE, notice.id))
        case "report of nothing sent":
            for purpose in (return_paths.BOUNCE, return_paths.UNSUBSCRIBE):
                mailing.deliver((REPORTS / "postfix_unknown_user.eml").read_bytes(), to=return_paths.address(purpose, uuid4()))
    return [], 0


def test_each_silence_that_does_not_come_by_smtp_is_tested_at_its_door():
    assert set(ELSEWHERE) < set(SILENCES)
    assert all(callable(test) for test in ELSEWHERE.values())


@pytest.mark.parametrize("name", [name for name in SILENCES if name not in ELSEWHERE])
def test_each_silence_is_kept(name, to, mailing, letters, settings, monkeypatch, anna):  # noqa: F811
    kept, told = silent(name, to=to, mailing=mailing, settings=settings, monkeypatch=monkeypatch, anna=anna)
    mailing.work()
    assert list(InboundMail.objects.values_list("status", flat=True)) == kept
    assert len(mailing.sink.messages) == told
    assert not Bounce.objects.exists()


def test_operators_read_the_same_table():
    names = {
        Hears.NOTHING: "nothing",
        Hears.QUESTION: "question",
        Hears.REASON: "reason",
        Hears.ONCE: "reason, once a day for each match",
        Hears.WORDS: "receipt",
        Hears.SENDER: "sender, once a day",
        Hears.REPLY: "SMTP 550",
    }
    rows = [f"| `{code}` | {row.what} | {row.why} | {names[row.hears]} |" for code, row in REFUSALS.items()]
    table = "\n".join(["| reason | mail | why | the player hears |", "| --- | --- | --- | --- |", *rows])
    assert table in DOCUMENT.read_text(), table
