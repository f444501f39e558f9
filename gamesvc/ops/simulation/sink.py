"""The mail server of a simulation: it takes mails, refuses some, and writes one line for each before it answers.

It is a separate process, so its list is complete whatever happens to the sender.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from email.parser import BytesHeaderParser
from pathlib import Path

from aiosmtpd.smtp import SMTP, Envelope, Session

from gamesvc.ops.simulation.clock import VirtualClock
from notifications.inbound.doors.listening import listen

# Addresses that contain this are unknown to the server.
NOBODY = "nobody."
_FORK = multiprocessing.get_context("fork")


@dataclass(frozen=True, slots=True)
class Taken:
    """The server's treatment of one mail.

    `sender` is its return path, unique to each notice; `at` is the virtual moment, `clock` the machine's, in seconds.
    """

    message_id: str
    sender: str
    code: int
    at: datetime
    clock: float


class Sink:
    """An SMTP server on a free local port. `busy`: the share of mails it defers."""

    def __init__(self, folder: Path, clock: VirtualClock, *, seed: str, busy: float = 0.0) -> None:
        self._file = folder / "mails.jsonl"
        self._clock, self._seed, self._busy = clock, seed, busy
        self._listening = listen("127.0.0.1")
        self.port: int = self._listening.getsockname()[1]
        self._process = _FORK.Process(target=self._serve, name="simulated mail server", daemon=True)

    def start(self) -> None:
        self._process.start()
        self._listening.close()

    def stop(self) -> None:
        self._process.terminate()
        self._process.join()

    def taken(self) -> Iterator[Taken]:
        """Yield the mails so far, in order."""
        if not self._file.exists():
            return
        with self._file.open(encoding="utf-8") as lines:
            for line in lines:
                told = json.loads(line)
                yield Taken(**{**told, "at": datetime.fromisoformat(told["at"])})

    def _serve(self) -> None:
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        handler = _Handler(self._file, self._clock, random.Random(f"{self._seed} mail"), self._busy)
        loop.run_until_complete(loop.create_server(lambda: SMTP(handler, enable_SMTPUTF8=True, loop=loop), sock=self._listening))
        loop.run_forever()


class _Handler:
    """The handler for aiosmtpd, which prescribes the names of the methods."""

    def __init__(self, file: Path, clock: VirtualClock, rng: random.Random, busy: float) -> None:
        self._out = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._clock, self._rng, self._busy = clock, rng, busy

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        clock, code = time.time(), 250
        answer = "250 taken"
        if NOBODY in envelope.rcpt_tos[0]:
            code, answer = 550, "550 5.1.1 no such user"
        elif self._rng.random() < self._busy:
            code, answer = 451, "451 4.3.2 busy, try again later"
        content = envelope.original_content or b""
        head = BytesHeaderParser().parsebytes(content)
        told = {
            "message_id": str(head["Message-ID"]).strip(),
            "sender": str(envelope.mail_from),
            "code": code,
            "at": self._clock.now().isoformat(),
            "clock": clock,
        }
        os.write(self._out, json.dumps(told).encode() + b"\n")
        return answer
