"""The ASGI application of the live process: it answers requests for streams, and `/live/health/`.

No middleware of Django runs here. What a request may follow is decided by the functions that the API uses, in a few threads; then
the stream is a coroutine that waits for the hub.
"""

from __future__ import annotations

import asyncio
import gc
import os
import resource
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import django

gc.disable()  # until everything is loaded: `gamesvc.web.apps`
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gamesvc.settings.dev")
django.setup()

# The apps must be loaded first.
import orjson  # noqa: E402
from django.conf import settings  # noqa: E402

from gamesvc.api.live import admission  # noqa: E402
from gamesvc.api.live.hub import Hub  # noqa: E402
from gamesvc.api.live.streams import MatchStream, Stream, UserStream, Wish  # noqa: E402

Scope = Mapping[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]

HEALTH = "/live/health/"
THREADS = 4
"""Requests that are admitted at the same time. An open stream needs none of these threads."""
HEADERS = {
    "Cache-Control": "no-store",
    "Vary": "Accept, Authorization, Cookie",
    # nginx would collect a stream before it passes it on.
    "X-Accel-Buffering": "no",
    # A page of ours on another port may read the stream. Nothing is granted by where a request comes from, and no cookie counts
    # from there: browsers keep it back.
    "Access-Control-Allow-Origin": "*",
}
PREFLIGHT = {"Access-Control-Allow-Headers": "Authorization, Last-Event-ID", "Access-Control-Allow-Methods": "GET"}


class Live:
    """The application. It has one hub, from the start of the process to its stop."""

    def __init__(self) -> None:
        self._hub: Hub | None = None
        self._threads = ThreadPoolExecutor(THREADS, "admit")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http" and self._hub is not None:
            await self._answer(self._hub, scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        hub: Hub | None = None
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                _allow_open_files()
                hub = self._hub = Hub()
                hub.start()
            elif hub is not None:
                hub.stop()
            await send({"type": f"{message['type']}.complete"})
            if message["type"] == "lifespan.shutdown":
                return

    async def _answer(self, hub: Hub, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == HEALTH:
            return await _whole(send, 200, {"status": "ok", "instance": settings.INSTANCE})
        if scope["method"] == "OPTIONS":
            return await _begin(send, 204, PREFLIGHT, more=False)
        try:
            wish = await asyncio.get_running_loop().run_in_executor(self._threads, admission.admit, scope)
            stream = UserStream(wish) if wish.match_id is None else MatchStream(wish)
            hub.add(stream)
        except Exception as error:
            return await _whole(send, *admission.refuse(error, scope["path"]))
        try:
            await _serve(hub, wish, stream, scope["method"], receive, send)
        finally:
            hub.remove(stream)


def _allow_open_files() -> None:
    """Raise the limit of open files, one for each stream, as far as this process may."""
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


async def _serve(hub: Hub, wish: Wish, stream: Stream, method: str, receive: Receive, send: Send) -> None:
    """Send a stream until it ends or its client is gone."""
    await _begin(send, 200, {"Content-Type": wish.form.media_type}, more=method != "HEAD")
    if method == "HEAD":
        return
    leaving = asyncio.ensure_future(_leave(receive))
    leaving.add_done_callback(lambda _left: stream.close())
    try:
        async for chunk in stream.chunks():
            if leaving.done():
                return
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
            if stream.behind and stream.is_idle:
                stream.behind = False
                hub.look_again(stream)
        await send({"type": "http.response.body", "body": b""})
    finally:
        leaving.cancel()


async def _leave(receive: Receive) -> None:
    """Return when the client is gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def _whole(send: Send, status: int, body: object, headers: Mapping[str, str] | None = None) -> None:
    """Send a whole answer: JSON, or a problem."""
    media_type = "application/json" if status < 400 else "application/problem+json"
    await _begin(send, status, {"Content-Type": media_type, **(headers or {})}, more=True)
    await send({"type": "http.response.body", "body": orjson.dumps(body)})


async def _begin(send: Send, status: int, headers: Mapping[str, str], *, more: bool) -> None:
    """Send the head of an answer, and an empty body unless there will be `more`."""
    told = [(name.lower().encode(), value.encode()) for name, value in {**HEADERS, **headers}.items()]
    await send({"type": "http.response.start", "status": status, "headers": told})
    if not more:
        await send({"type": "http.response.body", "body": b""})


application = Live()
