"""`bench length`: the cost of a turn in matches of 10, 100, 1,000 and 10,000 events, which must not differ.

Two commands through the service and PostgreSQL, by a process that knows the match (`value`) and by one that has to read it first
(`fresh_ms`). The four lengths take turns; the ratio is to the shortest.
"""

from __future__ import annotations

import statistics
import time

from gamesvc.matches.models import Match
from gamesvc.matches.record import loading
from gamesvc.ops.benches import Row, row
from gamesvc.ops.benches.load import Table, milliseconds

LENGTHS = (10, 100, 1_000, 10_000)
# A short match does not stay short: it is replaced once it is longer than this many times its length.
GROWS = 1.3
LEAST = 20


def rows(seconds: float) -> list[Row]:
    table = Table()
    matches = {length: _made(table, length) for length in LENGTHS}
    warm: dict[int, list[float]] = {length: [] for length in LENGTHS}
    fresh: dict[int, list[float]] = {length: [] for length in LENGTHS}
    until = time.perf_counter() + seconds * len(LENGTHS)
    while len(warm[LENGTHS[0]]) < LEAST or time.perf_counter() < until:
        for length in LENGTHS:
            match = matches[length]
            if loading.load(match.id, match.game).version > max(length * GROWS, length + 12):
                match = matches[length] = _made(table, length)
            warm[length].append(milliseconds(lambda match=match: table.turn(match)))  # type: ignore[misc]
            loading.forget_all()
            fresh[length].append(milliseconds(lambda match=match: table.turn(match)))  # type: ignore[misc]
    first = statistics.median(warm[LENGTHS[0]])
    return [
        row(
            f"length_{length}",
            statistics.median(warm[length]),
            "ms/turn",
            first,
            # From the same round, so that a change in the machine's speed affects both.
            ratio=round(statistics.median(one / short for one, short in zip(warm[length], warm[LENGTHS[0]], strict=True)), 3),
            fresh_ms=round(statistics.median(fresh[length]), 3),
            turns=len(warm[length]),
        )
        for length in LENGTHS
    ]


def _made(table: Table, length: int) -> Match:
    match = table.match()
    table.play_to(match, length)
    return match
