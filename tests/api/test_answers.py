"""The check that every test of the API goes through: an answer is what the OpenAPI document says of its address."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from gamesvc.api.v1.base import METHODS, View
from gamesvc.api.v1.reading import games
from gamesvc.games import catalog
from tests import answers
from tests.walking import doors

pytestmark = pytest.mark.django_db


def tamper(monkeypatch: pytest.MonkeyPatch, **more: Any) -> None:
    """Make the list of games tell more, or something else."""
    real = games.game_json
    monkeypatch.setattr(games, "game_json", lambda game: {**real(game), **more})


def test_a_member_that_no_serializer_knows_is_noticed(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    tamper(monkeypatch, secret="hush")
    with pytest.raises(AssertionError, match=r"Game lacks .*secret"):
        client.get("/api/v1/games/")


def test_a_member_of_another_type_is_noticed(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    tamper(monkeypatch, title=None)
    with pytest.raises(AssertionError, match="0/title"):
        client.get("/api/v1/games/")


def test_a_missing_member_is_noticed(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "game_json", lambda game: {"id": game.id})
    with pytest.raises(AssertionError, match="is a required property"):
        client.get("/api/v1/games/")


def test_undocumented_members_are_not_sent(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    with answers.unchecked():
        tamper(monkeypatch, secret="hush")
        listed = client.get("/api/v1/games/").json()
    assert [game["id"] for game in listed] == list(catalog.OFFERED)
    assert "hush" not in str(listed)


def test_every_method_of_the_api_names_its_serializers() -> None:
    views = {door.view.cls for door in doors("api/v1/") if issubclass(door.view.cls, View)}
    assert len(views) > 50
    methods = [(view, method) for view in views for name in METHODS if (method := getattr(view, name.lower(), None))]
    assert [f"{view.__name__}.{method.__name__}" for view, method in methods if not hasattr(method, "shapes")] == []


def test_a_problem_of_another_type_is_noticed(client: Client) -> None:
    answer = client.get("/api/v1/me/")
    answer["Content-Type"] = "text/html"
    with pytest.raises(AssertionError, match="answers 401 as text/html"):
        answers.check(answer)


def test_a_missing_body_is_noticed(client: Client) -> None:
    answer = client.get("/api/v1/games/")
    answer.content = b""
    with pytest.raises(AssertionError, match="without content"):
        answers.check(answer)
