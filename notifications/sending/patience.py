"""The wait for a mail server's answer to a whole mail: longer than for any other answer, as RFC 5321, section 4.5.3.2 asks.

A server that filters what it takes may need a while. If nobody waits for its answer, the mail has been delivered all the same,
and goes out again at each try.
"""

from __future__ import annotations

import smtplib
from functools import partial

from django.core.mail.backends.base import BaseEmailBackend

from gamesvc.errors import GamesvcError

# As long as a sender can wait: a sweep that begins its last mail after `delivery.SWEEP_LASTS` stays within the limit of its task.
ANSWER_SECONDS = 50.0


class Unanswered(GamesvcError):
    """The server has got a whole mail and did not answer in time. It may have taken it."""


def wait_longer(connection: BaseEmailBackend) -> None:
    """Let an open SMTP connection wait `ANSWER_SECONDS` for the answer to a mail. Other backends have limits of their own."""
    link = getattr(connection, "connection", None)
    if isinstance(link, smtplib.SMTP):
        setattr(link, "data", partial(_data, link))  # noqa: B010


def _data(link: smtplib.SMTP, mail: bytes | str) -> tuple[int, bytes]:
    assert link.sock is not None
    usual = link.sock.gettimeout()
    link.sock.settimeout(ANSWER_SECONDS)
    try:
        answer: tuple[int, bytes] = type(link).data(link, mail)
    except smtplib.SMTPServerDisconnected as fault:
        if isinstance(fault.__context__, TimeoutError):
            raise Unanswered("no answer to the mail, which the server may have taken") from fault
        raise
    link.sock.settimeout(usual)
    return answer
