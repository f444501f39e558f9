"""What one follower asks of the live process costs the others nothing: neither its memory nor its time."""

from __future__ import annotations

import asyncio
import gc
import uuid
import weakref
from typing import Any

import pytest
from pytest_django import Settings

from gamesvc.api.live import admission
from gamesvc.api.live.callers import Caller
from gamesvc.api.live.hub import Hub
from gamesvc.api.live.messages import LinesOfJSON
from gamesvc.api.live.server import Live
from gamesvc.api.live.streams import Stream, Wish



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
