"""Requests as raw bytes to a real server."""

from __future__ import annotations

import contextlib
import socket

from gamesvc.ops.client import Client


def send(port: int, head: list[str], body: bytes) -> tuple[int, bytes]:
    """Send one request of exactly these bytes. Return status and body of the response."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as wire:
        # A request may be refused before all of it is sent; the response gives the reason.
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


def head(player: Client, path: str, *more: str) -> list[str]:
    return [
        f"POST {path} HTTP/1.1",
        f"Authorization: Bearer {player.token}",
        "Content-Type: application/json",
        f"Idempotency-Key: {path} {more}",
        *more,
    ]
