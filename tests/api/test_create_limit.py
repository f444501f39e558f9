"""The limits on new matches, also when many requests come at once, each by a connection of its own, and on refused ones."""

from __future__ import annotations

import functools
import http.client
import json
import threading
import uuid
from collections import Counter

import pytest

from gamesvc.matches.access import daily_limits
from gamesvc.matches.lobby import opening
from gamesvc.matches.models import Answered, Match
from tests.racing import at_once

pytestmark = pytest.mark.django_db(transaction=True)

AT_ONCE = 40


def test_forty_parallel_requests_open_no_more_matches_than_the_limit(toy, anna, program, live_server, settings):
    settings.MATCHES_PER_MINUTE = 10
    token, address = program(anna).token, live_server.url.removeprefix("http://")

    # The server of the test takes few connections at once, so they are there before the requests.
    links = [http.client.HTTPConnection(address, timeout=60) for _ in range(AT_ONCE)]
    for link in links:
        link.connect()

    def open_match(link: http.client.HTTPConnection) -> tuple[int, str | None]:
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}
        link.request("POST", "/api/v1/matches/", json.dumps({"game": toy}), headers)
        answer = link.getresponse()
        body = json.loads(answer.read())
        link.close()
        return answer.status, body.get("code")

    found = Counter(at_once(*[functools.partial(open_match, link) for link in links]))
    assert found == {(201, None): 10, (429, "too_many"): AT_ONCE - 10}
    assert Match.objects.filter(creator=anna).count() == 10


def test_copies_of_a_request_wait_for_it_for_a_moment_only(toy, anna, program, monkeypatch):
    """Each takes a thread. Sixteen copies of one that computed for ten seconds stopped the service for as long."""
    begun, answered, create = threading.Event(), threading.Event(), opening.create_match

    def slowly(**given):
        begun.set()
        answered.wait(8)  # shorter than the other limits for a lock
        return create(**given)

    monkeypatch.setattr(opening, "create_match", slowly)

    def copy():
        begun.wait(8)
        try:
            return program(anna).post("/matches/", {"game": toy}, key="one")
        finally:
            answered.set()

    first, second = at_once(lambda: program(anna).post("/matches/", {"game": toy}, key="one"), copy)
    assert first.status_code == 201
    assert (second.status_code, second.json()["code"], second["Retry-After"]) == (503, "busy", "1")
    assert program(anna).post("/matches/", {"game": toy}, key="one").json() == first.json()
    assert Match.objects.count() == 1


def test_a_refusal_quotes_and_stores_little_of_what_was_sent(toy, anna, program):
    """It is stored for the key. One account could store 13 GB an hour."""
    api, long = program(anna), "x" * 120_000
    for path, body in (
        ("/matches/", {"game": long}),
        ("/matches/", {"game": toy, "clock": long}),
        ("/challenges/", {"game": toy, "opponent": long}),
    ):
        answer = api.post(path, body)
        assert answer.status_code == 422, body.keys()
        assert "xxx" in answer.json()["detail"]
        assert len(answer.content) < 10_000
    assert Answered.objects.count() == 3
    assert all(len(json.dumps(row.body)) < 10_000 for row in Answered.objects.all())


def test_requests_refused_again_and_again_are_not_stored(toy, anna, program, monkeypatch):
    monkeypatch.setattr(daily_limits, "REFUSED_PER_HOUR", 3)
    api = program(anna)
    codes = [api.post("/matches/", {"game": "none"}, key=f"key {number}").json()["code"] for number in range(6)]
    assert codes == ["unknown_game"] * 3 + ["refused_too_often"] * 3
    assert Answered.objects.count() == 3
    assert api.post("/matches/", {"game": "none"}, key="key 0").json()["code"] == "unknown_game"
    assert api.post("/matches/", {"game": toy}, key="key 5").status_code == 201


def test_requests_repeated_without_end_are_not_all_stored(toy, anna, program, monkeypatch):
    """Each answer is kept for a day: with 600 requests a minute one account could store four gigabytes."""
    monkeypatch.setattr(daily_limits, "ANSWERS_PER_DAY", 3)
    api = program(anna, "read", "play", "organise")
    number = api.post("/matches/", {"game": toy}, key="opened").json()["number"]
    answers = [api.post(f"/matches/{number}/link/", key=f"key {at}") for at in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 429, 429]
    assert Answered.objects.count() == 3
    assert Match.objects.get(number=number).link_token == answers[1].json()["link"].rpartition("=")[2], "nothing was done"
    assert api.post(f"/matches/{number}/link/", key="key 0").json() == answers[0].json(), "what is known is answered as before"
