"""Requests whose body arrives late: something else happens between their headers and their body."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from django.test import Client


class Late:
    """The input of a request. Before its body arrives, `meanwhile` happens."""

    def __init__(self, body: bytes, meanwhile: Callable[[], object]) -> None:
        self.left = body
        self.meanwhile: Callable[[], object] | None = meanwhile

    def read(self, _size: int = -1) -> bytes:
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            meanwhile()
        body, self.left = self.left, b""
        return body

    def readline(self, _size: int = -1) -> bytes:
        return self.read()


def send(client: Client, path: str, body: Any, meanwhile: Callable[[], object], *, method: str = "POST", **headers: str) -> Any:
    """Send a request, JSON to the API and a form elsewhere, whose body arrives after `meanwhile`."""
    api = path.startswith("/api/")
    raw = json.dumps(body).encode() if api else urlencode(body).encode()
    named = {f"HTTP_{name.upper()}": value for name, value in headers.items()}
    return client.request(
        REQUEST_METHOD=method,
        PATH_INFO=path,
        CONTENT_TYPE="application/json" if api else "application/x-www-form-urlencoded",
        CONTENT_LENGTH=str(len(raw)),
        **{"wsgi.input": Late(raw, meanwhile), **named},
    )
