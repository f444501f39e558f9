"""Many followers at once: each is told everything it may know, once and in order, also across a restart."""

from __future__ import annotations

import asyncio

import pytest

from gamesvc.ops.following import Following, Message
from tests.api.live.conftest import Duel, LiveServer, do, run
from tests.api.live.test_streams import play

ACTS = 5


@pytest.mark.parametrize("followers", [200, pytest.param(1000, marks=pytest.mark.long)])
def test_a_crowd_is_told_everything_once(live: LiveServer, duel: Duel, followers: int) -> None:
    """Half of them follow every event, the others only where the match is. The server is killed in between."""
    path = f"{duel.path}?link={duel.match.link_token}"

    async def follow(following: Following, until: int) -> list[Message]:
        told: list[Message] = []
        async with following as stream:
            async for message in stream.messages():
                told.append(message)
                if message.data["version"] >= until:
                    break
        return told

    async def crowd(known: list[str], until: int) -> list[list[Message]]:
        streams = [
            live.follow(f"{path}&events={'true' if number % 2 else 'false'}", Last_Event_ID=ident)
            for number, ident in enumerate(known)
        ]
        return await asyncio.gather(*(follow(stream, until) for stream in streams))

    async def test() -> None:
        known, told = ["0"] * followers, [[] for _ in range(followers)]
        for _round in range(2):
            begun = await do(play, duel)
            waiting = asyncio.ensure_future(crowd(known, begun + ACTS))
            while (version := await do(play, duel)) < begun + ACTS:
                pass
            for number, messages in enumerate(await waiting):
                told[number] += messages
            await asyncio.to_thread(live.stop)
            await asyncio.to_thread(live.start)
            known = [messages[-1].id for messages in told]
        for number, messages in enumerate(await crowd(known, await do(play, duel))):
            told[number] += messages
        for number, messages in enumerate(told):
            versions = [message.data["version"] for message in messages]
            assert versions == sorted(set(versions)), "each once, in order"
            assert versions[-1] >= version
            if number % 2:
                seen = [event["version"] for message in messages for event in message.data["events"]]
                assert seen == list(range(1, versions[-1] + 1)), "no event missing, none twice"

    run(test)
