"""A client of live streams, many of which run in one event loop: for benches and tests."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

from gamesvc.errors import GamesvcError


class Message(NamedTuple):
    """A message of a stream with its id."""

    id: str
    data: Any


class NoStream(GamesvcError):
    """The server answered with something else than a stream."""

    def __init__(self, status: int, body: bytes) -> None:
        super().__init__(f"{status}: {body[:500].decode(errors='replace')}")
        self.status = status
        self.body = body


class Following:
    """One open stream of Server-Sent Events. Leave it to close the connection."""

    def __init__(self, port: int, path: str, headers: dict[str, str]) -> None:
        self._port, self._path, self._headers = port, path, headers
        self.comments = 0
        self._reader: asyncio.StreamReader
        self._writer: asyncio.StreamWriter

    async def __aenter__(self) -> Following:
        """Connect. Raises `NoStream`."""
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        lines = [f"GET {self._path} HTTP/1.1", "Host: localhost", "Accept: text/event-stream"]
        lines += [f"{name}: {value}" for name, value in self._headers.items()]
        self._writer.write("\r\n".join([*lines, "", ""]).encode())
        head = await self._reader.readuntil(b"\r\n\r\n")
        status = int(head.split(None, 2)[1])
        if status != 200:
            raise NoStream(status, await self._body(head))
        return self

    async def __aexit__(self, *failure: object) -> None:
        self._writer.close()

    async def messages(self) -> AsyncIterator[Message]:
        """Yield the messages until the server ends the stream."""
        ident, data = "", ""
        async for line in self._lines():
            if line.startswith("id: "):
                ident = line[4:]
            elif line.startswith("data: "):
                data = line[6:]
            elif line.startswith(":"):
                self.comments += 1
            elif not line and data:
                yield Message(ident, json.loads(data))
                data = ""

    async def next(self, count: int = 1) -> list[Message]:
        """Return the next messages."""
        found: list[Message] = []
        async for message in self.messages():
            found.append(message)
            if len(found) == count:
                break
        return found

    async def _lines(self) -> AsyncIterator[str]:
        rest = b""
        while chunk := await self._chunk():
            *whole, rest = (rest + chunk).split(b"\n")
            for line in whole:
                yield line.decode()

    async def _chunk(self) -> bytes:
        """Return the next chunk of the body; empty at its end, also where the connection breaks."""
        try:
            size = int(await self._reader.readline() or b"0", 16)
            chunk = await self._reader.readexactly(size + 2)
        except (asyncio.IncompleteReadError, ConnectionError):
            return b""
        return chunk[:size]

    async def _body(self, head: bytes) -> bytes:
        if b"transfer-encoding: chunked" not in head.lower():
            return await self._reader.read(100_000) if b"content-length: 0" not in head.lower() else b""
        body = b""
        while chunk := await self._chunk():
            body += chunk
        return body
