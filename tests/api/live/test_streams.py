"""Live streams over real connections: what their followers are told, in which order, and when a stream ends."""

from __future__ import annotations

import asyncio
import json
import random
import uuid
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
import time_machine
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from accounts import tokens
from accounts.erasure import erase
from gamesvc.api.live.callers import Caller
from gamesvc.api.live.errors import TooManyStreams
from gamesvc.api.live.hub import Hub
from gamesvc.api.live.messages import ServerSentEvents
from gamesvc.api.live.streams import MatchStream, Wish
from gamesvc.matches import hints
from gamesvc.matches.lobby import challenges, opening, press, rematches, substitutes
from gamesvc.matches.models import Match
from gamesvc.matches.record import loading
from gamesvc.matches.record.append import Actor
from gamesvc.ops.following import NoStream
from tests.api.live.conftest import Duel, LiveServer, do, run, token_of
from tests.conftest import Program, make_player
from tests.matches.playing import act
from tests.web.rated import follow

ORDERS = {"name": "set_orders", "orders": []}


def play(duel: Duel) -> int:
    """Play one visible command of the seat that is awaited. Return the version after it."""
    loaded = loading.load(duel.match.id, duel.match.game)
    question = loaded.awaited()[0]
    state = loaded.timeline.state
    forms = [form for form in loaded.game.legal_commands(state, question.seat) if not form.aside]
    command = loaded.game.bots["random"](loaded.game.view(state, question.seat), forms, random.Random(1))
    act(duel.match, question.seat, command)
    return loading.load(duel.match.id, duel.match.game).viewer_version(None)


def version_of(duel: Duel, viewer: int | None) -> int:
    return loading.load(duel.match.id, duel.match.game).viewer_version(viewer)


def awaited_of(duel: Duel, seat: int) -> bool:
    return any(one.seat == seat for one in loading.load(duel.match.id, duel.match.game).awaited())


def test_followers_are_told_their_version_at_once_and_after_each_act(live: LiveServer, duel: Duel) -> None:
    async def scene() -> None:
        async with (
            live.follow(duel.path, duel.tokens[0]) as first,
            live.follow(duel.path, duel.tokens[1]) as second,
            live.follow(f"{duel.path}?link={duel.match.link_token}") as guest,
        ):
            for _act in range(4):
                for seat, stream in ((0, first), (1, second), (None, guest)):
                    [told] = await stream.next()
                    version = await do(version_of, duel, seat)
                    awaited = seat is not None and await do(awaited_of, duel, seat)
                    assert told.data == {"match": str(duel.match.id), "version": version, "awaited": awaited}
                    assert told.id == str(version)
                await do(play, duel)

    run(scene)


def test_a_sealed_act_is_told_to_its_own_seat_alone(live: LiveServer, duel: Duel) -> None:
    async def scene() -> None:
        async with (
            live.follow(duel.path, duel.tokens[0]) as first,
            live.follow(duel.path, duel.tokens[1]) as second,
            live.follow(f"{duel.path}?link={duel.match.link_token}&events=true") as guest,
            live.follow("/me/stream/", duel.tokens[0]) as own,
        ):
            before = [(await stream.next())[0].data["version"] for stream in (first, second, guest, own)]
            await do(act, duel.match, 1, ORDERS)
            [told] = await second.next()
            assert told.data["version"] > before[1]
            # Had the sealed act moved the others, its message would come before that of the visible act.
            seen = await do(play, duel)
            for stream in (first, guest, own):
                [told] = await stream.next()
                assert told.data["version"] == seen
            sealed = [event for event in (await _events_told(live, duel, before[2])) if "type" not in event]
            assert sealed, "the record holds it, without content"
            assert all(set(event) == {"match", "version", "digest", "hash"} for event in sealed)

    run(scene)


def test_a_message_is_told_to_its_readers_alone(live: LiveServer, duel: Duel) -> None:
    async def scene() -> None:
        async with (
            live.follow(duel.path, duel.tokens[1]) as hearer,
            live.follow(f"{duel.path}?link={duel.match.link_token}") as guest,
            live.follow("/me/stream/", duel.tokens[1]) as own,
        ):
            for stream in (hearer, guest, own):
                await stream.next()
            marks = []
            for to in ([1], "all"):
                await do(say, duel, to)
                [told] = await hearer.next()
                marks.append(told.data["messages"])
            assert len(set(marks)) == 2
            # Had the private message moved the guest, it would come before the public one.
            [told] = await guest.next()
            assert told.data["messages"] == marks[1]
            seen = await do(play, duel)
            [told] = await own.next()
            assert told.data["version"] == seen
            assert "messages" not in told.data

    run(scene)


def say(duel: Duel, to: Any) -> None:
    press.say(match=duel.match, by=duel.players[0], by_seat=0, to=to, text="Hello", channel="api")


async def _events_told(live: LiveServer, duel: Duel, after: int) -> list[Any]:
    async with live.follow(f"{duel.path}?link={duel.match.link_token}&events=true&after={after}") as stream:
        [told] = await stream.next()
        return list(told.data["events"])


def test_the_events_are_those_of_the_api_without_gap_or_double(live: LiveServer, duel: Duel) -> None:
    async def scene() -> list[Any]:
        told: list[Any] = []
        known = "0"
        for _connection in range(4):
            async with live.follow(f"{duel.path}?events=true", duel.tokens[0], Last_Event_ID=known) as stream:
                for _act in range(2):
                    [message] = await stream.next()
                    told += message.data["events"]
                    known = message.id
                    await do(play, duel)
            await do(act, duel.match, 1, ORDERS)
        async with live.follow(f"{duel.path}?events=true", duel.tokens[0], Last_Event_ID=known) as stream:
            [message] = await stream.next()
        return [*told, *message.data["events"]]

    told = run(scene)
    program = Program(duel.players[0])
    assert told == program.get(f"/matches/{duel.match.id}/events/").json()["events"]


def test_a_stream_goes_on_where_it_was_cut_off_also_after_the_server_was_killed(live: LiveServer, duel: Duel) -> None:
    async def scene() -> None:
        async with live.follow(duel.path, duel.tokens[0]) as stream, live.follow("/me/stream/", duel.tokens[0]) as own:
            [told], [own_told] = await stream.next(), await own.next()
            await asyncio.to_thread(live.stop)
            assert await stream.next() == await own.next() == []
        version = await do(play, duel)
        await asyncio.to_thread(live.start)
        async with live.follow(duel.path, duel.tokens[0], Last_Event_ID=told.id) as stream:
            [missed] = await stream.next()
            assert missed.data["version"] == version
        async with (
            live.follow(duel.path, duel.tokens[0], Last_Event_ID=missed.id) as stream,
            live.follow("/me/stream/", duel.tokens[0], Last_Event_ID=own_told.id) as own,
        ):
            [own_missed] = await own.next()
            assert own_missed.data["version"] == version
            # Nothing is told twice: the first message is about what comes now.
            version = await do(play, duel)
            for one in (stream, own):
                [told] = await one.next()
                assert told.data["version"] == version

    run(scene)


def test_a_lost_hint_costs_one_sweep(live: LiveServer, duel: Duel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hints, "moved", lambda match_id: None)

    async def scene() -> None:
        async with live.follow(duel.path, duel.tokens[0]) as stream, live.follow("/me/stream", duel.tokens[0]) as own:
            await stream.next()
            await own.next()
            version = await do(play, duel)
            for one in (stream, own):
                [told] = await one.next()
                assert told.data["version"] == version

    run(scene)


def test_all_matches_of_a_user_come_in_one_stream_with_a_cursor(live: LiveServer, duel: Duel) -> None:
    async def scene() -> None:
        async with live.follow("/me/stream/", duel.tokens[0]) as stream:
            await stream.next()
            other = await do(Duel)
            await do(substitutes.vacate, match=other.match, seat=0, actor=Actor("system"), channel="web")
            version = await do(play, duel)
            [told] = await stream.next()
            assert (told.data["match"], told.data["version"]) == (str(duel.match.id), version), "no match of others"
            await do(act, duel.match, 0, {"name": "resign"})
            messages = []
            async for message in stream.messages():
                messages.append(message)
                if await do(version_of, duel, 0) == message.data["version"]:
                    break
        third = await do(Duel)
        token = await do(token_of, third.players[0])
        async with live.follow("/me/stream/", token) as stream:
            [told] = await stream.next()
            assert told.data["match"] == str(third.match.id)
        async with live.follow("/me/stream/", duel.tokens[0], Last_Event_ID=messages[-1].id) as stream:
            fresh = await do(_opened_by, duel.players[0])
            [told] = await stream.next()
            assert told.data["match"] == str(fresh), "the match that is over is not told again"

    run(scene)


def _opened_by(user: Any) -> Any:
    return opening.create_match(by=user, game="space_war").id


def test_a_stream_ends_with_what_its_caller_was_believed_by(live: LiveServer, duel: Duel) -> None:
    browser = Client()
    browser.force_login(duel.players[1])
    cookie = browser.cookies["sessionid"].value

    async def scene() -> None:
        extra = await do(token_of, duel.players[0])
        async with (
            live.follow(duel.path, duel.tokens[0]) as revoked,
            live.follow(duel.path, extra) as kept,
            live.follow(duel.path, Cookie=f"sessionid={cookie}") as session,
            live.follow("/me/stream/", duel.tokens[1]) as erased,
        ):
            for stream in (revoked, kept, session, erased):
                await stream.next()
            bearer = await do(tokens.find_token, duel.tokens[0])
            assert bearer is not None
            await do(tokens.revoke_token, user=duel.players[0], token_id=bearer.token.pk)
            assert await revoked.next() == []
            await do(browser.logout)
            assert await session.next() == []
            await do(erase, duel.players[1])
            assert await erased.next() == []
            with pytest.raises(NoStream) as refused:
                await live.follow(duel.path, duel.tokens[0]).__aenter__()
            assert refused.value.status == 401

    run(scene)


def test_a_stream_ends_where_its_follower_loses_the_seat(live: LiveServer, duel: Duel) -> None:
    async def scene() -> None:
        async with live.follow(duel.path, duel.tokens[1]) as stream:
            await stream.next()
            await do(act, duel.match, 1, ORDERS)
            [told] = await stream.next()
            await do(substitutes.vacate, match=duel.match, seat=1, actor=Actor("system"), channel="web")
            assert await stream.next() == []
        async with live.follow(duel.path, duel.tokens[1], Last_Event_ID=told.id) as stream:
            [told] = await stream.next()
            assert told.data["version"] == await do(version_of, duel, None), "from now on what anyone may see"
            assert not told.data["awaited"]

    run(scene)


def test_a_token_that_only_reads_follows_late_what_spectators_see_late(live: LiveServer, transactional_db: None) -> None:
    """Also one of an operator, who sees it at once: as in all other answers of the API."""
    duel = Duel(watch="all", watch_delay=24)
    operator = make_player("operator", is_staff=True)

    async def scene() -> None:
        begun = await do(version_of, duel, None)
        newest = await do(play, duel)
        assert newest > begun
        for scopes, version in (["read"], begun), (["read", "operate"], newest):
            _token, plain = await do(tokens.create_token, user=operator, name="live", scopes=scopes)
            async with live.follow(duel.path, plain) as stream:
                [told] = await stream.next()
                assert told.data["version"] == version

    run(scene)


def test_a_stream_ends_when_its_link_is_taken_back(live: LiveServer, duel: Duel) -> None:
    host = Program(duel.players[0], "organise")

    async def scene() -> None:
        before = duel.match.link_token
        async with (
            live.follow(f"{duel.path}?link={before}") as guest,
            live.follow(duel.path, duel.tokens[0]) as player,
        ):
            await guest.next()
            await player.next()
            answer = await do(host.post, f"/matches/{duel.match.number}/link/", {})
            after = answer.json()["link"]
            assert after != before
            assert await guest.next() == []
            await do(play, duel)
            assert len(await player.next()) == 1
        with pytest.raises(NoStream) as refused:
            await live.follow(f"{duel.path}?link={before}").__aenter__()
        assert refused.value.status == 404
        async with live.follow(f"{duel.path}?link={after}") as guest:
            assert len(await guest.next()) == 1

    run(scene)


def test_a_match_that_cannot_be_read_holds_up_no_other(live: LiveServer, duel: Duel) -> None:
    broken = Duel()
    Match.objects.filter(pk=broken.match.pk).update(game="gone")

    async def scene() -> None:
        async with (
            live.follow(broken.path, broken.tokens[0]) as lost,
            live.follow("/me/stream/", broken.tokens[1]) as own,
            live.follow(duel.path, duel.tokens[0]) as stream,
        ):
            assert await lost.next() == await own.next() == []
            await stream.next()
            version = await do(play, duel)
            [told] = await stream.next()
            assert told.data["version"] == version

    run(scene)
    Match.objects.filter(pk=broken.match.pk).update(game="space_war")


def test_what_may_not_be_followed_is_refused_as_everywhere(live: LiveServer, duel: Duel) -> None:
    private = Duel(watch="nobody")
    stranger = token_of(make_player("stranger"))
    address = f"http://127.0.0.1:{live.port}/api/v1"

    def answer(path: str, token: str = "", method: str = "GET", **headers: str) -> tuple[int, str]:
        told = {name.replace("_", "-"): value for name, value in headers.items()}
        if token:
            told["Authorization"] = f"Bearer {token}"
        got = httpx.request(method, f"{address}{path}", headers=told)
        assert got.headers["Content-Type"] == "application/problem+json"
        return got.status_code, json.loads(got.content)["code"]

    assert answer(private.path, stranger) == answer("/matches/12345/stream/", stranger) == (404, "not_found")
    assert answer(private.path) == answer("/matches/x/stream/") == answer("/else/") == (404, "not_found")
    assert answer("/me/stream/") == answer(duel.path, "gsk_wrong") == (401, "not_signed_in")
    assert answer(duel.path, duel.tokens[0], Accept="image/png") == (406, "not_acceptable")
    assert answer(f"{duel.path}?{'a&' * 1_001}", duel.tokens[0]) == (400, "bad_request")
    assert answer(duel.path, duel.tokens[0], "POST") == (405, "method_not_allowed")
    assert answer(f"{duel.path}?ticket=forged") == (401, "bad_ticket")


def test_the_web_server_hands_over_with_a_ticket(live: LiveServer, duel: Duel, settings: Settings) -> None:
    program, stranger = Program(duel.players[0]), Program(make_player("stranger"))
    assert program.get(duel.path).json()["code"] == "no_streams"
    settings.LIVE_URL = f"http://127.0.0.1:{live.port}"
    assert stranger.get(Duel(watch="nobody").path).status_code == 404
    as_browser = {"Accept": "text/event-stream"}
    guest = Client().get(f"/api/v1{duel.path}?link={duel.match.link_token}", headers=as_browser)
    browser = Client()
    browser.force_login(duel.players[0])
    answers = [
        program.get(f"{duel.path}?events=true"),
        program.get("/me/stream/"),
        browser.get("/api/v1/me/stream/", headers=as_browser),
        guest,
    ]
    assert {answer.status_code for answer in answers} == {307}
    places = [answer.headers["Location"].removeprefix(f"{settings.LIVE_URL}/api/v1") for answer in answers]

    async def scene() -> None:
        for place in places:
            async with live.follow(place) as stream:
                [told] = await stream.next()
                assert told.data["match"] == str(duel.match.id)
                assert ("events" in told.data) == ("events=true" in place)
        elsewhere = f"/me/stream/?{urlsplit(places[0]).query}"
        with time_machine.travel(timezone.now() - timedelta(minutes=1)):
            late = await do(lambda: program.get("/me/stream/").headers["Location"])
        for place in (elsewhere, late.removeprefix(f"{settings.LIVE_URL}/api/v1")):
            with pytest.raises(NoStream) as refused:
                await live.follow(place).__aenter__()
            assert json.loads(refused.value.body)["code"] == "bad_ticket"

    run(scene)


def test_a_token_has_so_many_streams(live: LiveServer, duel: Duel) -> None:
    async def scene() -> None:
        opened = [await live.follow(duel.path, duel.tokens[0]).__aenter__() for _ in range(4)]
        with pytest.raises(NoStream) as refused:
            await live.follow(duel.path, duel.tokens[0]).__aenter__()
        assert (refused.value.status, json.loads(refused.value.body)["code"]) == (429, "too_many_streams")
        for stream in opened:
            await stream.__aexit__()
        while True:  # until the server has noticed
            try:
                async with live.follow(duel.path, duel.tokens[0]):
                    return
            except NoStream:
                await asyncio.sleep(0.05)

    run(scene)


def test_the_many_ipv6_networks_of_one_customer_have_so_many_streams(settings: Settings) -> None:
    settings.STREAMS_PER_ADDRESS = 2

    async def scene() -> list[bool]:
        hub, opened = Hub(), []
        for network in [*(f"2001:db8:1:{number:x}::/64" for number in range(7)), "2001:db8:2::/64"]:
            stream = MatchStream(Wish(Caller(network), ServerSentEvents(), match_id=uuid.uuid4()))
            try:
                hub.add(stream)
            except TooManyStreams:
                opened.append(False)
            else:
                opened.append(True)
        hub.stop()
        return opened

    assert asyncio.run(scene()) == [True] * 6 + [False, True]


def test_lines_of_json_for_programs(live: LiveServer, duel: Duel) -> None:
    headers = {"Authorization": f"Bearer {duel.tokens[0]}", "Accept": "application/x-ndjson"}
    with httpx.stream("GET", f"http://127.0.0.1:{live.port}/api/v1{duel.path}", headers=headers, timeout=60) as stream:
        assert stream.headers["Content-Type"] == "application/x-ndjson"
        line = next(line for line in stream.iter_lines() if line)
    version = version_of(duel, 0)
    told = json.loads(line)
    assert told == {"match": str(duel.match.id), "version": version, "awaited": awaited_of(duel, 0), "id": str(version)}


def test_a_challenge_is_told_on_the_stream_of_the_challenged(live: LiveServer, transactional_db: None) -> None:
    first, second = (make_player(f"{letter}{uuid.uuid4().hex[:8]}") for letter in "cd")
    token = token_of(second)

    async def scene() -> None:
        async with live.follow("/me/stream/", token) as stream:
            made = await do(challenges.challenge, by=first, opponent=second.username, game="space_war")
            [told] = await stream.next()
            assert told.data == {
                "match": str(made.match_id),
                "version": made.match.version,
                "awaited": False,
                "challenge": str(made.pk),
            }
            await do(challenges.cancel, by=first, challenge_id=made.pk)
            [ended] = await stream.next()
            assert (ended.data["match"], "challenge" in ended.data) == (str(made.match_id), False)
        await do(challenges.challenge, by=first, opponent=second.username, game="space_war")
        async with live.follow("/me/stream/", token) as again:
            [told] = await again.next()
            assert told.data["challenge"]

    run(scene)


def test_what_follows_the_end_is_told(live: LiveServer, duel: Duel, feed: None) -> None:
    async def scene() -> None:
        await do(act, duel.match, 0, {"name": "resign"})
        async with (
            live.follow(duel.path, duel.tokens[1]) as other,
            live.follow(f"{duel.path}?link={duel.match.link_token}") as guest,
        ):
            for stream in (other, guest):
                [told] = await stream.next()
                assert "after_end" not in told.data
            again = await do(lambda: rematches.rematch(by=duel.players[0], match=Match.objects.get(pk=duel.match.pk)))
            [told] = await other.next()
            assert told.data["after_end"] == str(again.number)
            await do(follow)
            # Had the rematch been told to the guest, its message would come before that of the rating.
            for stream, mark in ((other, f"rated {again.number}"), (guest, "rated")):
                [told] = await stream.next()
                assert told.data["after_end"] == mark

    run(scene)


def test_little_stays_in_memory_of_what_a_guest_sends_with_a_stream(live: LiveServer, transactional_db: None) -> None:
    """200 streams of one network kept 160 MB: headers of 400 kB each, and the id of the last message once more."""
    watched = Duel(watch="all")

    def opened(**headers: str) -> int:
        with httpx.stream("GET", f"http://127.0.0.1:{live.port}/api/v1{watched.path}", headers=headers) as answer:
            return answer.status_code

    assert opened(**{"Last-Event-ID": "1" * 8_000, "Cookie": "x" * 30_000}) == 200
    assert opened(**{"Last-Event-ID": "1" * 400_000}) == 431
    assert opened(**{"X-Other": "1" * 400_000}) == 431
