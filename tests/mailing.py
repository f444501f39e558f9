"""Play by mail in tests: real SMTP into our receiver, real SMTP out into a sink, workers run by hand."""

from __future__ import annotations

import re
import smtplib
import uuid
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import make_msgid
from pathlib import Path

import pytest
from django.db import connections

from accounts.addresses import add_verified_address
from gamesvc.ops.sink import MailSink
from notifications import outbox
from notifications.inbound import pipeline, store
from notifications.inbound.doors.receiver import Receiver
from notifications.models import InboundMail
from notifications.sending import delivery

FIXTURES = Path(__file__).parent / "fixtures" / "mail"


class Mailing:
    """Both directions of mail between players and the service."""

    def __init__(self, sink: MailSink, receiver: Receiver) -> None:
        self.sink = sink
        self.receiver = receiver

    def deliver(self, raw: bytes, *, to: str, sender: str = "anna@players.example", source: str = "127.0.0.1") -> None:
        """Hand a raw mail to the receiver, with a To line if it has none. `smtplib` exceptions are passed on."""
        raw = raw.replace(b"turn+" + b"a" * 26 + b"@reply.games.example", to.encode(), 1)  # in the fixtures
        if not re.search(rb"^to:", raw.partition(b"\r\n\r\n")[0], re.IGNORECASE | re.MULTILINE) and raw.startswith(b"From:"):
            raw = f"To: {to}\r\n".encode() + raw
        with smtplib.SMTP("127.0.0.1", self.receiver.port, timeout=10, source_address=(source, 0)) as client:
            client.sendmail(sender, [to], raw)

    def write(
        self,
        text: str,
        *,
        to: str,
        sender: str = "anna@players.example",
        message_id: str = "",
        source: str = "127.0.0.1",
        **headers: str,
    ) -> None:
        """Hand over a plain mail."""
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"] = f"Player <{sender}>", to, "Re: your turn"
        mail["Message-ID"] = message_id or make_msgid(domain="players.example")
        for name, value in headers.items():
            mail[name.replace("_", "-")] = value
        mail.set_content(text)
        self.deliver(mail.as_bytes(policy=SMTP), to=to, sender=sender, source=source)

    def work(self) -> None:
        """Do the workers' job: read all waiting mail, send all due notices."""
        pipeline.work()
        delivery.sweep()

    def last(self, to: str = "anna@players.example", subject: str = ""):
        return [mail for mail in self.sink.to(to) if subject in mail.subject][-1]

    def receipt(self, to: str = "anna@players.example"):
        return [mail for mail in self.sink.to(to) if mail.message["X-Game-Reason"] == "receipt"][-1]

    @property
    def newest(self) -> InboundMail:
        return InboundMail.objects.order_by("-received_at").first()


def verify(*users) -> None:
    for user in users:
        add_verified_address(user, f"{user.username}@players.example")


@pytest.fixture
def mailing(tmp_path, settings, monkeypatch, db):
    """The receiver shares the test's own database connection, so that its transaction is seen and rolled back."""
    monkeypatch.setattr(outbox, "wake", lambda ids: None)
    monkeypatch.setattr(store, "wake", lambda ids: None)
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST = "127.0.0.1"
    settings.MAIL_DOMAIN = "games.example"
    settings.DEFAULT_FROM_EMAIL = "Games <play@games.example>"
    settings.REPLY_DOMAIN = "reply.games.example"
    settings.INBOUND_AUTH = "loopback"
    settings.NOTICE_BATCH_MINUTES = 0
    connection = connections["default"]
    connection.inc_thread_sharing()

    def share() -> None:
        connections["default"] = connection

    try:
        with MailSink(tmp_path / "mail") as sink, Receiver("127.0.0.1", connect=share) as receiver:
            settings.EMAIL_PORT = sink.port
            yield Mailing(sink, receiver)
    finally:
        connection.dec_thread_sharing()


def fresh_id() -> str:
    return f"<{uuid.uuid4().hex}@players.example>"
