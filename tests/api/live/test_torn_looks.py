"""A look at a match reads its seats before its events. A change between the two must not be lost to the followers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from accounts.models import ApiToken, User
from gamesvc.api.live import looking
from gamesvc.api.live.callers import Caller
from gamesvc.api.live.messages import LinesOfJSON
from gamesvc.api.live.streams import UserStream, Wish
from gamesvc.json_types import JsonObject
from gamesvc.matches.lobby import challenges
from gamesvc.matches.models import Invitation
from gamesvc.matches.reading import following
from tests.api.live.conftest import token_of


@pytest.fixture(autouse=True)
def _one_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look in the thread of the test, whose connection is not to be closed."""
    monkeypatch.setattr(looking, "close_old_connections", lambda: None)


@pytest.fixture
def challenge(anna: User, ben: User) -> Invitation:
    """Ben is challenged to a match in which, by its draws, he moves first."""
    return challenges.challenge(by=anna, opponent=ben.username, game="space_war", seat=0)


@pytest.fixture
def stream(ben: User) -> UserStream:
    token_of(ben)
    wish = Wish(Caller("", ben.pk, token_id=ApiToken.objects.get(user=ben).pk), LinesOfJSON())

    async def made() -> UserStream:
        return UserStream(wish)

    return asyncio.run(made())


def told(stream: UserStream) -> list[JsonObject]:
    """Let a stream look, and return what it tells then."""
    for one, looks in looking.look_for([stream]).told:
        for look in looks:
            one.take(look)
    if stream.is_idle:
        return []

    async def next_chunk() -> bytes:
        chunks = stream.chunks()
        await anext(chunks)
        return await anext(chunks)

    return [json.loads(line) for line in asyncio.run(next_chunk()).splitlines()]


def in_the_middle(monkeypatch: pytest.MonkeyPatch, change: Callable[[], object]) -> None:
    """Let something happen once, after a look has read the seats and before it reads the events."""
    loads, left = following.loads, [change]

    def changing(*args: Any) -> Any:
        while left:
            left.pop()()
        return loads(*args)

    monkeypatch.setattr(following, "loads", changing)


def test_a_seat_taken_during_a_look_is_told_to_its_holder(
    challenge: Invitation, stream: UserStream, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [(one["awaited"], one["challenge"]) for one in told(stream)] == [(False, str(challenge.pk))]
    in_the_middle(monkeypatch, lambda: challenges.accept(by=ben, challenge_id=challenge.pk))
    told(stream)
    [message] = told(stream)
    assert message["awaited"]
    assert "challenge" not in message
    assert told(stream) == []


def test_a_challenge_taken_back_during_a_look_is_told_no_more(
    challenge: Invitation, stream: UserStream, anna: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    told(stream)
    in_the_middle(monkeypatch, lambda: challenges.cancel(by=anna, challenge_id=challenge.pk))
    [message] = told(stream)
    assert (message["awaited"], "challenge" in message) == (False, False)
