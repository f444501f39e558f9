"""The bytes of a stream: messages as Server-Sent Events or as lines of JSON, and the cursor of a user's stream."""

from __future__ import annotations

import base64
import random
import zlib
from collections.abc import Mapping
from typing import Protocol

import orjson

from gamesvc.json_types import JsonObject

LONGEST_CURSOR = 8_000
MOST_MATCHES = 400
"""Matches that are read from a cursor, the newest ones. They are written again with each message."""


class Format(Protocol):
    """A way to write a stream."""

    media_type: str
    heartbeat: bytes

    def opening(self) -> bytes: ...

    def message(self, ident: str, data: JsonObject) -> bytes: ...


class ServerSentEvents:
    """The format that browsers read (`EventSource`)."""

    media_type = "text/event-stream; charset=utf-8"
    heartbeat = b":\n\n"

    def opening(self) -> bytes:
        # After a restart not all clients come back at the same moment.
        return b"retry: %d\n\n" % random.randint(1000, 5000)

    def message(self, ident: str, data: JsonObject) -> bytes:
        return b"id: %s\ndata: %s\n\n" % (ident.encode(), orjson.dumps(data))


class LinesOfJSON:
    """The format for programs: a JSON object a line, with the id of the message; an empty line is a heartbeat."""

    media_type = "application/x-ndjson"
    heartbeat = b"\n"

    def opening(self) -> bytes:
        return self.heartbeat

    def message(self, ident: str, data: JsonObject) -> bytes:
        return orjson.dumps({**data, "id": ident}) + b"\n"


def write_cursor(known: Mapping[int, int]) -> str:
    """Return the matches that a follower knows, by number with their version, as an opaque text."""
    flat = [number for pair in sorted(known.items()) for number in pair]
    return base64.urlsafe_b64encode(zlib.compress(orjson.dumps(flat))).decode().rstrip("=")


def read_cursor(cursor: str) -> dict[int, int]:
    """Return what `write_cursor` wrote; nothing for any other text, which then makes all matches new."""
    try:
        packed = base64.urlsafe_b64decode(cursor[:LONGEST_CURSOR] + "=" * (-len(cursor) % 4))
        flat = orjson.loads(zlib.decompressobj().decompress(packed, 10 * LONGEST_CURSOR))
        if not isinstance(flat, list):
            return {}
        known = dict(zip(flat[::2], flat[1::2], strict=True))
    except (ValueError, TypeError, zlib.error):
        return {}
    counts = [(number, version) for number, version in known.items() if _is_count(number) and _is_count(version)]
    return dict(sorted(counts)[-MOST_MATCHES:])


def _is_count(value: object) -> bool:
    return isinstance(value, int) and 0 <= value < 2**53
