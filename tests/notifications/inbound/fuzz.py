"""Mutated mails through the reading stages of the pipeline: none may crash it, and none may give orders nobody wrote.

    FUZZ_MAILS=100000 pytest -n 0 tests/notifications/inbound/test_fuzz.py -s

A fixture is damaged at random: bytes changed, cut, inserted; headers inserted, charsets and encodings renamed. The result of
the stages must be a refusal or orders. The fixtures quote our own notice, whose last order is `end turn`; nobody wrote that
one, so it must never be among the orders to carry out. That very line is never damaged, nor the lines that mark a file as
attached or a mail as automatic: a mail without such a mark was written by a person.
"""

from __future__ import annotations

import random
import re
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gamesvc.games import catalog
from gamesvc.games.kernel.dice import seeded
from gamesvc.games.kernel.timeline import Timeline, check_options
from gamesvc.matches.mail_orders import order_mail
from notifications.inbound import destinations
from notifications.inbound.proving.sender import sender_of
from notifications.parsing import automatic, reading, robots, text
from notifications.parsing.refusals import MailRefused

FIXTURES = Path(__file__).parents[2] / "fixtures" / "mail"
ODD = [
    b"\r\n", b"\n\n", b"\x00", b"\xff\xfe", b"=?utf-8?q?", b"=?utf-8?b?AA==?=", b'";', b"<", b"@", b"=ED=A0=80", b"&#xD800;",
    b"Content-Type: ", b"From: ", b"Auto-Submitted: \x00\r\n", b"Content-Type: text/html\r\n", b"charset=utf-7", b"charset=rot13",
    b"Content-Transfer-Encoding: base64\r\n", b"Content-Transfer-Encoding: x-uuencode\r\n", b"\xe2\x80\xae", b"\xe2\x80\x8b",
    b"format=flowed; delsp=yes", b'boundary=""', b"END\n", b"> ", b"\t", b"MIME-Version: 2.0\r\n", b"\xc0\xaf", b"=20\n", b"*0*=",
    b"--", b"=", b"\r", b"\rFrom: x@evil.example\r", b"\nFrom: x@evil.example, ",
    b'Content-Type: multipart/mixed; boundary="b"\n\n--b\n',
]  # fmt: skip
CANARY = "end turn"
_CANARY_LINE = re.compile(
    rb"\n[^\n]*end turn[^\n]*(\n[^\n]*){1,2}|\nContent-Disposition: attachment[^\n]*|\nAuto-Submitted:[^\n]*"
)


@dataclass
class Findings:
    """Results of the mutated mails: how each ended, crashes, and orders that nobody wrote."""

    ended: Counter[str] = field(default_factory=Counter)
    crashes: list[tuple[int, str]] = field(default_factory=list)
    leaks: list[tuple[int, str]] = field(default_factory=list)
    slowest: float = 0.0
    """CPU seconds of the slowest mail, for printing. Tests judge no times."""


def samples() -> list[tuple[str, bytes]]:
    return [(path.stem, path.read_bytes()) for path in sorted(FIXTURES.glob("*.eml"))]


def position() -> tuple[Any, Mapping[str, Any]]:
    """Return a game and a view to parse orders against."""
    game = catalog.game("stratastar")
    timeline = Timeline(game)
    run = timeline.begin(check_options(game, {"homeworld_choice": "random"}, 2), 2, seeded("fuzz"))
    run.close()
    timeline.follow(run)
    return game, game.view(timeline.state, 0)


def mutated(rng: random.Random, raw: bytes) -> bytes:
    """Return a damaged mail. The line that nobody wrote, and the one right below it, stay intact."""
    for _ in range(rng.randrange(1, 9)):
        if not raw:
            return b"x"
        at = rng.randrange(len(raw))
        length = rng.randrange(1, 40)
        kept = [found.span() for found in _CANARY_LINE.finditer(raw)]
        if any(start <= at + length and at <= end for start, end in kept):
            continue
        match rng.randrange(12):
            case 0 | 1 | 2:
                raw = raw[:at] + bytes([rng.randrange(256)]) + raw[at + 1 :]
            case 3 | 4 | 5:
                raw = raw[:at] + raw[at + length :]
            case 6 | 7 | 8:
                raw = raw[:at] + rng.choice(ODD) + raw[at:]
            case 9 | 10:
                raw = raw[:at] + rng.choice(ODD) + raw[at + length :]
            case _:
                raw = rng.choice(ODD) + raw
    return raw


def orders_of(raw: bytes, game: Any, view: Mapping[str, Any]) -> list[str]:
    """Return the orders that a mail would carry out, as the pipeline reads it. Raises `MailRefused`."""
    reading.message_id(raw)
    destinations.addressed_to(reading.headers_of(raw))
    headers = reading.parse_head(raw)
    robots.check_marks(headers)
    sender = sender_of(headers)
    robots.check_person(headers, envelope_from=sender, sender=sender)
    message = reading.parse(raw)
    own, below, _quoting, perhaps_quoted = text.written(message)
    lines = order_mail.read(own, game, view, (), below, perhaps_quoted)
    if automatic.is_automatic(message, own) and all(line.word != "press" for line in lines):
        return []  # held: its sender is asked first
    if order_mail.unreadable(lines):
        return []  # one unreadable line stops the whole mail
    return [line.understood for line in lines if line.is_order]


def run(count: int, seed: int = 1) -> Findings:
    """Damage and read `count` mails."""
    findings, rng = Findings(), random.Random(seed)
    game, view = position()
    mails = samples()
    for at in range(count):
        name, raw = rng.choice(mails)
        raw = mutated(rng, raw)
        began = time.process_time()
        try:
            orders = orders_of(raw, game, view)
        except MailRefused as refused:
            findings.ended[refused.code] += 1
            continue
        except Exception as fault:
            findings.crashes.append((at, f"{name}: {type(fault).__name__}: {fault}"))
            continue
        finally:
            findings.slowest = max(findings.slowest, time.process_time() - began)
        findings.ended["orders" if orders else "nothing done"] += 1
        if CANARY in orders:
            findings.leaks.append((at, f"{name}: {orders}"))
    return findings
