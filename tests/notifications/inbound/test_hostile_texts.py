"""Hostile text as the body, subject or sender's name of a mail: each mail is settled at once, and somebody hears of it."""

from __future__ import annotations

from base64 import b64encode

import pytest

from gamesvc.matches.lobby import opening
from notifications.inbound import held
from notifications.models import InboundMail, MailStatus, Outbox, Status
from tests.hostile import TEXTS
from tests.mailing import mailing, verify  # noqa: F401

pytestmark = [pytest.mark.django_db, pytest.mark.long]
SHAPES = {
    "a letter": lambda text: {"body": text},
    "an order": lambda text: {"body": f"place {text}\nEND"},
    "a condition": lambda text: {"body": f"if {text} then place {text}\nEND"},
    "a message": lambda text: {"body": f"press all {text}\nEND"},
    "a subject": lambda text: {"body": "board\nEND", "subject": text},
    "a name": lambda text: {"body": "board\nEND", "name": text},
}


def encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def words(text: str) -> bytes:
    """Return a text as encoded words (RFC 2047), folded."""
    data = encoded(text)[:6000]
    parts = [data[start : start + 42] for start in range(0, len(data), 42)]
    return b"\r\n ".join(b"=?utf-8?b?" + b64encode(part) + b"?=" for part in parts)


def letter(to: str, number: int, *, body: str, subject: str = "Re: your turn", name: str = "Anna") -> bytes:
    """Return a mail whose body and fields decode to these texts, whatever they hold."""
    head = [
        b"From: " + words(name) + b" <anna@players.example>",
        b"To: " + to.encode(),
        b"Subject: " + words(subject),
        f"Message-ID: <{number}@players.example>".encode(),
        b"Content-Type: text/plain; charset=utf-8",
        b"Content-Transfer-Encoding: base64",
    ]
    lines = b64encode(encoded(body))
    return b"\r\n".join([*head, b"", *(lines[start : start + 76] for start in range(0, len(lines), 76)), b""])


@pytest.fixture
def to(anna, ben, mailing, settings, monkeypatch):  # noqa: F811
    """The address under a turn mail to anna."""
    settings.INBOUND_ANSWERS_PER_DAY = settings.INBOUND_MAILS_PER_ADDRESS = settings.INBOUND_MAILS_PER_USER = 1_000_000
    monkeypatch.setattr(held, "QUESTIONS_A_DAY", 1_000_000)
    verify(anna, ben)
    opening.join_match(by=ben, match=opening.create_match(by=anna, game="stratastar"))
    mailing.work()
    return str(mailing.last().message["Reply-To"])


def test_no_text_in_a_mail_is_a_fault_of_ours(to, mailing):  # noqa: F811
    for number, (shape, label) in enumerate((shape, label) for shape in SHAPES for label in TEXTS):
        before = len(mailing.sink.messages)
        mailing.deliver(letter(to, number, **SHAPES[shape](TEXTS[label])), to=to)
        mailing.work()
        mail = mailing.newest
        assert (mail.status, mail.attempts) in [(MailStatus.DONE, 1), (MailStatus.REFUSED, 1)], (shape, label, mail.error)
        assert len(mailing.sink.messages) > before, (shape, label, mail.status, mail.error)
    assert InboundMail.objects.count() == len(SHAPES) * len(TEXTS)
    assert not Outbox.objects.filter(status=Status.FAILED).exists()
