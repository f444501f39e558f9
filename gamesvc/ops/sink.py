"""A small SMTP server that keeps the mails it gets, for tests and the demonstration. Never reachable from outside."""

from __future__ import annotations

import asyncio
import email
import email.policy
import re
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path

from aiosmtpd.smtp import SMTP, Envelope, Session

from notifications.inbound.doors.listening import listen

LARGEST = 10 * 1024 * 1024


@dataclass(frozen=True)
class CaughtMail:
    """One mail as received, its envelope, and the time in seconds."""

    message: EmailMessage
    raw: bytes
    sender: str
    recipients: tuple[str, ...]
    path: Path
    clock: float

    @property
    def subject(self) -> str:
        return str(self.message["Subject"] or "")

    @property
    def reason(self) -> str:
        return str(self.message["X-Game-Reason"] or "")

    def is_about(self, number: int) -> bool:
        """Return True if this is a mail about the match with a number."""
        return str(self.message["List-Id"] or "").startswith(f"<match-{number}.")

    @property
    def text(self) -> str:
        """Return the text/plain part, empty if there is none."""
        part = self.message.get_body(("plain",))
        return str(part.get_content()) if part is not None else ""

    @property
    def html(self) -> str:
        """Return the text/html part, empty if there is none."""
        part = self.message.get_body(("html",))
        return str(part.get_content()) if part is not None else ""


class MailSink:
    """An SMTP server on a free local port that writes each mail to `folder` as `.eml` and keeps it in `messages`.

    `refuse_recipient` and `refuse_mail` may be set to a function that answers an address, or the raw mail, with an SMTP reply
    such as `550 5.1.1 no such user`, or with None to take it.
    """

    def __init__(self, folder: Path | str, *, port: int = 0) -> None:
        self.folder = Path(folder)
        self.port = port
        self.refuse_recipient: Callable[[str], str | None] = lambda address: None
        self.refuse_mail: Callable[[bytes], str | None] = lambda raw: None
        self._caught: list[CaughtMail] = []
        self._changed = threading.Condition()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._serving = threading.Event()

    def start(self) -> MailSink:
        """Listen. A stopped sink may be started again, on the same port."""
        if self._thread is not None:
            raise RuntimeError("the mail sink is already running")
        self.folder.mkdir(parents=True, exist_ok=True)
        listening = listen("127.0.0.1", self.port)
        self.port = listening.getsockname()[1]
        self._loop = asyncio.new_event_loop()
        self._serving.clear()
        self._thread = threading.Thread(target=self._serve, args=(self._loop, listening), name="mail-sink", daemon=True)
        self._thread.start()
        self._serving.wait(timeout=10)
        return self

    def stop(self) -> None:
        """Stop listening and close connections. The mails stay. A second call does nothing."""
        if self._thread is None or self._loop is None:
            return
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=10)
        self._thread = self._loop = None

    def __enter__(self) -> MailSink:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def messages(self) -> list[CaughtMail]:
        """Return the mails so far, oldest first."""
        with self._changed:
            return list(self._caught)

    def to(self, address: str) -> list[CaughtMail]:
        """Return the mails so far for one address."""
        return [caught for caught in self.messages if address.lower() in (one.lower() for one in caught.recipients)]

    def wait_for(self, predicate: Callable[[CaughtMail], bool], timeout: float = 10.0) -> CaughtMail:
        """Return the first mail, present or future, for which `predicate` is true. Raises TimeoutError if none comes in time."""
        end = time.monotonic() + timeout
        seen = 0
        with self._changed:
            while True:
                for caught in self._caught[seen:]:
                    if predicate(caught):
                        return caught
                seen = len(self._caught)
                left = end - time.monotonic()
                if left <= 0:
                    raise TimeoutError(f"no such mail came within {timeout} s; {seen} others did")
                self._changed.wait(left)

    def _serve(self, loop: asyncio.AbstractEventLoop, listening: socket.socket) -> None:
        asyncio.set_event_loop(loop)
        server = loop.run_until_complete(
            loop.create_server(
                lambda: SMTP(_Handler(self), data_size_limit=LARGEST, enable_SMTPUTF8=True, loop=loop), sock=listening
            )
        )
        loop.call_soon(self._serving.set)
        try:
            loop.run_forever()
        finally:
            server.close()
            for task in asyncio.all_tasks(loop):
                task.cancel()
            loop.run_until_complete(asyncio.sleep(0))
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.close()

    def _keep(self, envelope: Envelope) -> str | None:
        raw = envelope.original_content or b""
        refusal = self.refuse_mail(raw)
        if refusal is not None:
            return refusal
        clock, message = time.time(), email.message_from_bytes(raw, policy=email.policy.default)
        with self._changed:
            recipients = tuple(envelope.rcpt_tos)
            name = re.sub(r"[^a-z0-9]+", "-", f"{recipients[0]} {message['Subject']}".lower()).strip("-")[:80]
            # Numbered after the existing files, so that a restarted sink overwrites nothing.
            path = self.folder / f"{len(list(self.folder.glob('*.eml'))) + 1:04d}-{name}.eml"
            path.write_bytes(raw)
            self._caught.append(CaughtMail(message, raw, envelope.mail_from or "", recipients, path, clock))
            self._changed.notify_all()
        return None


class _Handler:
    """The handler for aiosmtpd, which prescribes the names of the methods."""

    def __init__(self, sink: MailSink) -> None:
        self._sink = sink

    async def handle_RCPT(self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]) -> str:
        refusal = self._sink.refuse_recipient(address)
        if refusal is not None:
            return refusal
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        return self._sink._keep(envelope) or "250 taken"
