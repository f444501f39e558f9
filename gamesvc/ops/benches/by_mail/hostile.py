"""`bench mail_hostile`: mails made to cost as much as possible, through the door and the worker, beside an ordinary order.

Each row is one kind of mail, `value` its CPU time in the dearest of the four games, `raw` that of the ordinary order there,
`peak_mb` the most memory that Python held for it. Every mail comes from the player who is asked, and may hold orders: nothing of
the lenient grammar is spared. `result` is what became of it.
"""

from __future__ import annotations

import base64
import io
import random
import time
import tracemalloc
import uuid
from collections.abc import Callable
from typing import NamedTuple

from django.conf import settings
from django.utils import timezone

from accounts.addresses import add_verified_address
from accounts.models import User
from gamesvc.games import catalog
from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Match, Question
from gamesvc.matches.notices import reply_addresses
from gamesvc.matches.record import loading
from gamesvc.ops.benches import Row, row
from gamesvc.ops.match_limits import lift_match_limits
from notifications.inbound import destinations, pipeline
from notifications.models import InboundMail
from notifications.parsing import cutting
from notifications.parsing.reading import MOST_LINES
from notifications.parsing.text import LONGEST

OPTIONS = {"stratastar": {"homeworld_choice": "random"}}
MEGABYTE = 1_000_000
"""Bytes; a mail of this size is read whole."""
NAMES = " ".join(f"person{number}@elsewhere.example," for number in range(30_000))

Fields = list[str]
Shape = tuple[Fields, str]
"""Header fields, and a body."""


def _field(text: str) -> Callable[[], Shape]:
    return lambda: ([text], "pass\nEND\n")


def _body(text: str, kind: str = "text/plain; charset=utf-8") -> Callable[[], Shape]:
    return lambda: ([f"Content-Type: {kind}"], "\n".join(text[:MEGABYTE].split("\n")[: MOST_LINES - 20]))


def _parameters(number: int) -> str:
    return "Content-Type: text/plain;" + "".join(f"\r\n p{at}=1;" for at in range(number))


def _parts(number: int) -> Shape:
    body = "".join(f"--b\r\nContent-Type: text/plain\r\n\r\npass {at}\r\n" for at in range(number))
    return ["Content-Type: multipart/mixed; boundary=b"], f"{body}--b--\r\n"


def _within(number: int) -> Shape:
    body = "".join(f"--b{at}\r\nContent-Type: multipart/mixed; boundary=b{at + 1}\r\n\r\n" for at in range(number))
    return ["Content-Type: multipart/mixed; boundary=b0"], body


def _mails_in_mails(number: int) -> Shape:
    return ["Content-Type: message/rfc822"], "Content-Type: message/rfc822\r\n\r\n" * number + "\r\npass\r\n"


def _noise() -> str:
    rng = random.Random(1)
    return "".join(rng.choice("ab >|:;,.*\"'()<>-_=0123456789\n\täß\u200b\u0301") for _ in range(MEGABYTE // 2))


def _coded() -> Shape:
    coded = base64.b64encode(b"move A1\n" * (MEGABYTE // 12)).decode()
    return ["Content-Type: text/plain", "Content-Transfer-Encoding: base64"], coded


def _quoted_printable() -> Shape:
    return ["Content-Type: text/plain", "Content-Transfer-Encoding: quoted-printable"], "=\r\n" * 40_000 + "=41" * (MEGABYTE // 4)


HTML = "text/html; charset=utf-8"
TEXTS = {
    # What looks like quotations, orders, service words and remarks, as far as it goes.
    "am": "Am " * 300_000,
    "on_wrote": "On Monday, a player\nwrote, and\nwrote\n" * 20_000,
    "one_line": "a" * MEGABYTE,
    "one_line_of_words": "move A1 to A2 " * 70_000,
    "empty_lines": "\n" * MEGABYTE,
    "quote_marks": "> " * 400_000 + "\npass\nEND\n",
    "quoted_lines": "> pass\n" * 100_000,
    "rules": "-----Original Message-----\nFrom: a\n" * 20_000,
    "header_blocks": "From: a\nSent: b\nTo: c\nSubject: d\n" * 20_000,
    "orders": "pass\n" * 150_000,
    "orders_in_one_line": "pass; " * 150_000 + "\nEND\n",
    "orders_in_stars": "*pass* _pass_ \"pass\" 'pass'\n" * 30_000,
    "press": "press all: hello\n" * 50_000,
    "forms": "[ ] 1 pass\n[x] 2 pass\n" * 40_000,
    "dates": "vacation 24.12.2026 25.12.2026\n" * 30_000,
    "spaces_in_lines": ("pass" + " " * 5_000 + "x\n") * 190,
    "marks_above_letters": "e" + "\u0301" * 400_000,
    "invisible": "\u200b\u200d\ufeff" * 100_000 + "pass\nEND\n",
    "noise": _noise(),
}
SHAPES: dict[str, Callable[[], Shape]] = {
    "parameters_10000": _field(_parameters(10_000)),
    "parameters_85000": _field(_parameters(85_000)),
    "addresses_30000": _field(f"Cc: {NAMES}"),
    "encoded_words_30000": _field("Subject: " + "\r\n ".join(["=?utf-8?q?a?="] * 30_000)),
    "references": _field("References: " + "\r\n ".join(f"<{at}@a.example>" for at in range(30_000))),
    "comments_in_from": _field("Sender: " + "(" * 20_000 + "a" + ")" * 20_000),
    "fields_5000": lambda: ([f"X-{at}: a" for at in range(5_000)], "pass\nEND\n"),
    "continued_parameters": _field("Content-Type: text/plain;" + "".join(f"\r\n name*{at}*=a%20;" for at in range(5_000))),
    "one_header_line": _field("Subject: " + "a" * 900_000),
    "signatures_200": lambda: (["DKIM-Signature: v=1; a=rsa-sha256; d=a.example; s=x; bh=a; b=a; h=from"] * 200, "pass\nEND\n"),
    "parts_10000": lambda: _parts(10_000),
    "parts_99": lambda: _parts(99),
    "parts_within_parts": lambda: _within(2_000),
    "mails_within_mails": lambda: _mails_in_mails(2_000),
    "no_boundary": lambda: (["Content-Type: multipart/mixed"], "--\r\n" * 40_000),
    "base64": _coded,
    "quoted_printable": _quoted_printable,
    "html_unclosed": _body("<div>" * 200_000 + "pass", HTML),
    "html_quotes": _body("<blockquote>" * 50_000 + "pass" + "</blockquote>" * 50_000, HTML),
    "html_entities": _body("&lt;&#x41;&amp" * 60_000, HTML),
    "html_attributes": _body("<p " + "a=b " * 200_000 + ">pass</p>", HTML),
    "html_broken": _body("<!--<![CDATA[<? <" * 50_000, HTML),
    "html_style": _body("<style>" + "a{b:c}" * 100_000 + "</style>pass", HTML),
    **{name: _body(text) for name, text in TEXTS.items()},
    # As long as the words of a player may be, so that the grammar reads all of it.
    **{f"{name}_read": _body(text[: LONGEST - 20] + "\nEND\n") for name, text in TEXTS.items()},
}


class Cost(NamedTuple):
    """CPU seconds, bytes of Python's own memory, and what became of the mail."""

    seconds: float
    memory: int
    result: str


def rows(seconds: float) -> list[Row]:
    """Measure each mail in each game. `seconds` is not used: each is worked on twice."""
    lift_match_limits()
    settings.REPLY_DOMAIN, settings.INBOUND_AUTH = "reply.bench.example", "loopback"
    settings.INBOUND_ANSWERS_PER_DAY = MEGABYTE
    matches = [open_match(game) for game in catalog.OFFERED]
    for match in matches:
        _cost(match, _body("status\nEND\n"))  # the first mail finds everything cold
    ordinary = [_cost(match, _body("status\nEND\n")) for match in matches]
    found = []
    for name, shape in SHAPES.items():
        costs = [_cost(match, shape) for match in matches]
        dearest = max(range(len(costs)), key=lambda at: costs[at].seconds)
        found.append(
            row(
                f"hostile_{name}",
                costs[dearest].seconds * 1000,
                "ms",
                ordinary[dearest].seconds * 1000,
                peak_mb=round(max(cost.memory for cost in costs) / MEGABYTE, 1),
                result=" ".join(sorted({cost.result for cost in costs})),
            )
        )
    return found


def open_match(game: str) -> Match:
    users = [User.objects.create_user(name, f"{name}@players.example") for name in (f"a_{game}", f"b_{game}")]
    for user in users:
        add_verified_address(user, user.email)
    opened = opening.create_match(by=users[0], game=game, options=OPTIONS.get(game, {}), seats=2)
    return opening.join_match(by=users[1], match=opened)


def _cost(match: Match, shape: Callable[[], Shape]) -> Cost:
    """Work on a mail twice, the second time while Python counts its memory, which is slow."""
    settle = arrive(match, shape)
    began = time.process_time()
    result = settle()
    spent = time.process_time() - began
    settle = arrive(match, shape)
    tracemalloc.start()
    settle()
    _now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return Cost(spent, peak, result)


def arrive(match: Match, shape: Callable[[], Shape]) -> Callable[[], str]:
    """Return a function that takes a new mail of this kind in, works on it, and tells what became of it."""
    question = Question.objects.filter(match=match).order_by("seat")[0]
    user = match.seats.get(index=question.seat).user
    assert user is not None, "nobody has left a seat"
    loaded = loading.load(match.id, match.game)
    address = reply_addresses.reply_address(
        match=match, loaded=loaded, seat=question.seat, user=user, key=uuid.uuid4(), question=question
    )
    fields, body = shape()
    own = [f"From: {user.email}", f"To: {address}", f"Message-ID: <{uuid.uuid4()}@players.example>", "MIME-Version: 1.0"]
    raw = ("\r\n".join([*own, *fields]) + "\r\n\r\n" + body.replace("\r\n", "\n").replace("\n", "\r\n")).encode()

    def settle() -> str:
        destination = destinations.resolve(address)
        assert destination is not None, "the address is ours"
        mail = cutting.cut(io.BytesIO(raw))
        kept = destinations.keep(mail, destination, envelope_from=user.email, received_at=timezone.now())
        assert kept is not None, "its Message-ID is new"
        pipeline.work()
        stored = InboundMail.objects.get(pk=kept)
        return (stored.error or stored.status).split(":")[0]

    return settle
