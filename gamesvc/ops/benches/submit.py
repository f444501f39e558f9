"""`bench submit`: whole turns through HTTP and PostgreSQL, in 1, 8 and 32 matches at once, beside a minimal view."""

from __future__ import annotations

import json
import os
import statistics
import threading
import time
from collections.abc import Callable

import psycopg

from gamesvc.embedded import environment
from gamesvc.embedded.service import Service, free_port
from gamesvc.json_types import JsonObject
from gamesvc.ops.benches import Row, row
from gamesvc.ops.client import Client
from gamesvc.ops.match_limits import LIFTED_IN_ENVIRONMENT

AT_ONCE = (1, 8, 32)
TABLE = "CREATE TABLE bench_row (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, stream uuid NOT NULL, payload text NOT NULL)"


def rows(seconds: float) -> list[Row]:
    """Start a separate service in a temporary folder and measure it, ours and the minimal view in turn."""
    with environment.throwaway("gamesvc-bench-") as folder:
        settings = {"DJANGO_SETTINGS_MODULE": "gamesvc.settings.bench", **LIFTED_IN_ENVIRONMENT}
        with Service(folder, port=free_port(), environment=settings, processes=("web",), workers={}) as service:
            with psycopg.connect(os.environ["DATABASE_OWNER_URL"], autocommit=True) as owner:
                owner.execute(TABLE)
                owner.execute("GRANT INSERT ON bench_row TO PUBLIC")
            return [measure(service, at_once, seconds) for at_once in AT_ONCE]


def measure(service: Service, at_once: int, seconds: float) -> Row:
    tokens = [
        json.loads(service.manage("player", f"bench{at_once}{seat}", f"bench{at_once}{seat}@players.example", "--json"))
        for seat in (0, 1)
    ]
    pairs = [Pair(service.url, [made["token"] for made in tokens]) for _ in range(at_once)]
    together([pair.turn for pair in pairs], 1.0)
    ours: list[float] = []
    raw: list[float] = []
    ours_seconds = raw_seconds = 0.0
    # In slices, ours and raw in turn, so that a change in the machine's speed affects both.
    for _ in range(4):
        times, took = together([pair.turn for pair in pairs], seconds / 4)
        ours, ours_seconds = ours + times, ours_seconds + took
        times, took = together([pair.baseline for pair in pairs], seconds / 4)
        raw, raw_seconds = raw + times, raw_seconds + took
    return row(
        f"submit_{at_once}",
        len(ours) / ours_seconds,
        "moves/s",
        len(raw) / raw_seconds,
        **percentiles(ours),
        **{f"raw_{name}": value for name, value in percentiles(raw).items()},
    )


def percentiles(times: list[float]) -> dict[str, float]:
    cuts = statistics.quantiles(times, n=100) if len(times) > 1 else times * 99
    return {"p50_ms": round(cuts[49] * 1000, 2), "p99_ms": round(cuts[98] * 1000, 2)}


class Pair:
    """Two players of one match of Stratastar who pass their turns: real turns, production and notices included."""

    def __init__(self, url: str, tokens: list[str]) -> None:
        self.clients = [Client(url, token) for token in tokens]
        opened = self.clients[0].post("/api/v1/matches/", {"game": "stratastar", "options": {"homeworld_choice": "random"}}).body
        self.match = opened["id"]
        self.clients[1].post(f"/api/v1/matches/{self.match}/join/")
        seen = self.clients[0].view(self.match)
        self.seat = seen["awaited"][0]["seat"]
        self.version = seen["version"]
        self.step = 0

    def turn(self) -> None:
        """Submit one command of the seat to move."""
        command: JsonObject = {"name": "end_turn"} if self.step % 2 else {"name": "retool", "cards": []}
        etag = f'"{self.match}-{self.seat}-{self.version}"'
        self.version = self.clients[self.seat].command(self.match, command, etag)["version"]
        self.step += 1
        if self.step % 2 == 0:
            self.seat = 1 - self.seat

    def baseline(self) -> None:
        self.clients[0].post(f"/api/v1/baseline/{self.match}/", {"name": "retool", "cards": []})


def together(acts: list[Callable[[], None]], seconds: float) -> tuple[list[float], float]:
    """Repeat each act in its own thread for this long. Return all durations and the total time."""
    times: list[list[float]] = [[] for _ in acts]
    failed: list[BaseException] = []
    began = time.perf_counter()

    def repeat(act: Callable[[], None], mine: list[float]) -> None:
        try:
            while (at := time.perf_counter()) - began < seconds:
                act()
                mine.append(time.perf_counter() - at)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=repeat, args=pair) for pair in zip(acts, times, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    return [one for mine in times for one in mine], time.perf_counter() - began
