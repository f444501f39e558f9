"""Chunked bodies as the application reads them. `test_service` sends some to a real server."""

from __future__ import annotations

import pytest

from gamesvc.web.common.chunks import whole


class Stream:
    """A body as a server delivers it: a few bytes at a time."""

    def __init__(self, *parts: bytes) -> None:
        self.parts = list(parts)

    def read(self, size: int) -> bytes:
        part = self.parts.pop(0) if self.parts else b""
        if len(part) > size:
            self.parts.insert(0, part[size:])
        return part[:size]


@pytest.mark.parametrize("parts", [(), (b"a=1",), (b"a", b"=", b"1" * 100)])
def test_chunks_get_a_length(parts):
    seen = {}

    def application(environ, start_response):
        seen.update(length=int(environ["CONTENT_LENGTH"]), body=environ["wsgi.input"].read())
        return []

    environ = {"HTTP_TRANSFER_ENCODING": "chunked", "CONTENT_LENGTH": "1", "wsgi.input_terminated": True}
    whole(application)({**environ, "wsgi.input": Stream(*parts)}, None)
    assert seen == {"length": len(b"".join(parts)), "body": b"".join(parts)}


def test_of_an_endless_body_no_more_is_read_than_is_refused(settings):
    settings.FORM_BYTES = 10

    class Endless:
        taken = 0

        def read(self, size):
            self.taken += size
            return b"x" * size

    stream, lengths = Endless(), []
    environ = {"HTTP_TRANSFER_ENCODING": "chunked", "wsgi.input_terminated": True, "wsgi.input": stream}
    whole(lambda environ, start_response: lengths.append(environ["CONTENT_LENGTH"]) or [])(environ, None)
    assert (lengths, stream.taken) == (["11"], 11)
