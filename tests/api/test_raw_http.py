"""Requests in the bytes that programs send, to a real server: bodies in chunks, addresses without their last slash."""

from __future__ import annotations

import contextlib
import json
import socket

import pytest
from django.conf import settings

from gamesvc.web.chunks import whole

pytestmark = pytest.mark.timeout(240)


def send(port: int, head: list[str], body: bytes) -> tuple[int, bytes]:
    """One request in these very bytes; status and body of the answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as wire:
        # A request may be refused before all of it is sent; the answer says why.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            wire.sendall("\r\n".join([*head, "Host: localhost", "Connection: close", "", ""]).encode() + body)
        answer = b""
        while part := wire.recv(65536):
            answer += part
    headers, _, text = answer.partition(b"\r\n\r\n")
    return int(headers.split()[1]), text


def chunked(body: bytes, size: int) -> bytes:
    parts = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(f"{len(part):x}\r\n".encode() + part + b"\r\n" for part in parts) + b"0\r\n\r\n"


def head(player, path: str, *more: str) -> list[str]:
    return [
        f"POST {path} HTTP/1.1",
        f"Authorization: Bearer {player.token}",
        "Content-Type: application/json",
        f"Idempotency-Key: {path} {more}",
        *more,
    ]


def test_a_body_in_chunks_is_read(running):
    player, body = running.player(), json.dumps({"game": "stratastar", "contribution": "tea " * 200}).encode()
    for size in (7, 4096):
        request = head(player, "/api/v1/matches/", "Transfer-Encoding: chunked", f"X-Size: {size}")
        status, text = send(running.service.port, request, chunked(body, size))
        assert (status, json.loads(text)["game"]) == (201, "stratastar")


def test_a_body_in_chunks_that_is_too_long_is_refused(running):
    request = head(running.player(), "/api/v1/matches/", "Transfer-Encoding: chunked")
    body = b'{"game": "' + b"x" * settings.API_BODY_BYTES + b'"}'
    status, text = send(running.service.port, request, chunked(body, 65536))
    assert (status, json.loads(text)["code"]) == (413, "too_large")


def test_a_post_without_the_last_slash_is_not_taken_for_a_get(running):
    player, body = running.player(), b'{"game": "stratastar"}'
    status, _ = send(running.service.port, head(player, "/api/v1/matches", f"Content-Length: {len(body)}"), body)
    assert status == 308
    status, _ = send(running.service.port, head(player, "/api/v1/matches", "Transfer-Encoding: chunked"), chunked(body, 5))
    assert status == 308


class Stream:
    """The body as a server gives it: a few bytes at a time."""

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
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 10

    class Endless:
        taken = 0

        def read(self, size):
            self.taken += size
            return b"x" * size

    stream, lengths = Endless(), []
    environ = {"HTTP_TRANSFER_ENCODING": "chunked", "wsgi.input_terminated": True, "wsgi.input": stream}
    whole(lambda environ, start_response: lengths.append(environ["CONTENT_LENGTH"]) or [])(environ, None)
    assert (lengths, stream.taken) == (["11"], 11)
