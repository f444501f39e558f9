"""Mails made to be slow to read, with as much text as a mail may have: each is read within the limits of CPU and memory."""

from __future__ import annotations

import tracemalloc

import pytest

from gamesvc.matches.mail_orders import order_mail
from notifications.parsing import reading, text
from notifications.parsing.limits import cpu_limit
from notifications.parsing.refusals import MailRefused
from tests.mail_replies.positions import position

LARGEST_PEAK = 64 * 1024 * 1024
HEAD = "From: a@x.example\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n"
SLOWEST = {
    "a letter a line": "x\n",
    "a mistyped word a line": "mvoe\n",
    "a message of many lines": "press all:\n" + "a\n" * 9_700,
    "a sentence's marks within one long order": "move" + " ." * 9_600 + "a\n",
    "orders right between quoted lines": "> x\nend\n",
}
OTHERS = {
    "orders": "move D4 D3 2F paid\n",
    "orders in one line": "end; ",
    "orders in many lines": "end;end turn\n",
    "one long order": "move " + "D4 " * 6_000,
    "one long list": "move " + "a1+" * 6_000,
    "messages": "press all: hello\n",
    "attributions": "On Friday, X wrote:\n",
    "labels": "a:\n",
    "bullets": "- ",
    "numbers": "1. ",
    "quotation marks": '"',
    "asterisks": "**",
    "brackets": "(",
    "comments": "a # b ",
    "closing lines": "Cheers,\nBob\n",
    "revocations": "stop\n",
    "paragraphs": "ab\n\n",
    "names": "Anna\n\n",
    "conditional orders": "standing if a b=1 then end\n",
    "tried orders": "preview\n" + "move D4 D3\n" * 1_700,
    "vacations": "vacation 1.1.2026\n",
    "ids": "a1 ",
    "cards": "card x\n",
    "help": "help zz\n",
    "broken lines": "x" * 61 + "\n",
    "broken orders": "move D4 D3 " + "2F " * 20 + "\n",
    "digits": "9",
    "marks": "✓",
    "openings": "new x y z w\n",
}


def body(piece: str) -> bytes:
    longest = text.LONGEST - 500
    return (HEAD + (piece * (longest // len(piece) + 1))[:longest]).encode()


def read(raw: bytes, game: str) -> list[order_mail.Line]:
    here = position(game)
    written = text.written(reading.parse(raw))
    return order_mail.read(written.own, here.game, here.view, ("anna", "ben"), written.below, written.perhaps_quoted)


@pytest.mark.parametrize("game", ["stratastar", "space_war"])
@pytest.mark.parametrize(
    "name", [*SLOWEST, *(pytest.param(name, marks=pytest.mark.long) for name in OTHERS)], ids=lambda name: name.replace(" ", "-")
)
def test_hostile_orders_are_read_within_the_cpu_limit(name: str, game: str) -> None:
    """`cpu_limit` refuses as `too_slow` what takes longer."""
    ended, lines = "read", []
    try:
        with cpu_limit():
            lines = read(body((SLOWEST | OTHERS)[name]), game)
    except MailRefused as refused:
        ended = refused.code
    assert ended in ("read", "empty")
    assert len(lines) <= order_mail.MOST_LINES + 2


@pytest.mark.long
@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", SLOWEST, ids=lambda name: name.replace(" ", "-"))
def test_hostile_orders_take_little_memory(name: str) -> None:
    raw = body(SLOWEST[name])
    read(raw, "stratastar")  # fills the caches
    tracemalloc.start()
    try:
        read(raw, "stratastar")
        _now, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < LARGEST_PEAK
