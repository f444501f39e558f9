"""The time to read a text grows at most in proportion to its length, whatever it contains.

Steps of Python are counted, which is the same on every machine. That misses the inside of regular expressions, so everything also
runs at full length in a process that the operating system ends if it takes too much CPU.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture import growth
from tests.architecture.test_layout import tracked
from tests.notifications.inbound import providers

ROOT = Path(__file__).parents[2]
# Work that does not depend on the length: tables that are filled once, patterns that are compiled.
ONCE = 3000
# The slowest piece takes half a second on a slow machine; without the limits it took minutes.
CPU_SECONDS = 30
NAMED = re.compile(r"_?(?:parse|read|search)")
LISTED = {
    "gamesvc/api/live/messages.py read_cursor": "cursor of a stream",
    "gamesvc/api/v1/places.py read": "cursor of a list",
    "gamesvc/matches/clock/parsing.py _parsed": "time control",
    "gamesvc/matches/mail_orders/joining/join_lines.py read": "invitation",
    "gamesvc/matches/mail_orders/joining/join_lines.py _read_yes": "invitation",
    "gamesvc/matches/mail_orders/order_mail.py read": "orders of stratastar",
    "gamesvc/matches/mail_orders/order_mail.py _reads": "orders of stratastar",
    "gamesvc/matches/mail_orders/standing_mail.py read": "words for the standing address",
    "gamesvc/matches/play/standing_orders.py _read": "value in a condition",
    "gamesvc/matches/play/suggestions.py parse": "suggestions of stratastar",
    "gamesvc/web/games/searching.py search": "search of the rules",
    "notifications/inbound/proving/sender.py _readings": "From",
    "notifications/other_channels/chat_services.py _parsed": "chat address",
    "notifications/parsing/dsn.py read": "delivery report",
    "notifications/parsing/reading.py parse": "raw mail",
    "notifications/parsing/reading.py parse_parts": "raw mail",
    "notifications/parsing/reading.py parse_head": "Subject",
}
"""The functions that read text, and the reader in `growth` that gives it to them."""
OTHERS = {
    "accounts/network.py _parse": "hands the text to `ipaddress`",
    "events/canonical.py read_record": "what the service wrote",
    "events/canonical.py read_time": "what the service wrote",
    "events/proofs/checkpoints.py read_file": "what the service wrote",
    "events/proofs/statements.py read_key": "what the service wrote",
    "events/proofs/statements.py read_seeds": "what the service wrote",
    "gamesvc/matches/access/authority.py read_reason": "compares its length alone",
    "gamesvc/matches/clock/account.py _read": "what the service wrote",
    "gamesvc/matches/clock/compute.py read": "what the service wrote",
    "gamesvc/matches/mail_orders/player_names.py read_with_names": "an order with the name of a player put in, read by its game",
    "notifications/parsing/charsets.py _search": "the name of a character set, for Python's own search",
    "notifications/sending/unsubscribe.py read": "checks a signature before it reads",
    "notifications/wanted/muting.py read_undo": "checks a signature before it reads",
}
"""The functions with such a name that need no reader, and why. Those of the games are read through their orders."""


def functions_that_read() -> Iterator[str]:
    """Yield the functions, by file and name, that by their name read a text, which is their first argument."""
    ours = ("gamesvc/", "notifications/", "accounts/", "events/")
    apart = ("gamesvc/games/", "gamesvc/clients/", "gamesvc/ops/", "tests/")
    for path in tracked():
        if not path.endswith(".py") or path.startswith(apart) or not path.startswith(ours):
            continue
        source = (ROOT / path).read_text(encoding="utf-8")
        if not re.search(rf"def {NAMED.pattern}", source):
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef) and NAMED.match(node.name) and node.args.args:
                first = node.args.args[0].annotation
                if first is not None and ast.unparse(first).split(" ")[0] in ("str", "bytes"):
                    yield f"{path} {node.name}"


def test_each_function_that_reads_text_is_among_the_readers(readers):
    assert set(functions_that_read()) == LISTED.keys() | OTHERS.keys()
    assert {*LISTED.values()} <= readers.keys()


@pytest.fixture(scope="module")
def readers():
    return growth.readers()


@pytest.mark.long
@pytest.mark.timeout(900)
def test_twice_the_text_is_at_most_twice_the_work(readers, settings):
    settings.INBOUND_AUTH, settings.INBOUND_AUTHSERV_ID, settings.REPLY_DOMAIN = "border", "mx.x.example", "reply.x.example"
    settings.ANYMAIL = providers.SETTINGS
    faults = []
    for name, (reader, longest) in readers.items():
        size = min(longest, 1_000) // 2
        for piece in growth.PIECES:
            growth.read(reader, piece)
            once = growth.calls(growth.read, reader, piece * (size // len(piece)))
            twice = growth.calls(growth.read, reader, piece * (2 * size // len(piece)))
            if twice > 2.5 * once + ONCE:
                faults.append((name, piece, once, twice))
    assert faults == []


@pytest.mark.long
@pytest.mark.timeout(900)
def test_the_longest_text_that_each_door_takes_is_read_in_bounded_time():
    """Each reader and each piece has its own limit; the output names the one that exceeded it."""
    ran = subprocess.run(
        [sys.executable, "-m", "tests.architecture.growth", str(CPU_SECONDS)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout.splitlines()[-1:] + ran.stderr.splitlines()[-5:]
