"""One connection to the mail receiver: limits on its time, its commands and its guesses, and a body stored on disk.

aiosmtpd keeps the lines of a body in memory, each as a separate object, and a line without an end as a whole. Here a body is
written to a temporary file as it comes (in `TMPDIR`), and whatever exceeds a limit is discarded.
"""

from __future__ import annotations

import asyncio
import logging
import re
import tempfile
from collections.abc import Callable, Sequence
from typing import IO, Any, AnyStr

from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, syntax
from django.conf import settings

from notifications.inbound.doors.gate import CROWDED, Gate, network_of
from notifications.parsing.reading import LARGEST, PLAIN_ADDRESS

log = logging.getLogger(__name__)

# Bodies up to this many bytes stay in memory: most answers are shorter.
IN_MEMORY = 16 * 1024
# Bytes of one transfer read from the socket at once.
READ_AT_ONCE = 16 * 1024
# RFC 5321 section 4.5.3.1.6, with the dot that may precede it.
LONGEST_LINE = 1001
# A body up to this many times the limit is read to its end before it is refused; beyond that the connection is closed.
DRAINED = 2
TIME_OUT = "421 4.4.2 You have been silent for too long"
TOO_LONG = "421 4.4.2 This connection has lasted too long, please open another one"
LONG_LINE = "500 5.5.2 A line has at most 1000 bytes (RFC 5321 section 4.5.3.1.6)"
LARGE = "552 5.3.4 The mail is larger than 10 MB: send your orders alone, as plain text without attachments"
LARGE_FOR_EVER = "421 4.3.4 The mail is larger than this server takes"
_ANNOUNCED = "552 Error: message size"
NO_ROOM = "452 4.3.1 There is no room for the mail now, try again later"
# The address of a command in a form that the library's parser reads alike.
_PLAIN = re.compile(rf"<({PLAIN_ADDRESS})>(?:\Z| (?=[A-Z]))")
MOST_MISTAKES = 20
"""Lines of one connection that are no command: the library answers empty ones for ever, and keeps all others waiting."""
MISTAKEN = "421 4.5.2 Too many lines that are no command"
_MISTAKE = ("500 Error", "500 Command")  # the library's


class Limited(SMTP):
    """SMTP within limits. `gate` counts the connection; `handle_DATA` finds the body in `envelope.content`, as a file."""

    def __init__(self, handler: object, *, gate: Gate, **options: Any) -> None:
        super().__init__(handler, command_call_limit=settings.MAILSERVER_COMMANDS, **options)
        self.gate = gate
        self.network = ""
        self.unknown = 0
        self.mistakes = 0
        self._refused = False
        self._ends: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.network = network_of(transport.get_extra_info("peername"))
        refusal = self.gate.enter(self.network, self._give_way)
        if refusal:
            self._refused = True
            _say_goodbye(transport, refusal)
            return
        transport.max_size = READ_AT_ONCE  # type: ignore[attr-defined]  # of asyncio's transports over a socket
        self._ends = self.loop.call_later(settings.MAILSERVER_SESSION_SECONDS, self._hang_up, TOO_LONG)
        super().connection_made(transport)

    def connection_lost(self, error: Exception | None) -> None:
        if self._refused:
            return
        if self._ends is not None:
            self._ends.cancel()
        self.gate.leave(self._give_way)
        super().connection_lost(error)

    def data_received(self, data: bytes) -> None:
        if not self._refused:
            super().data_received(data)

    def eof_received(self) -> bool | None:
        return None if self._refused else super().eof_received()

    async def push(self, status: AnyStr) -> None:
        """Send a reply; 421 is the last one (RFC 5321 section 3.8)."""
        if isinstance(status, str) and status.startswith(_ANNOUNCED):  # the library's, to a size named in advance
            await super().push(LARGE)
            return
        if isinstance(status, str) and status.startswith(_MISTAKE):
            self.mistakes += 1
            if self.mistakes >= MOST_MISTAKES:
                await self.push(MISTAKEN)
                return
        await super().push(status)
        if status[:3] in ("421", b"421") and self.transport is not None:
            self.transport.close()

    def guessed(self) -> bool:
        """Count an unknown address. Return True if it was one too many for the connection or, in this hour, for its network.

        A mail server in front of us passes on everyone's guesses over its connections: it gets the refusal, but is never
        disconnected.
        """
        if settings.INBOUND_AUTH == "border":
            return False
        self.unknown += 1
        beyond = self.gate.guess(self.network)
        return beyond or self.unknown >= int(settings.MAILSERVER_UNKNOWN_PER_CONNECTION)

    def _getaddr(self, arg: str) -> tuple[str | None, str | None]:
        """Return the address of a command, None if there is none, and what follows it.

        The library's parser takes a fifth of the time of a mail.
        """
        plain = _PLAIN.match(arg)
        if plain is None:
            found: tuple[str | None, str | None] = super()._getaddr(arg)
            return found
        return plain[1], arg[plain.end() :]

    def _getparams(self, params: Sequence[str]) -> dict[str, str | bool] | None:
        """Return the parameters of a command; None if one is no parameter, or a size that the library would fail at: `²`."""
        found: dict[str, str | bool] | None = super()._getparams(params)
        size = "" if found is None else str(found.get("SIZE", ""))
        return found if size.isascii() else None

    @syntax("DATA")
    async def smtp_DATA(self, arg: str) -> None:
        assert self.envelope is not None
        if await self.check_helo_needed():
            return
        if not self.envelope.rcpt_tos:
            await self.push("503 Error: need RCPT command")
            return
        if arg:
            await self.push("501 Syntax: DATA")
            return
        await self.push("354 End data with <CR><LF>.<CR><LF>")
        with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY) as body:
            try:
                status = self.for_each(await self._read_body(body), len(self.envelope.rcpt_tos))
                if not status:
                    self.envelope.content = body  # type: ignore[assignment]
                    status = await self._call_handler_hook("DATA")
            finally:
                self.gate.end_large(body)
        self._set_post_data_state()  # type: ignore[no-untyped-call]
        await self.push(status)

    def for_each(self, reply: str, recipients: int) -> str:
        """Return the replies to a mail that is refused as a whole: one is enough in SMTP."""
        return reply

    async def _read_body(self, file: IO[bytes]) -> str:
        """Write the body before the lone dot to `file`. Return the reply that refuses it, or an empty text."""
        body = _Body(file, self.data_size_limit or 0, lambda: self.gate.begin_large(file, self.network))
        # The end of the command's own line may begin the end of the mail: then the mail is empty.
        self._reader._buffer[:0] = b"\r\n"  # type: ignore[attr-defined]  # there is no public way to put it back
        while body.size <= DRAINED * body.limit:
            try:
                body.take((await self._reader.readuntil(b"\r\n.\r\n"))[:-3])
                return body.refusal
            except asyncio.LimitOverrunError as fault:
                body.take(await self._reader.read(fault.consumed))
        return LARGE_FOR_EVER

    def _timeout_cb(self) -> None:
        self._hang_up(TIME_OUT)

    def _give_way(self) -> None:
        self._hang_up(CROWDED)

    def _hang_up(self, reply: str) -> None:
        log.info("%r is hung up on: %s", self.network, reply, extra={"status_code": 421})
        if self.transport is not None:
            _say_goodbye(self.transport, reply)


class LimitedLMTP(Limited, LMTP):
    """LMTP within the same limits."""

    def for_each(self, reply: str, recipients: int) -> str:
        """Return one reply for each recipient (RFC 2033 section 4.2), unless it is the last one of the connection."""
        return reply if reply.startswith("421") else "\r\n".join([reply] * recipients) if reply else ""


class _Body:
    """The body of one mail on its way to a file. `refusal` is the reply once it exceeds a limit; then nothing is kept."""

    def __init__(self, file: IO[bytes], limit: int, may_be_large: Callable[[], bool] = lambda: True) -> None:
        self.file = file
        self.limit = limit
        self.may_be_large = may_be_large
        self.size = -2  # the line break that was put before it
        self.refusal = ""
        self._line = 0
        self._before = b""

    def take(self, chunk: bytes) -> None:
        """Write one more piece, without the doubled dots (RFC 5321 section 4.5.2)."""
        first, self.size = self.size < 0, self.size + len(chunk)
        lengths = [len(part) for part in chunk.split(b"\n")]
        lengths[0] += self._line
        self._line = lengths[-1]
        if max(lengths) >= LONGEST_LINE:
            self.refusal = self.refusal or LONG_LINE
        if self.size > self.limit:
            self.refusal = self.refusal or LARGE
        if self.size > LARGEST and not self.refusal and not self.may_be_large():
            self.refusal = NO_ROOM
        joined = self._before + chunk
        skipped, self._before = 2 if first else len(self._before), joined[-2:]
        if self.refusal:
            return
        try:
            self.file.write(joined.replace(b"\r\n.", b"\r\n")[skipped:])
        except OSError:
            log.exception("a mail could not be spooled; the sender is asked to come back")
            self.refusal = NO_ROOM


def _say_goodbye(transport: asyncio.BaseTransport, reply: str) -> None:
    """Hang up with a last reply. A sender that takes no replies gets none: they would be kept for it as long as it likes."""
    assert isinstance(transport, asyncio.WriteTransport)
    transport.write(reply.encode() + b"\r\n")
    if transport.get_write_buffer_size():
        transport.abort()
    else:
        transport.close()
