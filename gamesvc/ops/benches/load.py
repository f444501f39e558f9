"""`bench load`: loading matches of 100, 1,000 and 10,000 events in a fresh process, and any point of one with 2,000.

`load_N`: the match as play left it, with half the maximum of events behind its snapshot. The raw figure reads and decodes the
snapshot's row and nothing else. `load_rewound`: the last event rewound the match behind the snapshot. `travel_2000`: the slowest
of many points, each the better of two tries, with the view of a seat.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
import uuid
from collections.abc import Callable

from django.utils import timezone

from accounts.models import User
from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Match
from gamesvc.matches.play import turns
from gamesvc.matches.play.turns import Sender
from gamesvc.matches.record import loading, snapshots
from gamesvc.matches.record.append import Act, Actor, record
from gamesvc.ops.benches import Row, row
from gamesvc.ops.match_limits import lift_match_limits

GAME = "stratastar"
LENGTHS = (100, 1_000, 10_000)
TRAVELLED = 2_000
POINTS = 150
WARM_UP = 20


def rows(seconds: float) -> list[Row]:
    table = Table()
    found = []
    for length in LENGTHS:
        match = table.match()
        table.play_to(match, length)
        table.play_until_half_way(match)
        found.append(_load(f"load_{length}", match, seconds))
    match = table.match()
    table.play_to(match, 1_000)
    table.go_back(match, 500)
    found += [_load("load_rewound", match, seconds), _travel(table)]
    return found


class Table:
    """Two players who pass their turns: real turns through the service, with production, draws and notices."""

    def __init__(self) -> None:
        lift_match_limits()
        name = uuid.uuid4().hex[:12]
        self.players = [User.objects.create(username=f"{name}{seat}", email=f"{name}{seat}@players.example") for seat in (0, 1)]

    def match(self) -> Match:
        match = opening.create_match(by=self.players[0], game=GAME, options={"homeworld_choice": "random"})
        return opening.join_match(by=self.players[1], match=match)

    def turn(self, match: Match) -> None:
        """Play a whole turn of the seat to move: two commands, six events."""
        for command in ({"name": "retool", "cards": []}, {"name": "end_turn"}):
            loaded = loading.load(match.id, match.game)
            seat = loaded.awaited()[0].seat
            turns.submit(
                match=match,
                sender=Sender.player(self.players[seat].pk, seat, "api"),
                command=command,
                expected_version=loaded.viewer_version(seat),
                command_id=uuid.uuid4(),
            )

    def play_to(self, match: Match, version: int) -> None:
        while (reached := loading.load(match.id, match.game).version) < version:
            if reached % 1_000 < 6:
                sys.stderr.write(f"match {match.number}: {reached} of {version} events\n")
            self.turn(match)

    def play_until_half_way(self, match: Match) -> None:
        """Play until half the maximum of events lie behind the snapshot."""
        for _ in range(snapshots.TAIL):
            found = snapshots.get(loading.load(match.id, match.game).game, match.id)
            last = found[0].version if found is not None else 0
            if last and loading.load(match.id, match.game).version - last >= snapshots.TAIL // 2:
                return
            self.turn(match)

    def go_back(self, match: Match, version: int) -> None:
        """Rewind the match as an organiser would."""
        loaded = loading.load(match.id, match.game)
        run = loaded.timeline.rewind(version, turns.dice_for(match, loaded), cause="host")
        act = Act(Actor("host"), "cli", uuid.uuid4(), timezone.now())
        record(match, loaded, run.events, act, seats=list(match.seats.all()), run=run)


def milliseconds(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return (time.perf_counter() - began) * 1000


def _load(name: str, match: Match, seconds: float) -> Row:
    """Return the figures of loading and reading, measured in turn, so that a change in the machine's speed affects both."""
    game = loading.load(match.id, match.game).game
    ours: list[float] = []
    raw: list[float] = []

    def load() -> loading.Loaded:
        return loading.load(match.id, match.game)

    until = time.perf_counter() + seconds
    while len(ours) < WARM_UP or time.perf_counter() < until:
        loading.forget_all()
        ours.append(milliseconds(load))
        raw.append(milliseconds(lambda: snapshots.get(game, match.id)))
    found = load()
    ours, raw = ours[WARM_UP // 2 :], raw[WARM_UP // 2 :]
    return row(
        name,
        statistics.median(ours),
        "ms",
        statistics.median(raw),
        beyond_raw_ms=round(statistics.median(ours) - statistics.median(raw), 3),
        # The cost without competing processes.
        best_ms=round(min(ours), 3),
        best_raw_ms=round(min(raw), 3),
        version=found.version,
        tail=found.version - found.snapshot_version,
    )


def _travel(table: Table) -> Row:
    match = table.match()
    table.play_to(match, TRAVELLED)
    loading.forget_all()
    game, last = loading.load(match.id, match.game).game, loading.load(match.id, match.game).version
    rng = random.Random("travel")
    times = []
    for version in rng.sample(range(10, last), POINTS):

        def look(version: int = version) -> object:
            return game.view(loading.load_at(game, match.id, version).timeline.state, 0)

        times.append(min(milliseconds(look), milliseconds(look)))
    return row(f"travel_{TRAVELLED}", max(times), "ms", p50_ms=round(statistics.median(times), 2), points=POINTS)
