"""Long answers written bit by bit, such as exports: few at a time, since each may hold a thread for as long as it is read.

The web server passes such an answer on as fast as its reader takes it, and its thread waits meanwhile. A proxy in front may
take the whole answer at once, but not every proxy does. So a short answer is written before its first byte is sent, and leaves
its thread at once. Of long ones each user, or each network of guests, has one at a time, and a process has two.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from itertools import chain
from typing import cast

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from whitenoise.middleware import WhiteNoiseFileResponse  # type: ignore[import-untyped]

from accounts.network import client_network
from gamesvc.errors import TooMany
from gamesvc.request_limits.computing_time import Holder, Holders

SHORT = 256 * 1024
"""Bytes up to which an answer is written before any of it is sent: the server takes so much at once."""
AT_ONCE = 2
"""Long answers of this process at the same time. The other threads, of four by default, are for everyone else."""


class TooManyLong(TooMany):
    """A long answer beside others that are still being read."""

    def __init__(self) -> None:
        super().__init__("Few long answers are sent at the same time. Send this request in a moment.", retry_after=2)


# Taken again by the collector of garbage, which may close a dropped answer at any moment.
_lock = threading.RLock()
_reading: set[Holder] = set()


def begin(request: HttpRequest, response: HttpResponse | StreamingHttpResponse) -> None:
    """Write the beginning of an answer that comes bit by bit. Raises `TooManyLong` if it is long and must not be sent now."""
    if not isinstance(response, StreamingHttpResponse) or response.is_async or isinstance(response, WhiteNoiseFileResponse):
        return
    parts, begun, size = cast(Iterator[bytes], response.streaming_content), list[bytes](), 0
    for part in parts:
        begun.append(part)
        size += len(part)
        if size > SHORT:
            break
    else:
        response.streaming_content = [b"".join(begun)]
        return
    holders: Holders = getattr(request, "computed_for", (("network", client_network(request)),))
    holder = holders[0]
    with _lock:
        if holder in _reading or len(_reading) >= AT_ONCE:
            raise TooManyLong
        _reading.add(holder)
    response.streaming_content = _Long(chain((b"".join(begun),), parts), holder)


class _Long:
    """The parts of a long answer, which holds its place until the last one or until it is closed or dropped."""

    def __init__(self, parts: Iterator[bytes], holder: Holder) -> None:
        self.parts, self.holder, self.open = parts, holder, True

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        try:
            return next(self.parts)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        with _lock:
            if self.open:
                _reading.discard(self.holder)
            self.open = False

    __del__ = close
