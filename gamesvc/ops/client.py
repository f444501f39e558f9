"""A client of the HTTP API, used by `demo`, the benches and bots in other processes. Standard library only."""

from __future__ import annotations

import http.client
import json
import uuid
from typing import Any
from urllib.parse import urlsplit

from gamesvc.errors import GamesvcError
from gamesvc.games.kernel.game import Form
from gamesvc.json_types import JsonObject


class Answer:
    """A response: status, headers, and the body as JSON."""

    def __init__(self, status: int, headers: http.client.HTTPMessage, body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.raw = body

    @property
    def body(self) -> Any:
        return json.loads(self.raw) if self.raw else None


class ApiError(GamesvcError):
    """The service answered with a problem."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(f"{answer.status}: {answer.raw[:500].decode(errors='replace')}")
        self.answer = answer


class Client:
    """Requests of one user over one open connection."""

    def __init__(self, url: str, token: str) -> None:
        self.base = urlsplit(url)
        self.token = token
        self._connection: http.client.HTTPConnection | None = None

    def call(self, method: str, path: str, body: object = None, **headers: str) -> Answer:
        """Send one request. Header names have `_` for `-`. Reconnects once if the connection was closed."""
        sent = {"Authorization": f"Bearer {self.token}", **{name.replace("_", "-"): value for name, value in headers.items()}}
        data = None
        if body is not None:
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            sent.setdefault("Content-Type", "application/json")
        for attempt in (1, 2):
            if self._connection is None:
                self._connection = http.client.HTTPConnection(self.base.hostname or "", self.base.port, timeout=60)
            try:
                self._connection.request(method, path, data, sent)
                answer = self._connection.getresponse()
                return Answer(answer.status, answer.headers, answer.read())
            except (http.client.HTTPException, OSError):
                self._connection.close()
                self._connection = None
                if attempt == 2:
                    raise
        raise AssertionError

    def get(self, path: str, **headers: str) -> Answer:
        return _good(self.call("GET", path, **headers))

    def post(self, path: str, body: object = None, **headers: str) -> Answer:
        """Send a POST, with a random key unless one is given."""
        headers.setdefault("Idempotency_Key", str(uuid.uuid4()))
        return _good(self.call("POST", path, body if body is not None else {}, **headers))

    def turn(self, match: str) -> tuple[Any, list[Form], str]:
        """Return the match as the seat sees it, the commands open to the seat, and the ETag of their version.

        Both are of one version: where something happens between the two requests, they are sent again.
        """
        while True:
            seen = self.view(match)
            answer = self.get(f"/api/v1/matches/{match}/forms/?narrow=true")
            if answer.body["version"] == seen["version"]:
                return seen, [read_form(form) for form in answer.body["forms"]], answer.headers["ETag"]

    def view(self, match: str) -> Any:
        return self.get(f"/api/v1/matches/{match}/view/").body

    def command(self, match: str, command: object, etag: str) -> Any:
        return self.post(f"/api/v1/matches/{match}/commands/", command, If_Match=etag).body


def _good(answer: Answer) -> Answer:
    if answer.status >= 400:
        raise ApiError(answer)
    return answer


def read_form(form: JsonObject) -> Form:
    """Return a narrow form from the API in the structure that bots read."""
    schema = form["parameters"]
    parameters = {name: sub for name, sub in schema["properties"].items() if name != "name"}
    return Form(
        form["name"], form["label"], parameters, tuple(name for name in schema["required"] if name != "name"), form["aside"]
    )
