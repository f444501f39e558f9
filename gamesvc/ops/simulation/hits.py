"""A mail backend whose process dies between the mail server's 250 and the commit, at a chosen mail.

That is the one moment at which a mail can go out twice: the server has it, and no row says so.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import ClassVar

from django.core.mail import EmailMessage
from django.core.mail.backends.smtp import EmailBackend


class DyingBackend(EmailBackend):
    """Django's SMTP backend. `left`: the process dies at that many mails from now; None: never."""

    left: ClassVar[int | None] = None
    pipe: ClassVar[Connection | None] = None

    @classmethod
    def arm(cls, left: int | None, pipe: Connection) -> None:
        cls.left, cls.pipe = left, pipe

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        taken = super().send_messages(email_messages)  # a refusal by the server raises, and does not count
        cls = DyingBackend
        if cls.left is not None and taken:
            cls.left -= len(email_messages)
            if cls.left <= 0 and cls.pipe is not None:
                cls.pipe.send(("hit", email_messages[-1].extra_headers["Message-ID"], time.time()))
                os.kill(os.getpid(), signal.SIGKILL)
        return int(taken or 0)
