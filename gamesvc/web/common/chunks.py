"""Bodies that come in chunks (RFC 9112 7.1) and therefore without a length: Django reads no byte of them."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from typing import Any

from django.conf import settings

Application = Callable[[dict[str, Any], Any], Iterable[bytes]]


def whole(application: Application) -> Application:
    """Wrap a WSGI application: a body without a length is read to its end, and gets one.

    Of a body that is longer than we take one byte more is read than that, so that it is refused like any other that is too long.
    """

    def call(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        # A server that leaves the end of such a body to us would let us wait for ever; granian and gunicorn do not.
        if environ.get("HTTP_TRANSFER_ENCODING") and environ.get("wsgi.input_terminated"):
            body = _read(environ["wsgi.input"], settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1)
            environ = {**environ, "CONTENT_LENGTH": str(len(body)), "wsgi.input": io.BytesIO(body)}
        return application(environ, start_response)

    return call


def _read(stream: Any, limit: int) -> bytes:
    parts, left = [], limit
    while left and (part := stream.read(left)):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)
