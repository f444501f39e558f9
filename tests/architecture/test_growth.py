"""The time to read a text grows at most in proportion to its length, whatever it contains.

Steps of Python are counted, which is the same on every machine. That misses the inside of regular expressions, so everything also
runs at full length in a process that the operating system ends if it takes too much CPU.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture import growth
from tests.notifications.inbound import providers

ROOT = Path(__file__).parents[2]
# Work that does not depend on the length: tables that are filled once, patterns that are compiled.
ONCE = 3000
# The slowest piece takes half a second on a slow machine; without the limits it took minutes.
CPU_SECONDS = 30


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
