"""Fixtures for the tests of several engines."""

from __future__ import annotations

from typing import Any

import pytest

from gamesvc.games.protocol import Session


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Record the engines' answers to commands, views and forms during a test."""
    answers: list[dict[str, Any]] = []
    answer = Session.answer

    def listen(self: Session, request: Any) -> dict[str, Any]:
        given = answer(self, request)
        if request["op"] in ("command", "view", "legal"):
            answers.append(given)
        return given

    monkeypatch.setattr(Session, "answer", listen)
    return answers
