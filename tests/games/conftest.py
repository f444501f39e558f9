"""Fixtures for the tests of several engines."""

from __future__ import annotations

from typing import Any

import pytest

from gamesvc.games import trial
from gamesvc.games.catalog import OFFERED
from gamesvc.games.protocol import Session


@pytest.fixture(autouse=True)
def _tables_are_not_tried(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lay out a position in the tests of one engine without the trial, which costs more than the test.

    It is read and judged as ever; what the trial refuses is for `test_positions.py`.
    """
    if request.path.parent.name in OFFERED:
        monkeypatch.setattr(trial, "check", lambda timeline: None)


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
