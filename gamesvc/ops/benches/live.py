"""`bench live`: 5,000 open streams on one live process, and the time from a commit to what their clients read."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import resource
import time

import psutil

from gamesvc.embedded import environment
from gamesvc.embedded.service import Service, free_port
from gamesvc.ops.benches import Row, row
from gamesvc.ops.benches.submit import Pair, percentiles
from gamesvc.ops.following import Following
from gamesvc.ops.match_limits import LIFTED_IN_ENVIRONMENT

STREAMS = 5_000
MATCHES = 250
CONNECTING = 200
"""Streams that are opened at the same time."""
EVERY_SECONDS = 0.05
"""Time between two turns: 20 a second, which 20 followers of each match are told."""
LATEST_SECONDS = 10.0
LIMITS = dict.fromkeys(("STREAMS_PER_ADDRESS", "STREAMS_PER_USER", "STREAMS_PER_TOKEN"), "0")


def rows(seconds: float) -> list[Row]:
    """Start a separate service in a temporary folder, open the streams, play turns, and measure."""
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    streams = min(STREAMS, hard - 500)
    with environment.throwaway("gamesvc-bench-") as folder:
        settings = {"DJANGO_SETTINGS_MODULE": "gamesvc.settings.bench", **LIFTED_IN_ENVIRONMENT, **LIMITS}
        with Service(folder, port=free_port(), environment=settings, processes=("web", "live"), workers={}) as service:
            made = [
                json.loads(service.manage("player", f"live{seat}", f"live{seat}@players.example", "--json")) for seat in (0, 1)
            ]
            pairs = [Pair(service.url, [one["token"] for one in made]) for _ in range(MATCHES)]
            return asyncio.run(_Crowd(service, pairs, made[0]["token"], streams).measure(seconds))


class _Crowd:
    """All streams in one event loop. Turns are played in a thread."""

    def __init__(self, service: Service, pairs: list[Pair], token: str, streams: int) -> None:
        self._service, self._pairs, self._token, self._count = service, pairs, token, streams
        self._sent: list[str] = []
        self._sent_at: dict[str, float] = {}
        self._heard: list[tuple[str, int, float]] = []
        self._turns: list[float] = []
        self._open = 0

    async def measure(self, seconds: float) -> list[Row]:
        connecting = asyncio.Semaphore(CONNECTING)
        before = self._memory()
        began = time.perf_counter()
        tasks = [
            asyncio.create_task(self._follow(self._pairs[number % len(self._pairs)].match, connecting))
            for number in range(self._count)
        ]
        while self._open < self._count and not any(task.done() for task in tasks):
            await asyncio.sleep(0.05)
        opened = time.perf_counter() - began
        await asyncio.to_thread(self._play, seconds)
        await self._settle()
        memory = self._memory()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return self._rows(opened, before, memory)

    async def _follow(self, match: str, connecting: asyncio.Semaphore) -> None:
        """Follow a match, and note when each message was read."""
        async with contextlib.AsyncExitStack() as stack:
            async with connecting:
                path = f"/api/v1/matches/{match}/stream/"
                following = Following(self._service.live_port, path, {"Authorization": f"Bearer {self._token}"})
                stream = await stack.enter_async_context(following)
                await stream.next()
            self._open += 1
            async for message in stream.messages():
                self._heard.append((match, message.data["version"], time.perf_counter() - self._sent_at[match]))

    def _play(self, seconds: float) -> None:
        """Play turns in all matches in turn, and note when each was sent and answered."""
        until = time.perf_counter() + seconds
        for pair in itertools.cycle(self._pairs):
            began = time.perf_counter()
            if began > until:
                return
            self._sent.append(pair.match)
            self._sent_at[pair.match] = began
            pair.turn()
            self._turns.append(time.perf_counter() - began)
            time.sleep(max(0.0, EVERY_SECONDS - self._turns[-1]))

    async def _settle(self) -> None:
        """Wait until all followers have heard of all turns, but no longer than `LATEST_SECONDS`."""
        wanted = sum(map(self._followers, self._sent))
        until = time.perf_counter() + LATEST_SECONDS
        while len(self._heard) < wanted and time.perf_counter() < until:
            await asyncio.sleep(0.05)

    def _followers(self, match: str) -> int:
        at = [pair.match for pair in self._pairs].index(match)
        return len(range(at, self._count, len(self._pairs)))

    def _memory(self) -> float:
        """Return the memory of the live process and its children, in MB; shared pages count once."""
        live = psutil.Process(self._service.pid("live"))
        return float(sum(process.memory_full_info().pss for process in [live, *live.children(recursive=True)])) / 1e6

    def _rows(self, opened: float, before: float, memory: float) -> list[Row]:
        told = percentiles([took for _match, _version, took in self._heard])
        return [
            # From before the turn was sent until a follower has read it, beside the turn's own answer.
            row(
                "live",
                told["p50_ms"],
                "ms",
                percentiles(self._turns)["p50_ms"],
                p99_ms=told["p99_ms"],
                streams=self._open,
                turns=len(self._sent),
                missed=sum(map(self._followers, self._sent)) - len(self._heard),
            ),
            row("live_open", self._count / opened, "streams/s"),
            row("live_memory", memory, "MB", before, streams=self._open),
        ]
