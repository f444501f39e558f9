"""All looks run one after another. Nobody who opens one stream after the other keeps those of others waiting."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Sequence

import pytest

from accounts.models import ApiToken, User
from gamesvc.api.live import hub as hub_module
from gamesvc.api.live import looking
from gamesvc.api.live.callers import Caller
from gamesvc.api.live.hub import Hub
from gamesvc.api.live.messages import LinesOfJSON, write_cursor
from gamesvc.api.live.streams import MatchStream, Stream, UserStream, Wish
from gamesvc.matches.lobby import challenges
from gamesvc.matches.reading import following
from tests.api.live.conftest import token_of, work_until


def test_a_match_waits_for_one_look_at_all_matches_of_a_user(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[tuple[int | None, int]] = []

    async def scene() -> None:
        hub, loop = Hub(), asyncio.get_running_loop()

        def follow_a_match() -> None:
            hub.add(MatchStream(Wish(Caller(""), LinesOfJSON(), match_id=uuid.uuid4())))

        def look(streams: Sequence[Stream], after: int = 0) -> looking.Looks:
            looks.append((streams[0].wish.caller.user_id, len(streams)))
            if len(looks) == 1:
                loop.call_soon_threadsafe(follow_a_match)
            return looking.Looks([])

        monkeypatch.setattr(looking, "look_for", look)
        monkeypatch.setattr(looking, "look_at", lambda _match_id, streams: look(streams))
        for user_id in (1, 1, 2, 1, 3):
            hub.add(UserStream(Wish(Caller("", user_id), LinesOfJSON())))
        await work_until(hub, lambda: len(looks) >= 4)

    asyncio.run(scene())
    assert looks == [(1, 3), (None, 1), (2, 1), (3, 1)]


def test_a_match_waits_for_one_page_of_the_matches_of_a_user(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int | None] = []

    async def scene() -> None:
        hub, loop = Hub(), asyncio.get_running_loop()

        def follow_a_match() -> None:
            hub.add(MatchStream(Wish(Caller(""), LinesOfJSON(), match_id=uuid.uuid4())))

        def page(_streams: Sequence[Stream], after: int) -> looking.Looks:
            looks.append(after)
            if after == 10:
                loop.call_soon_threadsafe(follow_a_match)
            return looking.Looks([], after + 10 if after < 30 else None)

        def look(_match_id: uuid.UUID, _streams: Sequence[Stream]) -> looking.Looks:
            looks.append(None)
            return looking.Looks([])

        monkeypatch.setattr(looking, "look_for", page)
        monkeypatch.setattr(looking, "look_at", look)
        hub.add(UserStream(Wish(Caller("", 1), LinesOfJSON())))
        await work_until(hub, lambda: len(looks) >= 5)

    asyncio.run(scene())
    assert looks == [0, 10, None, 20, 30]


def test_a_hint_waits_for_few_of_the_matches_that_a_sweep_has_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """So many are those of a user who has just begun to follow them."""
    hinted, found = uuid.uuid4(), [uuid.uuid4() for _ in range(60)]
    looks: list[uuid.UUID] = []

    async def scene() -> None:
        hub, loop = Hub(), asyncio.get_running_loop()

        def hint() -> None:
            hub._moved.add(hinted)
            hub._wake.set()

        def look(match_id: uuid.UUID, _streams: Sequence[Stream]) -> looking.Looks:
            looks.append(match_id)
            if len(looks) == 1:
                loop.call_soon_threadsafe(hint)
            return looking.Looks([])

        monkeypatch.setattr(looking, "look_at", look)
        monkeypatch.setattr(looking, "versions", lambda _ids: dict.fromkeys([*found, hinted], 1))
        for match_id in (*found, hinted):
            hub.add(MatchStream(Wish(Caller(""), LinesOfJSON(), match_id=match_id)))
        hub._waiting.clear()
        await hub._find_moved()
        hub._missed.pop(hinted)
        await work_until(hub, lambda: len(looks) >= 61)

    asyncio.run(scene())
    assert looks.index(hinted) <= 2 * hub_module.MOST_MATCHES
    assert set(looks) == {*found, hinted}


def test_all_matches_of_a_user_are_told_in_pages(anna: User, ben: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looking, "close_old_connections", lambda: None)
    monkeypatch.setattr(following, "PAGE", 2)
    made = [challenges.challenge(by=anna, opponent=ben.username, game="space_war", seat=0) for _ in range(5)]
    challenges.cancel(by=anna, challenge_id=made[1].pk)
    token_of(anna)
    caller = Caller("", anna.pk, token_id=ApiToken.objects.get(user=anna).pk)

    async def follow() -> UserStream:
        return UserStream(Wish(caller, LinesOfJSON(), since=write_cursor({made[1].match.number: 0})))

    after: int | None = 0
    stream, pages = asyncio.run(follow()), list[list[int]]()
    while after is not None and len(pages) < 9:
        looks = looking.look_for([stream], after)
        pages.append([look.number for _stream, seen in looks.told for look in seen if look is not None])
        after = looks.rest
    numbers = [challenge.match.number for challenge in made]
    assert pages == [numbers[:2], numbers[2:4], numbers[4:]]


def test_few_pages_of_past_events_are_read_in_one_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same one for a crowd of followers is one page."""
    long, other = uuid.uuid4(), uuid.uuid4()
    looks: list[list[uuid.UUID | str]] = []

    async def scene() -> None:
        hub, loop = Hub(), asyncio.get_running_loop()

        def follow_other() -> None:
            hub.add(MatchStream(Wish(Caller(""), LinesOfJSON(), match_id=other)))

        def look(match_id: uuid.UUID, streams: Sequence[Stream]) -> looking.Looks:
            looks.append([match_id, *sorted({stream.wish.since for stream in streams})])
            if len(looks) == 1:
                loop.call_soon_threadsafe(follow_other)
            return looking.Looks([])

        monkeypatch.setattr(looking, "look_at", look)
        monkeypatch.setattr(hub_module, "MOST_PAGES", 2)
        for since in "11122334455":
            hub.add(MatchStream(Wish(Caller(""), LinesOfJSON(), match_id=long, since=since, events=True)))
        await work_until(hub, lambda: len(looks) >= 4)

    asyncio.run(scene())
    assert [len(look) for look in looks if look[0] == long] == [3, 3, 2]
    assert sorted(since for look in looks for since in look[1:] if look[0] == long) == list("12345")
    assert looks[3][0] != other, "it comes after one turn of the others"


def test_who_names_all_matches_they_ever_had_is_told_of_the_last_that_ended(
    anna: User, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looking, "close_old_connections", lambda: None)
    monkeypatch.setattr(following, "MOST_ENDED", 2)
    made = [challenges.challenge(by=anna, opponent=ben.username, game="space_war", seat=0) for _ in range(4)]
    for challenge in made[:3]:
        challenges.cancel(by=anna, challenge_id=challenge.pk)
    token_of(anna)
    caller = Caller("", anna.pk, token_id=ApiToken.objects.get(user=anna).pk)
    since = write_cursor({challenge.match.number: 0 for challenge in made[:3]})

    async def follow() -> list[UserStream]:
        return [UserStream(Wish(caller, LinesOfJSON(), since=known)) for known in ("", since)]

    new, known = asyncio.run(follow())
    looks = {stream: [look.number for look in seen if look is not None] for stream, seen in looking.look_for([new, known]).told}
    numbers = [challenge.match.number for challenge in made]
    assert looks == {new: numbers[3:], known: numbers[1:]}
