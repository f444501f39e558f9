"""`bench replay`: recorded matches folded by `evolve`, beside a trivial reducer over the same events."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from gamesvc.games import catalog
from gamesvc.games.kernel.game import Event
from gamesvc.games.kernel.timeline import replay
from gamesvc.games.selfplay import bounded, play
from gamesvc.ops.benches import Row, row

MATCHES = 5


def rows(seconds: float) -> list[Row]:
    return [measure(game_id, seconds) for game_id in catalog.OFFERED]


def measure(game_id: str, seconds: float) -> Row:
    """Return the events per second over whole matches between bots; `raw` is a reducer that counts events."""
    game = catalog.game(game_id)
    bot = "greedy" if "greedy" in game.bots else "random"
    recorded = [
        play(
            game, options=bounded(game), seats=game.manifest.min_seats, seed=f"bench {number}", bots=(bot,), check_every=0
        ).events
        for number in range(MATCHES)
    ]
    ours = _rate(lambda events: replay(game, events), recorded, seconds)
    raw = _rate(_count, recorded, seconds)
    return row(f"replay_{game_id}", ours, "events/s", raw, events=sum(map(len, recorded)))


def _rate(fold: Callable[[Sequence[Event]], object], recorded: list[list[Event]], seconds: float) -> float:
    done, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        for events in recorded:
            fold(events)
            done += len(events)
    return done / (time.perf_counter() - began)


def _count(events: Sequence[Event]) -> dict[str, int]:
    """Return how often each type occurs: the trivial reducer."""
    counted: dict[str, int] = {}
    for event in events:
        counted[event.type] = counted.get(event.type, 0) + 1
    return counted
