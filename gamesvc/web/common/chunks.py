"""Bodies sent in chunks (RFC 9112 7.1), which have no length: Django would not read a byte of them."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from wsgiref.types import InputStream, StartResponse, WSGIEnvironment

from django.conf import settings

Application = Callable[[WSGIEnvironment, StartResponse], Iterable[bytes]]


def whole(application: Application) -> Application:
    """Wrap a WSGI application: read a body without a length to its end, and set the length.

    Of an oversized body one byte more than the limit is read, so that it is refused like any other.
    """

    def call(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        # A server that does not mark the end of the input would make us wait for ever. Granian and gunicorn mark it.
        if environ.get("HTTP_TRANSFER_ENCODING") and environ.get("wsgi.input_terminated"):
            body = _read(environ["wsgi.input"], settings.FORM_BYTES + 1)
            environ = {**environ, "CONTENT_LENGTH": str(len(body)), "wsgi.input": io.BytesIO(body)}
        return application(environ, start_response)

    return call


def _read(stream: InputStream, limit: int) -> bytes:
    parts, left = [], limit
    while left and (part := stream.read(left)):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)
