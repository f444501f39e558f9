"""What one follower asks of the live process costs the others nothing: neither its memory nor its time."""

from __future__ import annotations

import asyncio
import gc
import json
import uuid
import weakref
from collections.abc import Sequence
from typing import Any

import pytest
from pytest_django import Settings

from gamesvc.api.live import admission, looking, messages, streams
from gamesvc.api.live import hub as hub_module
from gamesvc.api.live.callers import Caller
from gamesvc.api.live.hub import Hub
from gamesvc.api.live.messages import LinesOfJSON, read_cursor, write_cursor
from gamesvc.api.live.server import Live
from gamesvc.api.live.streams import Look, MatchStream, Stream, UserStream, Wish
from tests.api.live.conftest import work_until


def test_a_stream_that_is_refused_or_only_its_head_asked_for_is_forgotten(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    settings.STREAMS_PER_USER = 1
    made: list[weakref.ref[Stream]] = []
    statuses: list[int] = []

    async def scene() -> None:
        hub, server = Hub(), Live()
        add = hub.add

        def adding(stream: Stream) -> None:
            made.append(weakref.ref(stream))
            add(stream)

        async def send(message: dict[str, Any]) -> None:
            statuses.extend([message["status"]] if "status" in message else [])

        async def receive() -> dict[str, Any]:
            return {}

        monkeypatch.setattr(hub, "add", adding)
        for match_id in (None, uuid.uuid4()):
            wish = Wish(Caller("", 1), LinesOfJSON(), match_id=match_id)
            monkeypatch.setattr(admission, "admit", lambda _scope, wish=wish: wish)
            await server._answer(hub, {"path": "/", "method": "HEAD"}, receive, send)
            hub._open["user", 1] = 1
            await server._answer(hub, {"path": "/", "method": "GET"}, receive, send)
            del hub._open["user", 1]
        hub._users_waiting.clear()
        await asyncio.sleep(0)
        gc.collect()
        assert [one() for one in made] == [None] * 4
        hub.stop()

    asyncio.run(scene())
    assert statuses == [200, 429] * 2


def test_many_matches_are_told_with_one_new_cursor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has got only some of them comes back with an older one, and is told of all again."""
    written: list[int] = []

    def write(known: dict[int, int]) -> str:
        written.append(len(known))
        return write_cursor(known)

    monkeypatch.setattr(streams, "write_cursor", write)

    async def told() -> list[Any]:
        stream = UserStream(Wish(Caller("", 1), LinesOfJSON(), since=write_cursor({1: 5, 2: 7})))
        for number in range(2, 50):
            stream.take(Look(uuid.uuid4(), number, None, 8, 8, False, False, True, False))
        chunks = stream.chunks()
        await anext(chunks)
        chunk = await anext(chunks)
        stream.close()
        return [json.loads(line)["id"] for line in chunk.splitlines()]

    *others, last = map(read_cursor, asyncio.run(told()))
    assert written == [2, 49]
    assert others == [{1: 5, 2: 7}] * 47
    assert last == {1: 5} | dict.fromkeys(range(2, 50), 8)


def test_no_cursor_names_more_than_the_newest_matches() -> None:
    known = read_cursor(write_cursor(dict.fromkeys(range(1_500), 3)))
    assert list(known) == list(range(1_500 - messages.MOST_MATCHES, 1_500))


@pytest.mark.parametrize(("events", "bound"), [(True, "MOST_PAGES"), (False, "MOST_MATCHES")])
def test_who_waits_longest_is_looked_for_first(monkeypatch: pytest.MonkeyPatch, events: bool, bound: str) -> None:
    """Streams that want one page after the other keep nobody from the first one."""
    looks: list[int] = []

    async def scene() -> None:
        hub, loop = Hub(), asyncio.get_running_loop()

        def look(_match_id: uuid.UUID, followers: Sequence[Stream]) -> looking.Looks:
            for stream in followers:
                looks.append(made.index(stream))
                loop.call_soon_threadsafe(hub.look_again, stream)
            return looking.Looks([])

        monkeypatch.setattr(looking, "look_at", look)
        monkeypatch.setattr(hub_module, bound, 2)
        made = [MatchStream(Wish(Caller(""), LinesOfJSON(), match_id=uuid.uuid4(), events=events)) for _ in range(5)]
        for stream in made:
            hub.add(stream)
        await work_until(hub, lambda: len(looks) >= 10)

    asyncio.run(scene())
    assert sorted(looks[:5]) == sorted(looks[5:10]) == list(range(5))
