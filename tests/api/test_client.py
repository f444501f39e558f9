"""The client of programs that play over the API: the demonstration, the simulation, the benches."""

from __future__ import annotations

import json
from http.client import HTTPMessage

import pytest

from gamesvc.ops.client import Answer, Client


def test_a_turn_is_read_at_one_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """A deadline between the two requests must not hand a bot the forms of another question than its view shows."""
    versions = iter([7, 8, 8, 8])

    def answered(client: Client, path: str, **headers: str) -> Answer:
        tag = HTTPMessage()
        tag["ETag"] = '"8"'
        return Answer(200, tag, json.dumps({"version": next(versions), "forms": []}).encode())

    monkeypatch.setattr(Client, "get", answered)
    seen, forms, etag = Client("http://localhost", "").turn("1")
    assert (seen["version"], forms, etag) == (8, [], '"8"')
    assert not list(versions)
