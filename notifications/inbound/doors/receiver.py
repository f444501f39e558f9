"""Our own mail receiver: a small SMTP or LMTP server that stores each mail raw before it accepts it.

It belongs behind a mail server, or on this machine for trials. Unknown addresses are refused at RCPT, so no bounce is ever sent.
While the database is down, the sender's server is asked to try again.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import socket
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import IO, Any, TypeVar
from uuid import UUID

from aiosmtpd.smtp import Envelope, Session
from django.conf import settings
from django.db import DatabaseError, InterfaceError, close_old_connections
from django.utils import timezone

from notifications.inbound import destinations, store
from notifications.inbound.destinations import Destination
from notifications.inbound.doors import rates
from notifications.inbound.doors.connection import Limited, LimitedLMTP
from notifications.inbound.doors.gate import GUESSED, Gate, counts_networks
from notifications.inbound.doors.listening import listen
from notifications.inbound.proving.authentication import check_mode
from notifications.parsing import cutting, reading
from notifications.parsing.cutting import Cut

log = logging.getLogger(__name__)

MOST_RECIPIENTS = 20
IDLE_SECONDS = 120.0
THREADS = 4
TOGETHER_SECONDS = 0.05
COME_BACK = "451 4.3.0 Try again later"
TAKEN = "250 2.0.0 Taken"
SLOWER = "451 4.7.1 Too many mails to this address within an hour, try again later"
T = TypeVar("T")


class Receiver:
    """A server on `host` and `port` (0: any free one), once `start` is called.

    Raises `ImproperlyConfigured` if `INBOUND_AUTH` forbids this interface. `connect` runs before each database query, in its
    thread.
    """

    def __init__(
        self, host: str, port: int = 0, *, lmtp: bool = False, connect: Callable[[], None] = close_old_connections
    ) -> None:
        check_mode(host)
        self.host = host
        self.port = port
        self.lmtp = lmtp
        self._connect = connect
        self._workers = ThreadPoolExecutor(THREADS, thread_name_prefix="mail-store")
        self._hints = _Hints(self._workers)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._serving = threading.Event()

    def start(self) -> Receiver:
        """Listen. Returns once connections are accepted."""
        listening = listen(self.host, self.port)
        self.port = listening.getsockname()[1]
        self._loop = asyncio.new_event_loop()
        self._serving.clear()
        self._thread = threading.Thread(target=self._serve, args=(self._loop, listening), name="mail-receiver", daemon=True)
        self._thread.start()
        self._serving.wait(timeout=10)
        return self

    def stop(self) -> None:
        """Stop listening. Mail that was not accepted will be sent again by its sender's server."""
        if self._thread is None or self._loop is None:
            return
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=10)
        self._workers.shutdown()
        self._thread = self._loop = None

    def __enter__(self) -> Receiver:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _serve(self, loop: asyncio.AbstractEventLoop, listening: socket.socket) -> None:
        asyncio.set_event_loop(loop)
        kind, gate = LimitedLMTP if self.lmtp else Limited, Gate()

        def protocol() -> Limited:
            return kind(
                _Handler(self._workers, self._connect, self._hints, lmtp=self.lmtp),
                gate=gate,
                data_size_limit=cutting.LARGEST_TAKEN,
                enable_SMTPUTF8=True,
                hostname=settings.REPLY_DOMAIN or "localhost",
                ident="mail",
                timeout=IDLE_SECONDS,
                loop=loop,
            )

        server = loop.run_until_complete(loop.create_server(protocol, sock=listening))
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


class _Hints:
    """Notifies the workers of the mails of all connections, together for a moment: a hint costs as much as storing a mail."""

    def __init__(self, workers: ThreadPoolExecutor) -> None:
        self._workers = workers
        self._ids: list[UUID] = []

    def add(self, ids: Iterable[UUID]) -> None:
        """Note mails that are stored. Call it in the event loop."""
        if not self._ids:
            asyncio.get_running_loop().call_later(TOGETHER_SECONDS, self._publish)
        self._ids += ids

    def _publish(self) -> None:
        ids, self._ids = self._ids, []
        self._workers.submit(store.wake, ids)


class _Handler:
    """The handler for aiosmtpd, which prescribes the names of the methods."""

    def __init__(self, workers: ThreadPoolExecutor, connect: Callable[[], None], hints: _Hints, *, lmtp: bool) -> None:
        self._workers = workers
        self._connect = connect
        self._hints = hints
        self._lmtp = lmtp
        self._known: dict[str, Destination] = {}

    async def handle_RCPT(self, server: Limited, session: Session, envelope: Envelope, address: str, options: list[str]) -> str:
        if len(envelope.rcpt_tos) >= MOST_RECIPIENTS:
            return "452 4.5.3 Too many recipients"
        try:
            found = await self._ask(lambda: _destination(address, envelope.mail_from or "", server.network))
        except (DatabaseError, InterfaceError):
            log.exception("the database does not answer; the sender is asked to come back")
            return COME_BACK
        except rates.TooMuchMail:
            return SLOWER
        if found is None:
            return GUESSED if server.guessed() else "550 5.1.1 No such address"
        envelope.rcpt_tos.append(address)
        self._known[address] = found
        return "250 2.1.5 OK"

    async def handle_DATA(self, server: Limited, session: Session, envelope: Envelope) -> str:
        body: Any = envelope.content
        known = [self._known[recipient] for recipient in envelope.rcpt_tos]
        taken = _Taken(body, envelope.mail_from or "", timezone.now())
        loop = asyncio.get_running_loop()
        results = await loop.run_in_executor(self._workers, lambda: [taken.keep(one, self._connect) for one in known])
        if stored := [result for result in results if isinstance(result, UUID)]:
            self._hints.add(stored)
        replies = [result if isinstance(result, str) else TAKEN for result in results]
        if self._lmtp:
            return "\r\n".join(replies)
        # SMTP has one reply for all recipients: mails already stored are recognised when they come again.
        return next((reply for reply in (COME_BACK, SLOWER) if reply in replies), replies[0])

    async def handle_exception(self, error: Exception) -> str:
        """Ask the sender to try again after a fault of ours: a mail refused for good would be lost."""
        log.error("a connection met a fault", exc_info=error)
        return COME_BACK

    async def _ask(self, question: Callable[[], T]) -> T:
        """Run a blocking database query in a thread, on a live connection."""

        def run() -> T:
            self._connect()
            return question()

        return await asyncio.get_running_loop().run_in_executor(self._workers, run)


def _destination(address: str, sender: str, network: str) -> Destination | None:
    """Return the destination of an address. Raises `TooMuchMail` if it takes no more from this network for now."""
    destination = destinations.resolve(address)
    if destination is not None and counts_networks():
        rates.check_any(destination, sender, network=network)
    return destination


class _Taken:
    """A spooled mail that is to be stored for each of its recipients, a large one without its attachments.

    It is in memory only meanwhile, and at most one per thread. It is cut once: reading a large one takes seconds.
    """

    def __init__(self, body: IO[bytes], envelope_from: str, received_at: datetime) -> None:
        self._body = body
        self._envelope_from = envelope_from
        self._received_at = received_at

    @functools.cached_property
    def _mail(self) -> Cut:
        self._body.seek(0)
        return cutting.cut(self._body)

    def keep(self, destination: Destination, connect: Callable[[], None]) -> UUID | str | None:
        """Store the mail for one recipient and return its id; None if it needs no work, or the reply that puts it off.

        Behind a mail server of ours its verdict in the headers identifies the sender.
        """
        try:
            connect()
            if not counts_networks():
                rates.check_any(destination, self._envelope_from, headers=reading.headers_of(self._mail.raw))
            return destinations.keep(self._mail, destination, envelope_from=self._envelope_from, received_at=self._received_at)
        except (DatabaseError, InterfaceError):
            log.exception("a mail could not be stored; the sender is asked to come back")
            return COME_BACK
        except rates.TooMuchMail:
            return SLOWER
