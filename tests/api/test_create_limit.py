"""The limit on new matches holds when many requests come at once, each by a connection of its own."""

from __future__ import annotations

import functools
import http.client
import json
import uuid
from collections import Counter

import pytest

from gamesvc.matches.models import Match
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
